"""Who labels marks the answers, and is told which derivations lead to them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.webapp.labelled import ACTOR, CAST, CHARACTER, IS_KITT, Labeller, dataset, made, signed_in
from webapp.accounts.models import Role

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.webapp.conftest import Browser


@pytest.fixture
def at_kitt(browser: Callable[[], Browser], tmp_path: Path, ben: Browser) -> Labeller:
    """Ben, at the question of KITT."""
    return Labeller.at_next(ben, made(signed_in(browser, "rita", Role.REVIEWER), dataset(tmp_path), "ben"))


def ways(at: Labeller, *marked: str, topic: str | None = "en.knight_rider", status: int = 200) -> dict[str, Any]:
    """Looks for the longest time, as a busy machine may not find all ways in a shorter one."""
    wanted = {"topic": topic, "marked": marked, "seconds": 20}
    found: dict[str, Any] = at.browser.post(f"{at.address}/ways", wanted, status=status)
    return found


def test_the_derivations_that_lead_to_what_is_marked_are_reported_in_words(at_kitt: Labeller) -> None:
    found = ways(at_kitt, "en.william_daniels")
    assert found["cut"] == 0
    way = next(way for way in found["ways"] if way["conditions"] == [IS_KITT])
    assert way["words"] == "Knight Rider → regular cast → actor, where character is KITT"
    assert (way["precision"], way["recall"], way["answers_total"], way["missed"]) == (1.0, 1.0, 1, 0)
    assert [node["kind"] for node in way["nodes"]] == ["entity", "mediator", "entity", "entity"]
    bare = next(way for way in found["ways"] if not way["conditions"])
    assert (bare["steps"], bare["answer"], bare["answers_total"]) == ([CAST, ACTOR], 2, 3)
    assert found["ways"].index(bare) < found["ways"].index(way)


def test_a_way_is_taken_over_as_a_draft_and_handed_in(at_kitt: Labeller) -> None:
    at_kitt.move(topic="en.knight_rider", marked=["en.william_daniels"])
    found = ways(at_kitt, "en.william_daniels", topic=None)
    way = next(way for way in found["ways"] if way["steps"] == [CAST, ACTOR, CHARACTER] and way["precision"] == 1.0)
    at_kitt.move(
        steps=way["steps"],
        steps_ended=True,
        conditions=way["conditions"],
        conditions_ended=True,
        answer=way["answer"],
    )
    assert at_kitt.answers() == ["William Daniels"]
    assert at_kitt.browser.post(f"{at_kitt.address}/submit")["state"] == "submitted"


def test_what_cannot_be_looked_for_is_said_plainly(at_kitt: Labeller, browser: Callable[[], Browser]) -> None:
    assert ways(at_kitt, "en.kitt", topic=None, status=409)["code"] == "no_topic"
    assert ways(at_kitt, '"not closed', status=422)["code"] == "unreadable_term"
    assert ways(at_kitt)["ways"] == []
    assert ways(at_kitt, "en.nobody")["ways"] == []
    other = signed_in(browser, "otto")
    reply = other.post(f"{at_kitt.address}/ways", {"topic": "en.kitt", "marked": []}, status=404)
    assert reply["code"] == "unknown_task"


def test_looking_for_ways_is_no_move(at_kitt: Labeller) -> None:
    wanted = {"topic": "en.knight_rider", "marked": ["en.william_daniels"]}
    assert at_kitt.browser.post(f"{at_kitt.address}/ways", wanted)["milliseconds"] > 0
    assert at_kitt.browser.get(at_kitt.address)["work"]["last"] == 0
