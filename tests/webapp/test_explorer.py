"""Looking around in a graph over HTTP."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import pytest

from webapp.graphs.sample import sample_graph_ensure

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.webapp.conftest import Browser

KNIGHT_RIDER = "en.knight_rider"


@pytest.fixture(scope="module", autouse=True)
def sample_loaded(toy_graph: None) -> None:
    sample_graph_ensure()


@pytest.fixture
def visitor(browser: Callable[[], Browser]) -> Browser:
    return browser()


def explore(who: Browser, what: str, status: int = 200, graph: str = "sample", **query: Any) -> Any:
    return who.get(f"/api/explore/{graph}/{what}?{urlencode(query, doseq=True)}", status)


def id_of(who: Browser, name: str) -> str:
    found = who.get(f"/api/graphs/sample/entities?{urlencode({'q': name})}")
    return next(each["id"] for each in found if each["name"] == name)


def test_an_entity_shows_what_it_is_and_its_facts_by_relation(visitor: Browser) -> None:
    told = explore(visitor, "entity", id=id_of(visitor, "Knight Rider"))
    assert told["term"]["label"] == "Knight Rider"
    assert (told["term"]["kind"], told["hint"]) == ("entity", "TV programme")
    assert told["kinds"][0] == {"id": "tv.tv_program", "label": "TV programme"}
    counts = [group["facts"] for group in told["groups"]]
    assert counts == sorted(counts, reverse=True)
    cast = next(group for group in told["groups"] if group["relation"]["id"] == "tv.tv_program.regular_cast")
    assert (cast["leads_to"], cast["facts"]) == ("mediator", 7)


def test_facts_come_page_by_page_each_once_and_read_from_either_end(visitor: Browser) -> None:
    country = id_of(visitor, "United States of America")
    relation = max(
        (group for group in explore(visitor, "entity", id=country)["groups"] if group["relation"]["reverse"]),
        key=lambda group: group["facts"],
    )["relation"]["id"]
    whole = explore(visitor, "facts", id=country, relation=relation, limit=500)
    assert whole["total"] > len(whole["facts"]) == 500
    seen: list[Any] = []
    page: dict[str, Any] = {"next": None}
    while not seen or page["next"]:
        cursor = {"cursor": page["next"]} if page["next"] else {}
        page = explore(visitor, "facts", id=country, relation=relation, limit=150, **cursor)
        seen += page["facts"]
    assert len({fact["key"] for fact in seen}) == len(seen) == whole["total"]
    assert seen[:500] == whole["facts"]
    first = seen[0]
    assert (first["source"]["id"], first["relation"]["id"]) == (country, relation)
    other = explore(visitor, "facts", id=first["target"]["id"], relation=relation.removeprefix("^"))
    there = next(fact for fact in other["facts"] if fact["target"]["id"] == country)
    assert there["key"] == first["key"]
    assert set(whole["kinds"]) == {fact["target"]["id"] for fact in whole["facts"]}
