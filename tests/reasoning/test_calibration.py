"""Confidence compared with the share of right answers."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reasoning.datasets.question import is_validation
from reasoning.engine.engine import answer
from reasoning.evaluation.reporting.calibration import reliability
from reasoning.events import Finished
from reasoning.narration.wording import RunWords
from reasoning.scorers.calibration import Calibration
from tests.reasoning.outcomes import outcome
from tests.reasoning.rules import KITT, KITT_QUESTION, RuleScorer

if TYPE_CHECKING:
    from kgstore.store import GraphStore
    from reasoning.evaluation.judging.outcome import Outcome


def judged_outcome(confidence: float | None, *, right: bool, number: int = 0) -> Outcome:
    answers = ("m.1",)
    return replace(outcome(), id=f"q{number}", confidence=confidence, hit_first=right, predicted=answers)


def sample(claims: str, count: int, *, seed: int = 1) -> list[Outcome]:
    """Answers of which a share is right that is as claimed, or less than claimed."""
    chance = random.Random(seed)
    outcomes = []
    for number in range(count):
        claimed = chance.random()
        true = claimed if claims == "true" else claimed**3
        outcomes.append(judged_outcome(claimed, right=chance.random() < true, number=number))
    return outcomes


def test_the_error_is_the_mean_distance_of_claim_and_truth() -> None:
    outcomes = [
        judged_outcome(0.95, right=True),
        judged_outcome(0.95, right=False),
        judged_outcome(0.15, right=False),
        judged_outcome(0.15, right=False),
    ]
    found = reliability(outcomes)
    assert found is not None
    assert found["ece"] == pytest.approx((0.45 * 2 + 0.15 * 2) / 4)
    assert [(one["low"], one["questions"], one["right"]) for one in found["bins"]] == [(0.1, 2, 0.0), (0.9, 2, 0.5)]
    assert (found["corrected_ece"], found["correction"]) == (None, None)


def test_what_reported_no_probability_or_answered_nothing_is_left_out() -> None:
    assert (
        reliability([judged_outcome(None, right=True), replace(judged_outcome(0.5, right=False), predicted=())]) is None
    )
    assert reliability([]) is None


_LEARNED = Calibration(0.5, -1.0)


@dataclass(frozen=True)
class Corrected(RuleScorer):
    """A scorer for whose answers a correction was learned."""

    def calibration_over(self, store: GraphStore) -> Calibration:
        del store
        return _LEARNED


def test_a_correction_that_was_learned_from_answers_speaks_of_answers_alone(toy: GraphStore) -> None:
    (*_, answered) = answer(KITT_QUESTION, toy, Corrected(KITT.wishes))
    assert isinstance(answered, Finished)
    assert answered.confidence is not None
    assert answered.calibrated == _LEARNED(answered.confidence)
    (*_, stopped) = answer(KITT_QUESTION, toy, Corrected(()))
    assert isinstance(stopped, Finished)
    assert (stopped.verdict, stopped.calibrated) == ("no_answer_found", None)
    assert stopped.confidence is not None
    assert RunWords().confidence(stopped).endswith(" %, not calibrated")


def test_a_confidence_of_one_falls_into_the_last_bin() -> None:
    found = reliability([judged_outcome(1.0, right=True)])
    assert found is not None
    assert [(one["low"], one["high"]) for one in found["bins"]] == [(0.9, 1.0)]
    assert found["ece"] == 0


def test_claims_that_are_true_need_no_correction() -> None:
    found = reliability(sample("true", 4_000))
    assert found is not None
    assert found["ece"] < 0.03
    assert found["correction"]["slope"] == pytest.approx(1, abs=0.1)
    assert found["correction"]["intercept"] == pytest.approx(0, abs=0.1)


def test_claims_that_are_too_large_are_corrected_on_questions_that_were_held_out() -> None:
    found = reliability(sample("too large", 4_000))
    assert found is not None
    assert found["ece"] > 0.2
    assert found["corrected_ece"] < found["ece"] / 4


def test_the_questions_of_a_split_have_two_halves() -> None:
    """Splits are drawn by a hash of the id too."""
    held_out = [f"q{number}" for number in range(400) if is_validation(f"q{number}")]
    outcomes = [replace(judged_outcome(0.7, right=number % 3 > 0), id=name) for number, name in enumerate(held_out)]
    found = reliability(outcomes)
    assert found is not None
    assert found["corrected_ece"] is not None


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=60))
def test_a_correction_keeps_the_order_and_stays_a_probability(pairs: list[tuple[float, bool]]) -> None:
    confidences, right = [c for c, _ in pairs], [r for _, r in pairs]
    corrected = Calibration.fitted(confidences, right)
    again = Calibration.from_json(corrected.to_json())
    assert all(0 <= again(c) <= 1 for c in (*confidences, 0.0, 1.0))


@pytest.mark.parametrize(
    ("confidences", "right"),
    [
        ([0.999999] * 20, [False] * 20),
        ([0.99] * 5 + [0.01] * 5, [False] * 5 + [True] * 5),
        ([1.0] * 30 + [0.5] * 3, [True] * 15 + [False] * 15 + [True] * 3),
        ([0.9, 0.95, 0.99, 0.999, 0.99999, 1.0] * 4, [False] * 24),
        ([0.0] * 40, [True] * 40),
        ([1.0] * 100, [False] * 100),
        ([0.6, 0.7, 0.8, 0.9], [True, False, True, True]),
        ([0.3], [True]),
        ([], []),
    ],
)
def test_no_correction_nearby_makes_the_answers_likelier(confidences: list[float], right: list[bool]) -> None:
    found = Calibration.fitted(confidences, right)

    def unlikely(slope: float, intercept: float) -> float:
        """Minus the log of the likelihood, and of a normal prior of variance one around no correction."""
        drawn = ((slope - 1) ** 2 + intercept**2) / 2
        for confidence, one in zip(confidences, right, strict=True):
            inside = min(max(confidence, 1e-6), 1 - 1e-6)
            moved = slope * math.log(inside / (1 - inside)) + intercept
            drawn += math.log1p(math.exp(-moved if one else moved))
        return drawn

    best = unlikely(found.slope, found.intercept)
    step = 1e-3
    for slope, intercept in ((step, 0), (-step, 0), (0, step), (0, -step)):
        assert best < unlikely(found.slope + slope, found.intercept + intercept)


def test_each_confidence_has_its_answer() -> None:
    with pytest.raises(ValueError, match="shorter"):
        Calibration.fitted([0.5, 0.6], [True])


@pytest.mark.parametrize(("slope", "intercept", "corrected"), [(1, 0, 0.75), (0, 0, 0.5), (2, 0, 0.9), (1, 2, 0.9569)])
def test_log_odds_are_stretched_and_moved(slope: float, intercept: float, corrected: float) -> None:
    one = Calibration(slope, intercept)
    assert one(0.75) == pytest.approx(corrected, abs=1e-4)
    assert one.of_log_odds(math.log(3)) == pytest.approx(corrected, abs=1e-4)
    # Certainty is not certain.
    assert Calibration(1, 0)(1.0) == pytest.approx(1 - 1e-6)
    assert Calibration(1, 0)(0.0) == pytest.approx(1e-6)
