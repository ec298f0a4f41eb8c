"""READS, several readings: they are weighed as wholes."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reasoning import events
from reasoning.core.options import Stage
from reasoning.core.switches import EngineSwitches
from reasoning.engine.engine import answer, go_on
from reasoning.narration.replay import decisions_made
from reasoning.run.continuation import Continuation, Replace
from reasoning.run.run import RunLimits
from reasoning.scorers.base import Cost, Distribution
from tests.reasoning.rules import KITT, KITT_QUESTION, Arbitrary, Counting, Witness

if TYPE_CHECKING:
    from kgstore.store import GraphStore
    from reasoning.core.options import DecisionState, OptionPool
    from reasoning.scorers.base import Scorer

QUESTIONS = (KITT_QUESTION, "who won the last Super Bowl before 2013", "what does jamaican people speak", "green ideas")
anything = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=40)


def run(
    store: GraphStore, scorer: Scorer, question: str = KITT_QUESTION, *, width: int = 3, strategy: str = "beam"
) -> list[events.StageEvent]:
    switches = EngineSwitches.of(width=width)
    return list(answer(question, store, scorer, strategy=strategy, switches=switches, limits=RunLimits(steps=4)))


def end(emitted: list[events.StageEvent]) -> events.Finished:
    last = emitted[-1]
    assert isinstance(last, events.Finished)
    return last


def topic(emitted: list[events.StageEvent]) -> str:
    (linked,) = (event for event in emitted if isinstance(event, events.EntityLinked))
    assert linked.topic is not None
    return linked.topic.label


def probability(emitted: list[events.StageEvent]) -> float:
    found = end(emitted).confidence
    assert found is not None
    return found


@pytest.mark.slow
@anything
@given(st.sampled_from(QUESTIONS), st.integers(0, 10_000))
def test_a_width_of_one_is_reads(toy: GraphStore, question: str, seed: int) -> None:
    alike = []
    for strategy in ("reads", "beam"):
        documents = [
            event.model_dump(mode="json") for event in run(toy, Arbitrary(seed), question, width=1, strategy=strategy)
        ]
        for document in documents:
            document.pop("seconds", None)
            document.pop("strategy", None)
        alike.append(documents)
    assert alike[0] == alike[1]


@pytest.mark.slow
@anything
@given(st.sampled_from(QUESTIONS), st.integers(0, 10_000), st.integers(2, 6))
def test_readings_come_in_the_order_of_their_joint_probability(
    toy: GraphStore, question: str, seed: int, width: int
) -> None:
    shown = run(toy, Arbitrary(seed), question, width=width)
    finished = end(shown)
    others = [reading.probability for reading in finished.readings or []]
    assert len(others) < width
    if finished.verdict == "not_in_graph" or finished.reason == "another_kind":
        return
    shares = [probability(shown), *others]
    assert shares == sorted(shares, reverse=True)
    assert sum(shares) <= 1 + 1e-9
    records = [made.record for made in decisions_made(shown) if made.record is not None]
    chosen = [next(o.probability for o in record.options if o.index == record.chosen) for record in records]
    assert probability(shown) == pytest.approx(prod(share for share in chosen if share is not None))


def test_a_wide_beam_finds_the_most_probable_reading_of_all(toy: GraphStore) -> None:
    scorer = Arbitrary(5)
    limits = RunLimits(steps=2, constraints=1)
    every = EngineSwitches.of(width=100_000)
    shown = list(answer(KITT_QUESTION, toy, scorer, strategy="beam", switches=every, limits=limits))
    readings = end(shown).readings or []
    assert len(readings) > 15
    best = 0.0
    for width in (1, 2, 5, 20):
        narrow = list(
            answer(KITT_QUESTION, toy, scorer, strategy="beam", switches=EngineSwitches.of(width=width), limits=limits)
        )
        assert probability(narrow) >= best * (1 - 1e-9), "a wider beam is no worse here"
        best = max(best, probability(narrow))
    assert probability(shown) >= best
    assert sum(r.probability for r in readings) + probability(shown) <= 1 + 1e-9


def test_a_second_look_may_overrule_the_first(toy: GraphStore) -> None:
    """The topic that seems likelier leads nowhere: READS is stuck with it, and a width is not."""

    class Doubtful:
        """Takes KITT for the topic at first, and then finds that nothing fits it."""

        name = "doubtful"

        def score(self, state: DecisionState, pool: OptionPool, *, best: int | None = None) -> Distribution:
            if state.stage is Stage.LINK:
                shares = [0.6 if str(option.choice) == "en.kitt" else 0.4 for option in pool.options]
                return Distribution(dict(enumerate(shares)), 0.0, Cost(1))
            right = KITT.score(state, pool, best=best)
            if state.structure.nodes[0].name == "KITT":
                return Distribution(dict.fromkeys(range(len(pool)), 1 / len(pool)), 0.0, Cost(1))
            sharp = [right.probabilities[index] ** 4 for index in range(len(pool))]
            return Distribution({i: share / sum(sharp) for i, share in enumerate(sharp)}, 0.0, Cost(1))

    narrow, wide = run(toy, Doubtful(), width=1), run(toy, Doubtful(), width=3)
    assert topic(narrow) == "KITT"
    assert topic(wide) == "Knight Rider"
    assert [answer.term.label for answer in end(wide).answers] == ["William Daniels"]
    assert probability(wide) > probability(narrow)


def test_what_comes_to_nothing_is_a_reading_too(toy: GraphStore) -> None:
    finished = end(run(toy, Arbitrary(2), "what was the budget of Knight Rider?", width=5))
    verdicts = {finished.verdict, *(reading.verdict for reading in finished.readings or [])}
    assert "answered" in verdicts
    for reading in finished.readings or []:
        assert (reading.verdict == "answered") == (reading.answers_total > 0)
        assert len(reading.answers) == min(reading.answers_total, 5)


def test_each_round_says_what_it_kept_of_how_many_and_what_it_took(toy: GraphStore) -> None:
    emitted = run(toy, KITT)
    rounds = [event for event in emitted if isinstance(event, events.ReadingsKept)]
    assert [event.round for event in rounds] == [*range(1, len(rounds) + 1)]
    kept = 1
    for event in rounds:
        assert all(record.parent < kept for record in event.kept)
        assert len(event.kept) <= event.considered
        kept = len(event.kept)
    assert all(record.over for record in rounds[-1].kept)
    best = [event.kept[0] for event in rounds]
    assert [(record.stage, record.number) for record in best if record.decision is not None] == [
        (str(made.stage), made.number) for made in decisions_made(emitted) if made.record is not None
    ]
    assert all((record.stage, record.number) == (None, None) for record in best if record.decision is None)
    calls = sum(cost.calls for event in rounds for cost in event.costs.values())
    assert calls == end(emitted).cost.calls


def test_a_change_drops_the_rounds_and_goes_on_with_the_width(toy: GraphStore) -> None:
    shown = run(toy, KITT)
    position = next(made for made in decisions_made(shown) if made.stage is Stage.INFER)
    scorer = Counting(KITT)
    again = list(
        go_on(
            KITT_QUESTION,
            toy,
            scorer,
            Continuation(tuple(shown), Replace(Stage.INFER, 0, position.choice)),
            strategy="beam",
        )
    )
    assert scorer.asked == 0
    assert end(again).answers == end(shown).answers


def test_a_model_is_shown_what_it_is_shown_without_a_width(toy: GraphStore) -> None:
    narrow, wide = Witness(KITT.wishes), Witness(KITT.wishes)
    assert end(run(toy, narrow, width=1)).answers == end(run(toy, wide, width=3)).answers
    shown = [state for state, _ in wide.seen]
    for state, _ in narrow.seen:
        assert state in shown


def test_other_readings_say_how_far_they_came(toy: GraphStore) -> None:
    finished = end(run(toy, Arbitrary(4), "what was the budget of Knight Rider?", width=8))
    readings = finished.readings or []
    assert {reading.verdict for reading in readings} == {"answered", "no_answer_found", "conditions_leave_nothing"}
    for reading in readings:
        assert [node.position for node in reading.nodes] == [*range(len(reading.nodes))]
        assert len(reading.nodes) > 1
        assert (reading.position is None) == (reading.verdict == "no_answer_found")
