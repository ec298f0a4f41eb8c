"""Recipes: what a scorer is trained on, from a file of settings to a folder of weights."""

from __future__ import annotations

import json
from io import StringIO
from typing import TYPE_CHECKING, Any

import pytest

from reasoning.scorers.registry import ScorerNameError, trained_name, trained_scorers
from reasoning.training.lessons.export import write_samples
from reasoning.training.lessons.sources import DataMissingError, Sources
from reasoning.training.recipe.recipe import RECIPES, Recipe, RecipeError, read_recipe, recipe_names

if TYPE_CHECKING:
    from pathlib import Path

FILMS = """Alien|directed_by|Ridley Scott
Gladiator|directed_by|Ridley Scott
Gladiator|release_year|2000
Alien|release_year|1979
Alien|starred_actors|Sigourney Weaver
Avatar|starred_actors|Sigourney Weaver
Avatar|directed_by|James Cameron
"""
PEOPLE = ["Ridley Scott", "James Cameron", "Ridley Scott", "James Cameron"]
WORDINGS = ["what films did [{}] direct", "which movies were made by [{}]"]


def _source(**changes: Any) -> dict[str, Any]:
    return {
        "name": "films",
        "dataset": "1-hop/dev.txt",
        "format": "metaqa",
        "graph": "kb.txt",
        "graph_format": "metaqa",
        "topics": "given",
        "orders": 0,
    } | changes


