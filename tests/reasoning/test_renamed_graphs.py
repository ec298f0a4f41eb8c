"""Copies of graphs with their relations renamed: the same facts and gold derivations, in other words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from kgstore.terms import Relation
from reasoning.datasets.errors import DatasetError
from reasoning.gold.fitting import replay
from reasoning.training.lessons.renaming import new_names
from reasoning.training.lessons.sources import DataMissingError, Sources
from reasoning.training.recipe.recipe import Recipe
from tests.reasoning.test_recipes import FILMS

if TYPE_CHECKING:
    from pathlib import Path

PREDICATES = ["film.film.directed_by", "film.film.starring|film.performance.actor", "tv.program.actor"]


@pytest.mark.parametrize(
    ("style", "names"),
    [
        ("short", ["directed_by", "actor", "program_actor"]),
        ("camel", ["directedBy", "actor", "programActor"]),
        (
            "address",
            [f"http://example.org/vocabulary/{name}" for name in ("directedBy", "actor", "programActor")],
        ),
    ],
)
def test_names_are_short_and_no_two_are_the_same(style: str, names: list[str]) -> None:
    assert new_names(reversed(PREDICATES), style) == dict(zip(PREDICATES, names, strict=True))


@pytest.fixture
def data(tmp_path: Path) -> Path:
    (tmp_path / "kb.txt").write_text(FILMS, encoding="utf-8")
    folder = tmp_path / "1-hop"
    folder.mkdir()
    (folder / "dev.txt").write_text("who directed [Alien]\tRidley Scott", encoding="utf-8")
    (folder / "qa_dev_qtype.txt").write_text("movie_to_director", encoding="utf-8")
    (tmp_path / "words.tsv").write_text("film.film.directed_by\tmade_under\n", encoding="utf-8")
    return tmp_path


def _sources(data: Path, renamed: str) -> Sources:
    source: dict[str, Any] = {
        "name": "films",
        "dataset": "1-hop/dev.txt",
        "format": "metaqa",
        "graph": "kb.txt",
        "graph_format": "metaqa",
        "topics": "given",
        "orders": 0,
        "renamed": renamed,
    }
    return Sources(Recipe.from_document("mine", {"sources": [source]}), data)


@pytest.mark.parametrize(
    ("renamed", "relation"),
    [
        ("", "film.film.directed_by"),
        ("camel", "directedBy"),
        ("address", "http://example.org/vocabulary/directedBy"),
        ("words.tsv", "made_under"),
    ],
)
def test_a_question_keeps_its_answers_in_the_renamed_graph(data: Path, renamed: str, relation: str) -> None:
    sources = _sources(data, renamed)
    source = sources.recipe.sources[0]
    questions = [q for split in ("train", "validation") for q in sources.questions(source, split)]  # type: ignore[arg-type]
    (question,) = questions
    derivation = question.parses[0].derivation
    assert derivation is not None
    assert [step.relation for step in derivation.steps] == [Relation(relation)]
    with sources.graph(source, questions) as store:
        assert Relation(relation) in store.offered()
        assert replay(derivation, store) == question.parses[0].answers


def test_lessons_of_a_renamed_graph_choose_among_its_new_names(data: Path) -> None:
    sources = _sources(data, "camel")
    samples = [s for split in ("train", "validation") for s in sources.samples(split)]  # type: ignore[arg-type]
    assert any("directedBy" in str(option.choice) for option in samples[0].pool.options)
    assert samples[0].right


def test_new_names_that_cannot_be_read_are_said(data: Path) -> None:
    (data / "words.tsv").write_text("film.film.directed_by made_under\n", encoding="utf-8")
    sources = _sources(data, "words.tsv")
    with pytest.raises((DatasetError, DataMissingError), match="line 1"):
        list(sources.samples())
