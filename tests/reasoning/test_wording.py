"""What happens in a run is worded once, for the terminal and for the browser."""

from __future__ import annotations

import json
from collections import Counter
from typing import get_args

import pytest
from pydantic import TypeAdapter

from reasoning.events import (
    CostRecord,
    DecisionRecord,
    EntityLinked,
    Finished,
    MentionRecord,
    ModelWrote,
    NoneOptionRecord,
    ReadingsKept,
    RelationRecord,
    SelectionMade,
    SelectionRecord,
    StageEvent,
    StepOptionRecord,
    TermRecord,
    Undecided,
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
    log = told(name)
    words, calls = RunWords(), Counter[Stage]()
    for event in log:
        words.learn(event)
        decision = decision_of(event)
        if decision is not None:
            assert words.decision(event)
            calls[STAGE_OF_EVENT[event.kind]] += 0 if decision.cost is None else decision.cost.calls
        elif isinstance(event, SelectionMade | ModelWrote):
            cost = event.cost if isinstance(event, ModelWrote) else event.selection.cost
            calls[Stage(event.stage)] += 0 if cost is None else cost.calls
    if not any(isinstance(event, ReadingsKept) for event in log):
        # A round of a beam asks for more than what the best reading decided.
        assert {stage: cost.calls for stage, cost in costs_told(log).items()} == {s: calls[s] for s in Stage}


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


def told(name: str) -> list[StageEvent]:
    adapter: TypeAdapter[StageEvent] = TypeAdapter(StageEvent)
    return [adapter.validate_python(row["event"]) for row in json.loads((FOLDER / f"{name}.json").read_text())]


def words_after(log: list[StageEvent]) -> RunWords:
    words = RunWords(name=str.upper)
    for event in log:
        words.learn(event)
    return words


def finished(name: str, **changes: object) -> Finished:
    last = told(name)[-1]
    assert isinstance(last, Finished)
    return last.model_copy(update=changes)


@pytest.mark.parametrize(
    ("confidence", "words"),
    [(0.724, "72 % sure"), (0.0049, "under 1 % sure"), (0.9951, "over 99 % sure"), (1.0, "100 % sure"), (None, "")],
)
def test_how_sure_a_run_is_in_words(confidence: float | None, words: str) -> None:
    assert RunWords().confidence(finished("condition", confidence=0.9, calibrated=confidence)) == (
        words or "90 % sure, uncorrected"
    )
    raw = words and f"{words}, uncorrected"
    assert RunWords().confidence(finished("condition", confidence=confidence)) == raw
    assert not RunWords().confidence(finished("condition", confidence=confidence, reason="no_topic"))


def test_what_a_model_answered_by_itself_says_so_first() -> None:
    ended = finished(
        "condition", verdict="from_the_model", reason="from_the_model", unused_words=[(0, 3)], confidence=None
    )
    assert words_after(told("condition")).beside(ended) == [
        "A model answered this by itself. No fact of the graph supports it.",
        "Not used: “WHO”",
    ]


def test_a_text_of_a_model_is_told_as_such_with_its_length() -> None:
    wrote = ModelWrote(
        stage="infer",
        purpose="a plan",
        writer="writer",
        messages=[],
        text="first the cast",
        length=4000,
        cost=CostRecord(calls=1, tokens_in=1, tokens_out=1),
        seconds=0,
    )
    by = ["Written by WRITER, not from the graph", "A PLAN"]
    assert RunWords(name=str.upper).beside(wrote) == [*by, "the first 14 of 4,000 characters"]
    assert RunWords(name=str.upper).beside(wrote.model_copy(update={"length": 14})) == by


def test_a_selection_says_how_many_it_kept_and_by_what() -> None:
    record = SelectionRecord(measure="score", options=[], weights=[], kept=[4, 1], total=1200, cost=None)
    made = SelectionMade(stage="search", number=0, selection=record, seconds=0)
    assert RunWords().beside(made) == ["Kept 2 of 1,200 options, by score"]


@pytest.mark.parametrize(
    ("stage", "starts", "words"),
    [
        ("link", (), "what the question is about · 12 options"),
        ("search", (0, 0), "what to follow from KNIGHT RIDER · 12 options"),
        ("search", (0, 1), "what to follow · 12 options"),
        ("prune", (), "which condition must hold · 12 options"),
        ("infer", (), "where the answer stands · 12 options"),
        ("plan", (), "decision 3 · 12 options"),
    ],
)
def test_a_run_that_stopped_says_which_decision_is_open(stage: str, starts: tuple[int, ...], words: str) -> None:
    relation = RelationRecord(id="r", label="actor", context="", reverse=False)
    options = [
        StepOptionRecord(
            index=i, probability=None, position=start, relation=relation, leads_to="entity", entities=1, facts=1
        )
        for i, start in enumerate(starts)
    ]
    undecided = Undecided(stage=stage, number=2, options=list(options), total=12)
    assert words_after(told("condition")[:3]).beside(undecided) == ["Stopped before a decision", words]


def test_readings_are_told_with_their_probabilities() -> None:
    log = told("readings")
    rounds = [event for event in log if isinstance(event, ReadingsKept)]
    best = words_after(log[: log.index(rounds[-1]) + 1]).readings(rounds[-1])[0]
    assert best == (
        rounds[-1].kept[0].probability,
        "KNIGHT RIDER → REGULAR CAST → ACTOR, where CHARACTER is KITT · complete",
    )
    others = words_after(log).readings(log[-1])
    assert [words for _, words in others] == [
        "KITT: no answer found",
        "KNIGHT RIDER → REGULAR CAST → ACTOR: DAVID HASSELHOFF, EDWARD MULHARE, WILLIAM DANIELS",
    ]
    shares = [probability for probability, _ in others]
    assert shares == sorted(shares, reverse=True)


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
