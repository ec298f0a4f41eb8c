"""Questions that are drawn from a graph itself: each has a walk that the graph holds, in words of its relations."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from kgstore.terms import Entity
from reasoning.engine.derivation_faults import derivation_faults
from reasoning.facts.verbalize import relation_parts
from reasoning.gold.fitting import replay
from reasoning.training.lessons.drawn import draw_questions
from reasoning.training.lessons.sources import Sources
from reasoning.training.recipe.recipe import Recipe, RecipeError
from tests.reasoning.test_recipes import FILMS

if TYPE_CHECKING:
    from pathlib import Path

    from kgstore.store import GraphStore
    from reasoning.datasets.question import BenchmarkQuestion

DRAWN = {
    "name": "drawn",
    "dataset": "drawn",
    "format": "",
    "graph": "kb.txt",
    "graph_format": "metaqa",
    "topics": "given",
    "orders": 0,
}


@pytest.fixture(scope="module")
def drawn(toy: GraphStore) -> list[BenchmarkQuestion]:
    topics = sorted({found.card.entity for letter in "abcdefgklmnrstw" for found in toy.search(letter, 50)})
    return list(draw_questions(toy, topics, seed=3))


def test_each_has_a_walk_in_the_graph_that_leads_somewhere(toy: GraphStore, drawn: list[BenchmarkQuestion]) -> None:
    assert drawn
    for question in drawn:
        derivation = question.parses[0].derivation
        assert derivation is not None
        assert not derivation_faults(derivation, toy), question
        assert replay(derivation, toy), question


def test_it_says_its_topic_and_the_last_relation(toy: GraphStore, drawn: list[BenchmarkQuestion]) -> None:
    for question in drawn:
        derivation = question.parses[0].derivation
        assert derivation is not None
        assert question.topic is not None
        assert toy.labels([question.topic])[question.topic] in question.text
        kind, name = relation_parts(derivation.steps[derivation.answer_position - 1].relation)
        assert name in question.text or kind in question.text, question


def test_walks_are_of_one_to_three_hops_and_some_have_a_condition(drawn: list[BenchmarkQuestion]) -> None:
    derivations = [question.parses[0].derivation for question in drawn]
    assert {1, 2, 3} <= {d.answer_position for d in derivations if d is not None}


def test_some_ask_for_what_shares_something(tmp_path: Path) -> None:
    (tmp_path / "kb.txt").write_text(FILMS, encoding="utf-8")
    sources = Sources(Recipe.from_document("mine", {"sources": [DRAWN]}), tmp_path)
    with sources.graph(sources.recipe.sources[0], []) as films:
        drawn = [question for seed in range(60) for question in draw_questions(films, [Entity("Alien")], seed=seed)]
    back = [
        question.text
        for question in drawn
        for derivation in (question.parses[0].derivation,)
        if derivation is not None
        and any(earlier.relation == later.relation.inverse for earlier, later in pairwise(derivation.steps))
    ]
    assert 0 < len(back) < len(drawn) / 2
    assert all({"same", "share", "shares", "else", "common", "co"} & set(text.split()) for text in back)


def test_the_same_graph_and_seed_give_the_same_questions(toy: GraphStore) -> None:
    topic = [Entity("en.knight_rider"), Entity("en.nothing")]
    assert list(draw_questions(toy, topic)) == list(draw_questions(toy, topic))


def test_a_recipe_teaches_what_is_drawn_without_a_single_label(tmp_path: Path) -> None:
    (tmp_path / "kb.txt").write_text(FILMS, encoding="utf-8")
    sources = Sources(Recipe.from_document("mine", {"sources": [DRAWN]}), tmp_path)
    samples = [*sources.samples("train"), *sources.samples("validation")]
    assert samples
    assert {sample.source for sample in samples} == {"drawn"}
    # They are no questions that anybody could be asked again in an evaluation.
    assert not sources.learned().identities


@pytest.mark.parametrize(
    ("document", "told"),
    [
        ({"sources": [DRAWN | {"graph": "schema"}]}, "a graph that is drawn itself"),
        ({"sources": [DRAWN], "tests": [DRAWN | {"name": "test"}]}, "made by chance"),
        ({"sources": [DRAWN | {"composed": 1}]}, "should be bool"),
        ({"sources": [DRAWN | {"questions": True}]}, "should be int"),
        ({"sources": [DRAWN], "tests": "films"}, r"\[\[tests\]\]"),
        ({"sources": [DRAWN], "tests": [DRAWN]}, "the same name|made by chance"),
    ],
)
def test_a_recipe_that_draws_wrongly_says_what_to_change(document: dict[str, object], told: str) -> None:
    with pytest.raises(RecipeError, match=told):
        Recipe.from_document("mine", document)
