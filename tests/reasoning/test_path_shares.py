"""Search decisions as marginals of a distribution over whole paths."""

from __future__ import annotations

import math

import pytest

from kgstore.terms import Date, Entity, Relation, TermKind
from reasoning.core.derivation import SearchStep
from reasoning.core.options import DecisionState, Mention, NoneOption, OptionPool, Stage, StepOption
from reasoning.core.structure import ROOT, AbstractStructure
from reasoning.run.path_shares import PathShares, branch_places, ends_here, with_branches

WORKS, LED, BORN = Relation("works_in"), Relation("led_by"), Relation("born")
SHARES = PathShares.of_scores([(WORKS,), (WORKS, LED), (LED,), ()], [math.log(x) for x in (0.2, 0.5, 0.2, 0.1)])


def step(position: int, relation: Relation, kind: TermKind = TermKind.ENTITY) -> StepOption:
    return StepOption(SearchStep(position, relation), 1, 1, kind)


def asking(question: str, *targets: Mention) -> DecisionState:
    return DecisionState(Stage.SEARCH, question, AbstractStructure.rooted("Anna"), None, targets)


def test_a_step_has_the_share_of_all_paths_that_take_it() -> None:
    pool = OptionPool((step(ROOT, WORKS), step(ROOT, LED), step(ROOT, BORN), NoneOption()))
    assert SHARES.marginals(AbstractStructure.rooted("Anna"), pool) == pytest.approx([0.7, 0.2, 0.0, 0.1])


def test_none_has_the_share_of_the_path_that_ends_here() -> None:
    structure = AbstractStructure.rooted("Anna").grow(ROOT, WORKS, TermKind.ENTITY)
    pool = OptionPool((step(ROOT, LED), step(1, LED), NoneOption()))
    assert SHARES.marginals(structure, pool) == pytest.approx([0.0, 5 / 7, 2 / 7])


def test_after_another_choice_the_rest_is_normalized_again() -> None:
    structure = AbstractStructure.rooted("Anna").grow(ROOT, LED, TermKind.ENTITY)
    assert SHARES.marginals(structure, OptionPool((step(1, BORN), NoneOption()))) == pytest.approx([0.0, 1.0])


def test_a_structure_that_no_path_begins_with_is_left_to_the_scorer() -> None:
    structure = AbstractStructure.rooted("Anna").grow(ROOT, BORN, TermKind.DATE)
    assert SHARES.marginals(structure, OptionPool((step(ROOT, LED), NoneOption()))) is None


def test_only_a_compared_date_or_a_named_target_is_a_branch() -> None:
    pool = OptionPool((step(1, LED), step(1, BORN, TermKind.DATE), NoneOption()))
    assert branch_places(pool, asking("who works there")) == []
    assert branch_places(pool, asking("who is the oldest there")) == [2, 1]
    assert branch_places(pool, asking("who was born there third")) == [2, 1]
    assert branch_places(pool, asking("1990", Mention(0, 4, Date("1990")))) == [2, 1]
    reaching = OptionPool((StepOption(SearchStep(1, LED), 1, 1, TermKind.ENTITY, (Entity("m.x"),)), NoneOption()))
    assert branch_places(reaching, asking("who works there")) == [1, 0]


def test_a_mediator_is_a_branch_where_an_entity_is_named() -> None:
    pool = OptionPool((step(1, LED, TermKind.MEDIATOR), step(1, BORN, TermKind.DATE), NoneOption()))
    assert branch_places(pool, asking("who works there")) == []
    assert branch_places(pool, asking("who works with Bo", Mention(15, 17, Entity("m.bo")))) == [2, 0]


def test_the_share_of_the_end_is_divided_among_branches() -> None:
    pool = OptionPool((step(1, LED), step(1, BORN, TermKind.DATE), NoneOption()))
    assert ends_here([0.2, 0.0, 0.8], pool)
    divided = with_branches([0.2, 0.0, 0.8], pool, [2, 1], {0: 0.5, 1: 0.4, 2: 0.1})
    assert divided == pytest.approx([0.2, 0.64, 0.16])
    assert sum(divided) == pytest.approx(1)
