"""Decisions that are taken without asking a model: what fits is taken, and what does not is named."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kgstore.terms import Entity, Relation
from reasoning.core.derivation import Constraint, Operator, SearchStep
from reasoning.core.errors import InvalidDecisionError
from reasoning.core.options import AnswerOption, ConstraintOption, NoneOption, OptionPool, Stage
from reasoning.events import (
    ConstraintOptionRecord,
    ConstraintRecord,
    DecisionRecord,
    NoneOptionRecord,
    OptionRecord,
    TermRecord,
)
from reasoning.narration.replay import Made
from reasoning.run.decisions import GivenDecisions, Later, with_choice

TOLD: list[OptionRecord] = [
    ConstraintOptionRecord(
        index=0,
        probability=None,
        constraint=ConstraintRecord(
            position=1, operator="=", target=TermRecord(id="en.kitt", label="KITT", kind="entity")
        ),
    ),
    NoneOptionRecord(index=1, probability=None),
]
GROWS, GROWS_ON = SearchStep(1, Relation("a.b.c")), SearchStep(2, Relation("a.b.d"))
END = OptionPool((NoneOption(),))


def condition(position: int) -> Constraint:
    return Constraint(position, Operator.EQUAL, Entity("en.kitt"))


def test_what_grew_from_what_is_gone_is_gone_too() -> None:
    waiting = (
        Made(Stage.SEARCH, 1, GROWS, None),
        Made(Stage.SEARCH, 2, GROWS_ON, None),
        Made(Stage.SEARCH, 3, None, None),
        Made(Stage.PRUNE, 0, condition(3), None),
        Made(Stage.PRUNE, 1, None, None),
    )
    taken = Later(waiting, moved={0: 0}, gone=frozenset({1})).take(Stage.SEARCH, 0, END)
    assert taken is not None
    choice, after = taken
    assert choice is None
    taken = after.take(Stage.PRUNE, 0, END)
    assert taken is not None
    assert taken[0] is None


def test_a_condition_that_is_gone_takes_no_other_along() -> None:
    waiting = (
        Made(Stage.PRUNE, 0, condition(5), None),
        Made(Stage.PRUNE, 1, condition(1), None),
        Made(Stage.PRUNE, 2, None, None),
    )
    # The node of the second one is neither there nor taken out, so the decision is open.
    assert Later(waiting, moved={0: 0}, gone=frozenset({5})).take(Stage.PRUNE, 0, END) is None


@pytest.mark.parametrize(("chosen", "is_told"), [(1, True), (0, False)])
def test_a_decision_is_reported_as_it_was_only_where_the_pool_is_as_it_was(chosen: int, *, is_told: bool) -> None:
    record = DecisionRecord(options=TOLD, total=2, rest_probability=0.0, chosen=chosen, given=False)
    given = GivenDecisions({(Stage.PRUNE, 0): None}, {(Stage.PRUNE, 0): record})
    taken = given.take(Stage.PRUNE, 0, OptionPool((ConstraintOption(condition(1)), NoneOption())))
    assert taken is not None
    assert (taken.chosen, taken.record) == (1, record if is_told else None)


def test_what_is_kept_later_is_reported_as_it_was_but_alone_not_as_the_run_itself_decided_it() -> None:
    record = DecisionRecord(options=TOLD, total=2, rest_probability=0.0, chosen=1, given=False)
    first, second = (Stage.PRUNE, 0), (Stage.PRUNE, 1)
    pool = OptionPool((ConstraintOption(condition(1)), NoneOption()))
    given = GivenDecisions({first: None}, dict.fromkeys((first, second), record), again={second: None})
    later = Later((Made(*second, None, None),), moved={})
    for own, tells in ((given, record), (given.alone(), None)):
        for place, decisions, as_it_was in ((first, own, record), (second, replace(own, later=later), tells)):
            taken = decisions.take(*place, pool)
            assert taken is not None
            assert (taken.chosen, taken.record) == (1, as_it_was)
    assert given.alone().take(*second, pool) is None


@pytest.mark.parametrize(
    ("choice", "why"),
    [
        (GROWS, "no entity at position 1 has the relation a.b.c, or it was taken before"),
        (3, "position 3 cannot hold the answer"),
        (None, "the stage cannot end here"),
    ],
)
def test_what_does_not_fit_is_named(choice: SearchStep | int | None, why: str) -> None:
    with pytest.raises(InvalidDecisionError) as refused:
        with_choice(OptionPool((AnswerOption(2),)), choice)
    assert refused.value.for_people == f"The given decision does not fit this graph: {why}."
