"""Looking around in a graph over HTTP."""

from __future__ import annotations

import itertools
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import pytest
from django.conf import settings

from webapp.graphs.sample import sample_graph_ensure
from webapp.platform.environment import REPOSITORY

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
    shown = explore(visitor, "entity", id=id_of(visitor, "Knight Rider"))
    assert shown["term"]["label"] == "Knight Rider"
    assert (shown["term"]["kind"], shown["hint"]) == ("entity", "TV programme")
    assert shown["kinds"][0] == {"id": "tv.tv_program", "label": "TV programme"}
    counts = [group["facts"] for group in shown["groups"]]
    assert counts == sorted(counts, reverse=True)
    cast = next(group for group in shown["groups"] if group["relation"]["id"] == "tv.tv_program.regular_cast")
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
    assert set(whole["kinds"]) == {country} | {fact["target"]["id"] for fact in whole["facts"]}


# What joins


def test_common_neighbours_are_reported_with_the_facts_of_both(visitor: Browser) -> None:
    one, other = id_of(visitor, "David Hasselhoff"), id_of(visitor, "William Daniels")
    shown = explore(visitor, "common", one=one, other=other)
    assert shown["shown"] == shown["total"] > 0
    ends = {fact["target"]["id"] for fact in shown["facts"]}
    assert {fact["source"]["id"] for fact in shown["facts"]} == {one, other}
    assert len(ends) == shown["total"]
    assert set(shown["kinds"]) == ends
    first = explore(visitor, "common", one=one, other=other, limit=1)
    assert (first["shown"], first["total"]) == (1, shown["total"])
    assert {fact["target"]["id"] for fact in first["facts"]} <= ends
    same = explore(visitor, "common", one=one, other=one)
    assert (same["facts"], same["reason"]) == ([], "Choose two different entities.")


def test_paths_are_read_along_themselves(visitor: Browser) -> None:
    source, target = id_of(visitor, "David Hasselhoff"), id_of(visitor, "KITT")
    shown = explore(visitor, "paths", source=source, target=target)
    assert shown["paths"]
    assert len({len(path) for path in shown["paths"]}) == 1
    for path in shown["paths"]:
        assert path[0]["source"]["id"] == source
        assert path[-1]["target"]["id"] == target
        for fact, following in itertools.pairwise(path):
            assert fact["target"] == following["source"]
        for fact in path:
            ends = [fact["source"]["id"], fact["target"]["id"]]
            subject, _, obj = fact["key"].split("\t")
            assert [subject, obj] == (ends[::-1] if fact["relation"]["reverse"] else ends)
    assert shown["looked_at"] > 0
    back = explore(visitor, "paths", source=target, target=source)
    assert [len(path) for path in back["paths"]] == [len(path) for path in shown["paths"]]


def test_where_there_is_no_path_it_is_said_why(visitor: Browser) -> None:
    source, target = id_of(visitor, "David Hasselhoff"), id_of(visitor, "KITT")
    short = explore(visitor, "paths", source=source, target=target, longest=1)
    assert short["paths"] == []
    assert short["reason"] == "No path of at most 1 facts leads from David Hasselhoff to KITT."
    same = explore(visitor, "paths", source=source, target=source)
    assert (same["paths"], same["reason"]) == ([], "Choose two different entities.")


def test_facts_between_what_is_drawn(visitor: Browser) -> None:
    show, country = id_of(visitor, "Knight Rider"), id_of(visitor, "United States of America")
    person = id_of(visitor, "David Hasselhoff")
    among = visitor.post("/api/explore/sample/between", {"ids": [show, country, person, "en.nobody"]})
    keys = {fact["key"] for fact in among["facts"]}
    assert f"{show}\ttv.tv_program.country_of_origin\t{country}" in keys
    assert f"{person}\tpeople.person.nationality\t{country}" in keys
    assert (among["shown"], among["total"], among["reason"]) == (len(keys), len(keys), None)
    new = visitor.post("/api/explore/sample/between", {"ids": [person], "others": [show, country]})
    assert {fact["key"] for fact in new["facts"]} == {key for key in keys if person in key}
    assert visitor.post("/api/explore/sample/between", {"ids": []})["total"] == 0
    # Where ids are addresses, the list of what is drawn is long.
    far = [f"http://example.org/{number:0300}" for number in range(500)]
    assert visitor.post("/api/explore/sample/between", {"ids": [show, *far[1:]], "others": [country]})["total"] == 1