@pytest.fixture
def data(tmp_path: Path) -> Path:
    (tmp_path / "kb.txt").write_text(FILMS, encoding="utf-8")
    folder = tmp_path / "1-hop"
    folder.mkdir()
    films = {"Ridley Scott": "Alien|Gladiator", "James Cameron": "Avatar"}
    lines = [f"{wording.format(person)}\t{films[person]}" for person in films for wording in WORDINGS]
    lines += [f"who directed [{film}]\tRidley Scott" for film in ("Alien", "Gladiator")]
    types = ["director_to_movie"] * 4 + ["movie_to_director"] * 2
    (folder / "dev.txt").write_text("\n".join(lines), encoding="utf-8")
    (folder / "qa_dev_qtype.txt").write_text("\n".join(types), encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("name", recipe_names())
def test_the_recipes_that_come_with_the_product_can_be_read(name: str) -> None:
    assert read_recipe(name).sources


@pytest.mark.parametrize("path", sorted((RECIPES / "folds").glob("*.toml")), ids=lambda path: path.stem)
def test_a_fold_tests_what_it_does_not_teach(path: Path) -> None:
    recipe = read_recipe(str(path))
    assert recipe.tests
    taught = {(source.dataset, source.graph, source.part) for source in recipe.sources}
    assert not taught & {(test.dataset, test.graph, test.part) for test in recipe.tests}


@pytest.mark.parametrize(
    ("document", "told"),
    [
        ({"title": "nothing"}, "names no sources"),
        ({"sources": [_source()], "colour": "red"}, "unknown part “colour”"),
        ({"sources": [_source(colour="red")]}, "unknown key “colour”"),
        ({"sources": [{"name": "films"}]}, "lacks something"),
        ({"sources": [_source(format="guess")]}, "unknown format “guess”"),
        ({"sources": [_source(), _source()]}, "the same name"),
        ({"sources": [_source(share="much")]}, "“share” should be float"),
        ({"sources": [_source(topics="guessed")]}, "named or given"),
        ({"sources": [_source(part="some")]}, "relations held out"),
        ({"sources": [_source()], "first_none_bias": "low"}, "should be a number"),
        ({"sources": [_source()], "later_none_bias": [1]}, "should be a number"),
        ({"sources": [_source()], "first_none_bias": True}, "should be a number"),
        ({"sources": [_source(composed="yes")]}, "“composed” should be bool"),
        ({"sources": [_source()], "tests": [_source(name="test", composed=True)]}, "made by chance"),
        ({"sources": [_source()], "start": 1}, "should be bundled or a folder"),
        ({"sources": [_source()], "validated": 0}, "should be a number of questions"),
        ({"sources": [_source()], "start": "bundled", "shape": {}}, "leave out"),
        ({"sources": [_source()], "settings": {"epochs": 1.5}}, "“epochs” should be int"),
    ],
)
def test_a_wrong_recipe_says_what_to_change(document: dict[str, Any], told: str) -> None:
    with pytest.raises(RecipeError, match=told):
        Recipe.from_document("mine", document)


def test_a_recipe_of_an_earlier_version_is_read() -> None:
    assert Recipe.from_document("mine", {"sources": [_source()], "topic_order_bias": -1.0}).name == "mine"


def test_an_unknown_recipe_names_those_that_there_are() -> None:
    with pytest.raises(RecipeError, match="bundled, sample"):
        read_recipe("guess")


def test_missing_data_is_said_plainly(tmp_path: Path) -> None:
    recipe = Recipe.from_document("mine", {"sources": [_source()]})
    with pytest.raises(DataMissingError, match=r"dev\.txt.*DISCERN_DATA"):
        Sources(recipe, tmp_path)
    with pytest.raises(DataMissingError, match="no folder is named"):
        Sources(recipe, None)


def _exported(data: Path, **changes: Any) -> tuple[list[dict[str, Any]], dict[str, int]]:
    sources = Sources(Recipe.from_document("mine", {"sources": [_source(**changes)]}), data)
    file = StringIO()
    counts = write_samples((s for split in ("train", "validation") for s in sources.samples(split)), file)  # type: ignore[arg-type]
    return [json.loads(line) for line in file.getvalue().splitlines()], counts


def test_samples_are_exported_with_prompt_pool_and_what_is_right(data: Path) -> None:
    documents, counts = _exported(data)
    first = next(d for d in documents if d["stage"] == "search" and "James Cameron" in d["prompt"])
    assert "Question: what films did James Cameron direct" in first["prompt"]
    assert first["options"] == ["(James Cameron, ^film.film.directed_by)", "None"]
    assert first["completion"] == "(James Cameron, ^film.film.directed_by)"
    second = documents[documents.index(first) + 1]
    assert "(entity_1, film.film.directed_by, James Cameron)" in second["prompt"]
    assert second["completion"] == "None"
    assert counts["samples"] == len(documents) == counts["pool: graph"]
    assert counts["stage: search"] == sum(document["stage"] == "search" for document in documents)
    assert counts["split: train"] + counts["split: validation"] == len(documents)


def test_an_export_is_the_same_every_time(data: Path) -> None:
    assert _exported(data) == _exported(data)
    assert len({document["id"] for document in _exported(data)[0]}) == len(_exported(data)[0])


def test_no_question_is_on_both_sides(data: Path) -> None:
    documents, _ = _exported(data)
    sides = {(d["question_id"], d["split"]) for d in documents}
    assert len(sides) == len({question for question, _ in sides})


def test_what_one_source_keeps_another_tests(data: Path) -> None:
    def questions(part: str) -> set[str]:
        sources = Sources(Recipe.from_document("mine", {"sources": [_source(part=part)]}), data)
        (source,) = sources.recipe.sources
        return {q.id for split in ("train", "validation") for q in sources.questions(source, split)}  # type: ignore[arg-type]

    everything = questions("")
    for by in ("relations", "domains"):
        kept, held_out = questions(f"{by} kept"), questions(f"{by} held out")
        assert kept | held_out == everything
        assert not kept & held_out


def test_trained_scorers_are_known_by_their_folders(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    assert trained_scorers(tmp_path) == []
    (tmp_path / "mine" / "card.json").write_text("{}", encoding="utf-8")
    assert trained_scorers(tmp_path) == ["mine"]
    assert trained_name("mine") == "mine"
    for wrong in ("encoder", "Mine", "../mine", "m" * 61):
        with pytest.raises(ScorerNameError):
            trained_name(wrong)
