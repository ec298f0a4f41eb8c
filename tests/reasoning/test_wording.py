"""What happens in a run is worded once, for the terminal and for the browser."""

from __future__ import annotations

import json
from collections import Counter
from typing import get_args

import pytest
from pydantic import TypeAdapter

from reasoning.events import (
    DecisionRecord,
    EntityLinked,
    MentionRecord,
    NoneOptionRecord,
    StageEvent,
    TermRecord,
    UnreadRecord,
    Verdict,
)
from reasoning.options import Stage
from reasoning.replay import costs_told
from reasoning.wording import STAGE_OF_EVENT, VERDICT_WORDS, RunWords, decision_of, is_doubtful
from tests.reasoning.recording import FOLDER, RUNS, WORDED, worded


def test_how_recorded_runs_are_worded_is_fresh() -> None:
    stored = json.loads(WORDED.read_text(encoding="utf-8"))
    assert stored == worded(), "run `python -m tests.reasoning.recording` and look at what changed"


def test_every_verdict_has_words() -> None:
    assert set(VERDICT_WORDS) == set(get_args(Verdict))


@pytest.mark.parametrize("name", RUNS)
def test_every_decision_has_a_stage_and_a_sentence(name: str) -> None:
    adapter: TypeAdapter[StageEvent] = TypeAdapter(StageEvent)
    told = [adapter.validate_python(row["event"]) for row in json.loads((FOLDER / f"{name}.json").read_text())]
    words, calls = RunWords(), Counter[Stage]()
    for event in told:
        words.learn(event)
        decision = decision_of(event)
        if decision is not None:
            assert words.decision(event)
            calls[STAGE_OF_EVENT[event.kind]] += 0 if decision.cost is None else decision.cost.calls
    assert {stage: cost.calls for stage, cost in costs_told(told).items()} == {stage: calls[stage] for stage in Stage}


def test_names_pass_through_the_rules_of_the_place_where_they_are_printed() -> None:
    term = TermRecord(id="en.kitt", label="KITT {node}", kind="entity")
    linked = EntityLinked(
        topic=term,
        topic_hint="",
        chosen_by_asker=True,
        decision=None,
        targets=[MentionRecord(start=0, end=4, term=term, hint="")],
        root=None,
        seconds=0,
    )
    assert RunWords(name=str.lower).decision(linked) == "Begin at kitt {node}"


@pytest.mark.parametrize(
    ("probabilities", "unread", "doubtful"),
    [
        ([0.9, 0.05, 0.05], 0.0, False),
        ([0.5, 0.3, 0.2], 0.0, False),
        ([0.49, 0.3, 0.21], 0.0, True),
        ([0.54, 0.45], 0.0, True),
        ([0.55, 0.45], 0.0, False),
        ([0.55], 0.46, True),
        ([1.0], 0.0, False),
    ],
)
def test_a_low_probability_or_a_close_second_is_doubtful(
    probabilities: list[float],
    unread: float,
    doubtful: bool,
) -> None:
    decision = DecisionRecord(
        options=[NoneOptionRecord(index=i, probability=share) for i, share in enumerate(probabilities)],
        total=len(probabilities),
        rest_probability=0,
        chosen=0,
        given=False,
        unread=UnreadRecord(count=1, together=unread, each=unread) if unread else None,
    )
    assert is_doubtful(decision) is doubtful
    assert not is_doubtful(decision.model_copy(update={"given": True}))
    assert not is_doubtful(decision.model_copy(update={"exact": False}))