# What there is


def test_the_overview_tells_what_the_graph_is(visitor: Browser) -> None:
    shown = explore(visitor, "overview")
    listed = next(each for each in visitor.get("/api/graphs") if each["name"] == "sample")
    for name in ("title", "version", "source", "entities", "triples", "predicates", "named", "loaded_at"):
        assert shown[name] == listed[name]
    facts = [each["facts"] for each in shown["most_connected"]]
    assert facts == sorted(facts, reverse=True)
    assert shown["most_connected"][0]["term"]["label"] == "United States of America"
    assert shown["is_outdated"] is False
    assert 0 <= shown["kinds_unknown"] < shown["entities"]


def test_the_schema_leads_to_the_facts_of_its_relations(visitor: Browser) -> None:
    shown = explore(visitor, "schema", limit=1_000)
    kinds = {kind["id"]: kind for kind in shown["kinds"]}
    assert shown["kinds_total"] == len(kinds)
    assert kinds["tv.tv_program"]["label"] == "TV programme"
    assert any(each["label"] for each in kinds["tv.tv_program"]["examples"])
    cast = next(use for use in shown["relations"] if use["relation"]["id"] == "tv.tv_program.regular_cast")
    assert (cast["source_kind"], cast["target_kind"]) == ("tv.tv_program", "tv.regular_tv_appearance")
    page = explore(visitor, "relation", id="tv.tv_program.regular_cast", limit=3)
    assert (len(page["facts"]), page["total"]) == (3, cast["facts"])
    rest = explore(visitor, "relation", id="tv.tv_program.regular_cast", limit=500, cursor=page["next"])
    assert len(rest["facts"]) == page["total"] - 3
    back = explore(visitor, "relation", id="^tv.tv_program.regular_cast", limit=3)
    assert [fact["key"] for fact in back["facts"]] == [fact["key"] for fact in page["facts"]]
    assert back["facts"][0]["source"] == page["facts"][0]["target"]
    few = explore(visitor, "schema", limit=2)
    assert [kind["id"] for kind in few["kinds"]] == [kind["id"] for kind in shown["kinds"]][:2]
    assert few["kinds_total"] == shown["kinds_total"]
    assert {use["source_kind"] for use in few["relations"]} <= {None, *(kind["id"] for kind in few["kinds"])}


def test_questions_about_an_entity_name_it_and_have_answers(visitor: Browser) -> None:
    asked = explore(visitor, "questions", id=id_of(visitor, "Knight Rider"))
    assert 0 < len(asked) <= 6
    assert all("Knight Rider" in question for question in asked)
    mediator = explore(visitor, "facts", id=id_of(visitor, "Knight Rider"), relation="tv.tv_program.regular_cast")
    assert explore(visitor, "questions", id=mediator["facts"][0]["target"]["id"]) == []


def test_a_graph_of_an_earlier_version_says_what_is_missing(visitor: Browser) -> None:
    before = REPOSITORY / "tests" / "kgstore" / "loaded_before.sqlite"
    target = Path(settings.ENVIRONMENT.home) / "graphs" / "before.sqlite"
    shutil.copyfile(before, target)
    try:
        overview = explore(visitor, "overview", graph="before")
        assert (overview["is_outdated"], overview["kinds_unknown"]) == (True, None)
        assert "Load it again" in " ".join(overview["advice"])
        assert overview["most_connected"][0]["term"]["id"] == "hub"
        schema = explore(visitor, "schema", graph="before")
        assert (schema["kinds"], schema["kinds_total"]) == ([], None)
        assert "Load it again" in schema["missing"]
        refused = explore(visitor, "relation", 409, graph="before", id="r.s.t")
        assert refused["code"] == "graph_outdated"
        assert explore(visitor, "facts", graph="before", id="hub", relation="^r.s.t")["total"] == 3
        assert len(explore(visitor, "paths", graph="before", source="leaf1", target="leaf2")["paths"]) == 1
    finally:
        target.unlink()


