"""Every metric against cases that were worked out by hand."""

from __future__ import annotations

from typing import get_args

import pytest

from kgstore.terms import Date, Entity, Relation
from reasoning.core.derivation import Constraint, Derivation, Operator, SearchStep
from reasoning.evaluation.judging.cases import Case, case_of
from reasoning.evaluation.metrics.metrics import (
    best_over,
    compare,
    graph_hit,
    macro_f1,
    paper_f1,
    plain_relations,
    relation_recall,
)
from reasoning.evaluation.metrics.structure_size import hops, structure_size

A, B, C, D = (Entity(f"en.{name}") for name in "abcd")


@pytest.mark.parametrize(
    ("predicted", "gold", "hit", "first", "exact", "precision", "recall", "f1"),
    [
        ([A], {A}, True, True, True, 1, 1, 1),
        ([B, A], {A}, True, False, False, 1 / 2, 1, 2 / 3),
        ([A, B, C, D], {A, B}, True, True, False, 1 / 2, 1, 2 / 3),
        ([A], {A, B, C}, True, True, False, 1, 1 / 3, 1 / 2),
        ([A, A], {A}, True, True, True, 1, 1, 1),
        ([B], {A}, False, False, False, 0, 0, 0),
        # What WebQSP's official script says where one side is empty.
        ([], {A}, False, False, False, 1, 0, 0),
        ([A], set(), False, False, False, 0, 1, 0),
        ([], set(), True, True, True, 1, 1, 1),
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


def test_the_best_parse_counts_and_of_equals_the_first() -> None:
    # F1 2/3 by {A}, 4/5 by {A, B, C}; B is first only in the second.
    found, parse = best_over([B, A], [frozenset({A}), frozenset({A, B, C})])
    assert parse == 1
    assert (found.precision, found.recall, found.f1) == pytest.approx((1, 2 / 3, 4 / 5))
    assert (found.hit, found.hit_first, found.exact) == (True, True, False)
    _, parse = best_over([A], [frozenset({A, B}), frozenset({A, C})])
    assert parse == 0
    # A parse without answers is met by saying nothing.
    found, parse = best_over([], [frozenset({A}), frozenset()])
    assert (parse, found.f1, found.exact) == (1, 1, True)
    # A wrong answer has F1 0 by each. The script prefers the parse with answers, where recall is 0 and not 1.
    found, parse = best_over([B], [frozenset(), frozenset({A})])
    assert (parse, found.precision, found.recall) == (1, 0, 0)
    with pytest.raises(ValueError, match="empty"):
        best_over([A], [])


def test_the_papers_f1_is_no_mean_of_f1s() -> None:
    # Two questions: P 1, R 1/3 (F1 1/2); P 1/2, R 1 (F1 2/3).
    assert macro_f1([1 / 2, 2 / 3]) == pytest.approx(7 / 12)
    assert paper_f1([1, 1 / 2], [1 / 3, 1]) == pytest.approx(2 * (3 / 4) * (2 / 3) / (3 / 4 + 2 / 3))
    assert paper_f1([0], [0]) == 0


def test_a_graph_hit_is_any_gold_answer_at_any_position() -> None:
    assert graph_hit([{B}, {C, A}], [frozenset({A, D})])
    assert graph_hit([{B}], [frozenset({A}), frozenset({B})])
    assert not graph_hit([{B}, {C}], [frozenset({A, D})])
    assert not graph_hit([], [frozenset({A})])


def derivation(*relations: str, constraints: tuple[Constraint, ...] = (), answer: int | None = None) -> Derivation:
    """Steps as ``position relation``, or along a chain where no position is told."""
    steps = []
    for number, text in enumerate(relations):
        at, _, name = text.rpartition(" ")
        steps.append(SearchStep(int(at) if at else number, Relation.parse(name)))
    return Derivation(A, tuple(steps), constraints, len(steps) if answer is None else answer)


@pytest.mark.parametrize(
    ("predicted", "gold", "share"),
    [
        (("t.r", "t.s"), ("t.r", "t.s"), 1),
        (("t.r", "t.x"), ("t.r", "t.s"), 1 / 2),
        (("t.r", "t.s", "t.x"), ("t.r",), 1),
        (("^t.r",), ("t.r",), 0),
        # Freebase says both, and they say the same.
        (("^film.director.film",), ("film.film.directed_by",), 1),
        (("^film.film.directed_by",), ("film.director.film",), 1),
        (("film.film.directed_by",), ("film.director.film",), 0),
        # A mediator that the graph has dropped.
        (("film.film.starring|film.performance.actor",), ("film.film.starring", "film.performance.actor"), 1),
        (("^film.film.starring|film.performance.actor",), ("^film.performance.actor", "^film.film.starring"), 1),
        (("film.film.starring|film.performance.actor",), ("film.film.starring", "film.performance.character"), 1 / 2),
    ],
)
def test_relation_recall(predicted: tuple[str, ...], gold: tuple[str, ...], share: float) -> None:
    assert relation_recall(derivation(*predicted), derivation(*gold)) == pytest.approx(share)


def test_without_a_run_no_relation_is_recalled() -> None:
    assert relation_recall(None, derivation("t.r")) == 0


def test_a_joined_relation_is_read_in_the_order_of_the_walk() -> None:
    assert [str(part) for part in plain_relations(Relation.parse("t.a|t.b"))] == ["t.a", "t.b"]
    assert [str(part) for part in plain_relations(Relation.parse("^t.a|t.b"))] == ["^t.b", "^t.a"]


@pytest.mark.parametrize(
    ("graph_hit", "hit", "first", "case"),
    [
        (True, True, True, "C1"),
        (False, True, True, "C2"),
        (False, False, False, "E1"),
        (True, True, False, "E2"),
        (True, False, False, "E3"),
    ],
)
def test_every_error_has_its_case(graph_hit: bool, hit: bool, first: bool, case: str) -> None:
    assert case_of(graph_hit=graph_hit, hit=hit, hit_first=first) == case
    assert case in get_args(Case)


def within(date: str) -> tuple[Constraint, Constraint]:
    return Constraint(4, Operator.AT_MOST, Date(date)), Constraint(5, Operator.AT_LEAST, Date(date))


@pytest.mark.parametrize(
    ("gold", "ends", "steps"),
    [
        (derivation("t.r"), 2, 1),
        (derivation("t.r", "t.s", "t.t"), 2, 3),
        # A condition in addition to the answer: topic, answer, condition.
        (derivation("0 t.r", "1 t.s", "1 t.c", answer=2), 3, 2),
        # An office and the years it was held: each bound of a range is an end of its own.
        (derivation("0 t.r", "1 t.s", "1 t.c", "1 t.from", "1 t.to", constraints=within("1990-05-01"), answer=2), 5, 2),
        # Without a demand on them they are two ends.
        (derivation("0 t.r", "1 t.s", "1 t.c", "1 t.from", "1 t.to", answer=2), 5, 2),
        # The answer leads on to a condition.
        (derivation("0 t.r", "1 t.c", answer=1), 2, 1),
    ],
)
def test_leaves_and_hops(gold: Derivation, ends: int, steps: int) -> None:
    assert (structure_size(gold).leaves, hops(gold)) == (ends, steps)
