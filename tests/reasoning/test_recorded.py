"""The recorded runs are what the engine tells today."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from pydantic import TypeAdapter

from reasoning.events import TERMINAL_KINDS, Finished, SearchStepTaken, StageEvent
from tests.reasoning.recording import FOLDER, RUNS, record

if TYPE_CHECKING:
    from kgstore.store import GraphStore


@pytest.mark.parametrize("name", RUNS)
def test_a_recorded_run_is_fresh(toy: GraphStore, name: str) -> None:
    stored = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    assert stored == record(toy, name), "run `python -m tests.reasoning.recording` and look at what changed"


def test_a_run_from_before_costs_and_unread_options_were_reported_still_reads() -> None:
    adapter: TypeAdapter[StageEvent] = TypeAdapter(StageEvent)
    stored = json.loads((FOLDER / "earlier" / "condition.json").read_text(encoding="utf-8"))
    events = [adapter.validate_python(row["event"]) for row in stored]
    decisions = [event.decision for event in events if isinstance(event, SearchStepTaken)]
    assert [(decision.exact, decision.unread, decision.cost) for decision in decisions] == [(True, None, None)] * 3
    last = events[-1]
    assert isinstance(last, Finished)
    assert last.cost.calls == 7
    assert last.costs is None


def test_a_run_from_before_verdicts_distinguished_why_there_is_no_answer_keeps_its_own() -> None:
    adapter: TypeAdapter[StageEvent] = TypeAdapter(StageEvent)
    stored = json.loads((FOLDER / "earlier" / "no_relation.json").read_text(encoding="utf-8"))
    last = adapter.validate_python(stored[-1]["event"])
    assert isinstance(last, Finished)
    assert (last.verdict, last.reason) == ("not_in_graph", "no_relation")
    assert adapter.dump_python(last, mode="json") == stored[-1]["event"]


def test_a_run_from_before_confidence_was_reported_is_served_as_it_was_written() -> None:
    adapter: TypeAdapter[StageEvent] = TypeAdapter(StageEvent)
    stored = json.loads((FOLDER / "earlier" / "before_confidence.json").read_text(encoding="utf-8"))
    read = [adapter.validate_python(row["event"]) for row in stored]
    assert [adapter.dump_python(event, mode="json") for event in read] == [row["event"] for row in stored]


def test_every_recorded_run_is_listed() -> None:
    assert {path.stem for path in FOLDER.glob("*.json")} == set(RUNS)


@pytest.mark.parametrize("name", RUNS)
def test_an_event_survives_its_json(name: str) -> None:
    adapter: TypeAdapter[StageEvent] = TypeAdapter(StageEvent)
    stored = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    events = [adapter.validate_python(row["event"]) for row in stored]
    assert [adapter.dump_python(event, mode="json") for event in events] == [row["event"] for row in stored]
    assert [event.kind in TERMINAL_KINDS for event in events] == [False] * (len(events) - 1) + [True]
