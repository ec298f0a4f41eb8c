"""Which questions are to be labelled next."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kgstore.terms import Entity, Relation
from reasoning.core.derivation import SearchStep
from reasoning.core.options import Stage
from reasoning.engine.engine import answer
from reasoning.labels.worth_labelling import Candidate, disagreement, doubt, in_order, kind_of, steps_made
from reasoning.narration.replay import Made, decisions_made
from reasoning.scorers.lexical import LexicalScorer
from tests.reasoning.rules import KITT_QUESTION

if TYPE_CHECKING:
    from kgstore.store import GraphStore


def keys(*candidates: tuple[str, float, str]) -> list[str]:
    return [each.key for each in in_order(Candidate(*each) for each in candidates)]


def made(*steps: str) -> list[Made]:
    return [Made(Stage.SEARCH, place, SearchStep(0, Relation(step)), None) for place, step in enumerate(steps, start=1)]


def test_what_is_worth_most_comes_first_and_of_equals_what_was_named_first() -> None:
    assert keys(("a", 0.1, "x"), ("b", 0.9, "y"), ("c", 0.9, "z"), ("d", 0.0, "w")) == ["b", "c", "a", "d"]


def test_no_ten_alike_follow_each_other() -> None:
    alike = [(f"alike {n}", 0.9, "same") for n in range(10)]
    others = [(f"other {n}", 0.5, f"kind {n}") for n in range(10)]
    order = keys(*alike, *others)
    assert order[0] == "alike 0"
    assert sum(key.startswith("alike") for key in order[:10]) == 1
    assert order[11:] == [f"alike {n}" for n in range(1, 10)]


def test_where_nothing_differs_the_order_stays() -> None:
    assert keys(("a", 0.0, "x"), ("b", 0.0, "x"), ("c", 0.0, "y")) == ["a", "b", "c"]


def test_doubt_is_one_less_the_least_margin_of_what_a_model_decided(toy: GraphStore) -> None:
    shown = decisions_made(answer(KITT_QUESTION, toy, LexicalScorer()))
    margins = []
    for each in shown:
        assert each.record is not None
        if each.record.total > 1:
            best = sorted((option.probability or 0.0 for option in each.record.options), reverse=True)
            margins.append(best[0] - best[1])
    assert len(margins) > 2
    assert doubt(shown) == pytest.approx(1 - min(margins))
    assert doubt([]) is None
    assert doubt(made("a")) is None, "what was given has no probability"


def test_models_disagree_by_the_share_of_decisions_that_one_alone_made() -> None:
    assert disagreement(made("a", "b"), made("a", "b")) == 0
    assert disagreement(made("a", "b"), made("a", "c")) == pytest.approx(2 / 3)
    assert disagreement(made("a"), []) == 1
    assert disagreement([], []) == 0


def test_questions_of_the_same_relations_are_alike_whatever_they_are_about() -> None:
    steps = [SearchStep(0, Relation("film.film.directed_by"))]
    topic = Made(Stage.LINK, 1, Entity("m.jaws"), None)
    assert steps_made([topic, *made("film.film.directed_by")]) == steps
    assert kind_of(steps) != kind_of([*steps, SearchStep(1, Relation("people.person.spouse"))])
