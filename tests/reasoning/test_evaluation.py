"""The figures of an evaluation, worked out by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kgstore.terms import Entity
from reasoning.evaluation import Evaluation, compare, evaluate, evaluate_phrasing
from reasoning.questions import read_question
from tests.reasoning.rules import KITT, RuleScorer

if TYPE_CHECKING:
    from kgstore.store import GraphStore
    from reasoning.questions import SampleQuestion

A, B, C, D = (Entity(f"en.{name}") for name in "abcd")

VOICE = read_question(
    {
        "id": "toy-1",
        "phrasings": ["who plays the voice of KITT in Knight Rider?"],
        "topic": "en.knight_rider",
        "search": [
            [0, "tv.tv_program.regular_cast"],
            [1, "tv.regular_tv_appearance.actor"],
            [1, "tv.regular_tv_appearance.character"],
        ],
        "constraints": [[3, "=", "en.kitt"]],
        "answer": 2,
        "answers": ["en.william_daniels"],
    }
)
BUDGET = read_question(
    {
        "id": "toy-2",
        "phrasings": ["what did Knight Rider cost", "the budget of Knight Rider?"],
        "topic": "en.knight_rider",
        "unanswerable": "no costs are known",
    }
)


@pytest.mark.parametrize(
    ("predicted", "gold", "hit", "first", "exact", "precision", "recall", "f1"),
    [
        ([A], {A}, True, True, True, 1, 1, 1),
        ([B, A], {A}, True, False, False, 1 / 2, 1, 2 / 3),
        ([A, B, C, D], {A, B}, True, True, False, 1 / 2, 1, 2 / 3),
        ([A], {A, B, C}, True, True, False, 1, 1 / 3, 1 / 2),
        ([B], {A}, False, False, False, 0, 0, 0),
        ([], {A}, False, False, False, 0, 0, 0),
        ([], set(), False, False, False, 0, 0, 0),
    ],
)
def test_answers_are_compared(
    predicted: list[Entity],
    gold: set[Entity],
    hit: bool,
    first: bool,
    exact: bool,
    precision: float,
    recall: float,
    f1: float,
) -> None:
    found = compare(predicted, frozenset(gold))
    assert (found.hit, found.hit_first, found.exact) == (hit, first, exact)
    assert (found.precision, found.recall, found.f1) == pytest.approx((precision, recall, f1))


def test_a_right_run_is_c1_and_every_decision_is_right(toy: GraphStore) -> None:
    outcome = evaluate_phrasing(VOICE, VOICE.phrasings[0], toy, KITT)
    assert outcome.case == "C1"
    assert outcome.comparison.exact
    assert outcome.topic_right
    assert {kind for kind, _ in outcome.decisions} >= {"topic", "step", "stop", "constraint"}
    assert all(right for _, right in outcome.decisions)
    assert outcome.seconds > 0


WITHOUT_CONSTRAINT = RuleScorer(
    (
        "about en.knight_rider",
        "0 tv.tv_program.regular_cast",
        "1 tv.regular_tv_appearance.actor",
        "1 tv.regular_tv_appearance.character",
        "none",
        "answer 2",
    )
)
WRONG_POSITION = RuleScorer((*WITHOUT_CONSTRAINT.wishes[:-2], "3 = en.devon_miles", "none", "answer 2"))
NOWHERE = RuleScorer(("about en.knight_rider", "0 tv.tv_program.program_creator", "none", "answer 1"))


@pytest.mark.parametrize(
    ("scorer", "case", "precision", "recall"),
    [
        # All three actors, the right one not first: David Hasselhoff and Edward Mulhare come before William Daniels.
        (WITHOUT_CONSTRAINT, "E2", 1 / 3, 1),
        # No target is pruned: the wish is for a character that the question does not name.
        (WRONG_POSITION, "E2", 1 / 3, 1),
        (NOWHERE, "E1", 0, 0),
    ],
)
def test_an_error_has_its_case(toy: GraphStore, scorer: RuleScorer, case: str, precision: float, recall: float) -> None:
    outcome = evaluate_phrasing(VOICE, VOICE.phrasings[0], toy, scorer)
    assert outcome.case == case
    assert (outcome.comparison.precision, outcome.comparison.recall) == pytest.approx((precision, recall))


def test_an_answer_that_was_found_but_not_told_is_e3(toy: GraphStore) -> None:
    scorer = RuleScorer((*WITHOUT_CONSTRAINT.wishes[:-1], "answer 3"))
    assert evaluate_phrasing(VOICE, VOICE.phrasings[0], toy, scorer).case == "E3"


def test_the_figures_sum_up_answered_and_refused_questions(toy: GraphStore) -> None:
    refuses = RuleScorer(("about en.knight_rider", "none"))
    evaluation = Evaluation()
    evaluation.outcomes.append(evaluate_phrasing(VOICE, VOICE.phrasings[0], toy, KITT))
    evaluation.outcomes.append(evaluate_phrasing(VOICE, VOICE.phrasings[0], toy, WITHOUT_CONSTRAINT))
    evaluation.outcomes.append(evaluate_phrasing(VOICE, VOICE.phrasings[0], toy, refuses))
    evaluation.outcomes.append(evaluate_phrasing(BUDGET, BUDGET.phrasings[0], toy, refuses))
    evaluation.outcomes.append(evaluate_phrasing(BUDGET, BUDGET.phrasings[1], toy, NOWHERE))
    figures = evaluation.figures()
    answerable = figures["answerable"]
    assert answerable["hits_at_1"] == pytest.approx(1 / 3)
    assert answerable["hit"] == pytest.approx(2 / 3)
    assert answerable["macro_f1"] == pytest.approx((1 + 1 / 2 + 0) / 3)
    assert answerable["precision"] == pytest.approx((1 + 1 / 3 + 0) / 3)
    assert answerable["recall"] == pytest.approx(2 / 3)
    assert answerable["paper_f1"] == pytest.approx(2 * (4 / 9) * (2 / 3) / (4 / 9 + 2 / 3))
    assert answerable["turned_away"] == pytest.approx(1 / 3)
    assert answerable["cases"] == {"C1": 1, "E1": 1, "E2": 1}
    assert figures["unanswerable"] == {"phrasings": 2, "recognised": 1, "questions": 1, "questions_recognised": 0}
    assert figures["linking"] == 1
    assert figures["phrasings"] == 5
    assert figures["decisions"]["constraint"] == {"made": 3, "right": pytest.approx(1 / 3)}
    assert figures["seconds"]["longest"] >= figures["seconds"]["mean"] > 0


def test_every_phrasing_of_every_question_is_asked(toy: GraphStore) -> None:
    asked: list[str] = []
    questions: list[SampleQuestion] = [VOICE, BUDGET]
    evaluation = evaluate(questions, toy, KITT, progress=lambda _, outcome: asked.append(outcome.phrasing))
    assert asked == [*VOICE.phrasings, *BUDGET.phrasings]
    assert len(evaluation.outcomes) == 3
