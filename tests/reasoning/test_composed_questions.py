"""Questions that are made longer: what leads to the topic is said in its place, and the rest keeps its words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kgstore.terms import Entity, Relation
from reasoning.core.derivation import Constraint, Derivation, Operator, SearchStep
from reasoning.datasets.question import BenchmarkQuestion, GoldParse
from reasoning.engine.derivation_faults import derivation_faults
from reasoning.training.encoder.validation import sources_with_questions
from reasoning.training.lessons.composed import compose
from reasoning.training.lessons.sources import Sources
from reasoning.training.recipe.recipe import Recipe
from tests.reasoning.test_recipes import FILMS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from kgstore.store import GraphStore

ALIEN = Entity("Alien")
DIRECTED = SearchStep(0, Relation("film.film.directed_by"))
SOURCE = {
    "name": "longer",
    "dataset": "1-hop/dev.txt",
    "format": "metaqa",
    "graph": "kb.txt",
    "graph_format": "metaqa",
    "topics": "given",
    "orders": 0,
    "composed": True,
}


@pytest.fixture
def sources(tmp_path: Path) -> Sources:
    (tmp_path / "kb.txt").write_text(FILMS, encoding="utf-8")
    (tmp_path / "1-hop").mkdir()
    (tmp_path / "1-hop" / "dev.txt").write_text("who directed [Alien]\tRidley Scott", encoding="utf-8")
    (tmp_path / "1-hop" / "qa_dev_qtype.txt").write_text("movie_to_director", encoding="utf-8")
    return Sources(Recipe.from_document("mine", {"sources": [SOURCE]}), tmp_path)


@pytest.fixture
def films(sources: Sources) -> Iterator[GraphStore]:
    with sources.graph(sources.recipe.sources[0], []) as store:
        yield store


def asked(text: str) -> BenchmarkQuestion:
    return BenchmarkQuestion("one", text, (GoldParse(ALIEN, frozenset(), None),))


def test_the_topic_is_reported_by_what_leads_to_it(films: GraphStore) -> None:
    released = SearchStep(0, Relation("film.film.initial_release_date"))
    shown = Constraint(1, Operator.EQUAL, Entity("Ridley Scott"))
    derivation = Derivation(ALIEN, (DIRECTED, released), (shown,), 2)
    made = compose(asked("who directed Alien?"), derivation, films)
    assert made is not None
    question, longer = made
    assert question.text.startswith("who directed ")
    assert question.text.endswith("?")
    assert "Alien" not in question.text
    # Not by what is asked for.
    assert (longer.topic, question.topic) == (Entity("Sigourney Weaver"), Entity("Sigourney Weaver"))
    assert "Sigourney Weaver" in question.text
    assert longer.steps[1:] == (SearchStep(1, DIRECTED.relation), SearchStep(1, released.relation))
    assert longer.constraints == (Constraint(2, Operator.EQUAL, Entity("Ridley Scott")),)
    assert longer.answer_position == 3
    assert not derivation_faults(longer, films)
    assert compose(asked("who directed Alien?"), derivation, films) == made


@pytest.mark.parametrize("text", ["who directed it?", "who directed Aliens?", ""])
def test_a_topic_that_is_not_named_as_the_graph_names_it_is_left(films: GraphStore, text: str) -> None:
    assert compose(asked(text), Derivation(ALIEN, (DIRECTED,), (), 1), films) is None


def test_a_topic_that_nothing_else_leads_to_is_left(films: GraphStore) -> None:
    starring = Derivation(Entity("Gladiator"), (DIRECTED,), (), 1)
    assert compose(asked("who directed Gladiator?"), starring, films) is None


def test_a_recipe_teaches_them_and_asks_none(sources: Sources) -> None:
    samples = [*sources.samples("train"), *sources.samples("validation")]
    assert {sample.state.structure.step for sample in samples} >= {0, 1, 2}
    assert all("Alien" not in sample.phrasing for sample in samples)
    assert sources_with_questions(sources.recipe) == ()