# What cannot be


@pytest.mark.parametrize(
    ("what", "query", "status", "code"),
    [
        ("entity", {"id": "en.nobody"}, 404, "entity_unknown"),
        ("entity", {"id": ""}, 422, "invalid_request"),
        ("entity", {"id": "x" * 401}, 422, "invalid_request"),
        ("entity", {"id": '"1"^^xsd:integer'}, 404, "entity_unknown"),
        ("entity", {}, 422, "invalid_request"),
        ("facts", {"id": KNIGHT_RIDER, "relation": "r", "cursor": "nonsense"}, 409, "cursor_outdated"),
        ("facts", {"id": KNIGHT_RIDER, "relation": "r", "cursor": "é"}, 409, "cursor_outdated"),
        ("facts", {"id": KNIGHT_RIDER, "relation": "r", "limit": 0}, 422, "invalid_request"),
        ("facts", {"id": KNIGHT_RIDER, "relation": "r", "limit": 10**9}, 422, "invalid_request"),
        ("relation", {"id": "r.s.t", "cursor": "MTIgMTI"}, 409, "cursor_outdated"),
        ("common", {"one": KNIGHT_RIDER, "other": "en.nobody"}, 404, "entity_unknown"),
        ("paths", {"source": KNIGHT_RIDER, "target": KNIGHT_RIDER, "longest": 7}, 422, "invalid_request"),
        ("paths", {"source": "en.nobody", "target": KNIGHT_RIDER}, 404, "entity_unknown"),
        ("questions", {"id": "^"}, 404, "entity_unknown"),
    ],
)
def test_what_cannot_be_is_refused_with_what_to_do(
    visitor: Browser, what: str, query: dict[str, Any], status: int, code: str
) -> None:
    refused = explore(visitor, what, status, **query)
    assert refused["code"] == code
    assert refused["message"]


@pytest.mark.parametrize("what", ["entity", "facts", "relation", "questions", "overview", "schema"])
def test_a_graph_that_is_not_there_is_unknown(visitor: Browser, what: str) -> None:
    explore(visitor, what, 404, graph="nowhere", id=KNIGHT_RIDER, relation="r")


def test_a_relation_that_is_not_there_has_no_facts(visitor: Browser) -> None:
    for what in ("facts", "relation"):
        page = explore(visitor, what, id=KNIGHT_RIDER if what == "facts" else "no.such", relation="^^no.such")
        assert (page["facts"], page["total"], page["next"]) == ([], 0, None)


def test_more_ids_than_are_drawn_at_a_time_are_refused(visitor: Browser) -> None:
    for body in ({"ids": ["x"] * 501}, {"ids": [""]}, {"ids": "x"}, {}, {"ids": [], "more": 1}):
        visitor.post("/api/explore/sample/between", body, 422)
    visitor.post("/api/explore/sample/between", {"ids": ["x" * 400] * 8_000}, 413)


def test_an_entity_shows_the_first_values_of_its_relations_and_what_mediators_join(visitor: Browser) -> None:
    shown = explore(visitor, "entity", id=id_of(visitor, "Barack Obama"))
    values = {
        group["relation"]["id"]: [[term["label"] for term in value] for value in group["values"]]
        for group in shown["groups"]
    }
    assert values["people.person.date_of_birth"] == [["1961-08-04"]]
    assert sorted(values["people.person.children"]) == [["Malia Obama"], ["Sasha Obama"]]
    assert values["people.person.spouse_s"] == [["Michelle Obama", "1992-10-03"]]
    country = explore(visitor, "entity", id=id_of(visitor, "United States of America"))
    assert all(len(group["values"]) <= 3 for group in country["groups"])
    assert max(group["facts"] for group in country["groups"]) > 500
