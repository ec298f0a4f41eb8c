"""What a scorer is asked when it was trained, what the encoder does untrained, and how sure the figures are."""

from __future__ import annotations

import random
from statistics import fmean
from typing import TYPE_CHECKING

import pytest

from kgstore.terms import Entity
from reasoning.core.errors import ScorerUnavailableError
from reasoning.datasets.learned import LearnedQuestions
from reasoning.evaluation.reporting.intervals import interval
from reasoning.gold.fitting import replay
from reasoning.scorers.encoder.scorer import EncoderScorer
from reasoning.scorers.lexical import LexicalScorer
from reasoning.training.encoder.build import build_scorer
from reasoning.training.encoder.nearest_path import NearestPath
from reasoning.training.encoder.validation import questions_to_ask, sources_to_ask, validate
from reasoning.training.lessons.sources import Sources
from reasoning.training.recipe.recipe import Recipe
from tests.reasoning.test_recipes import FILMS

if TYPE_CHECKING:
    from pathlib import Path

    from kgstore.store import GraphStore

pytestmark = pytest.mark.slow

WORDINGS = ("who directed [{}]", "who was the director of [{}]", "the director of the film [{}]", "who made [{}]")
DIRECTORS = {"Alien": "Ridley Scott", "Gladiator": "Ridley Scott", "Avatar": "James Cameron"}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    (tmp_path / "kb.txt").write_text(FILMS, encoding="utf-8")
    (tmp_path / "1-hop").mkdir()
    lines = [f"{wording.format(film)}\t{who}" for film, who in DIRECTORS.items() for wording in WORDINGS]
    (tmp_path / "1-hop" / "dev.txt").write_text("\n".join(lines), encoding="utf-8")
    (tmp_path / "1-hop" / "qa_dev_qtype.txt").write_text("\n".join(["movie_to_director"] * len(lines)))
    return tmp_path


def recipe(**more: object) -> Recipe:
    source = {
        "name": "films",
        "dataset": "1-hop/dev.txt",
        "format": "metaqa",
        "graph": "kb.txt",
        "graph_format": "metaqa",
        "topics": "given",
        "orders": 0,
    }
    settings = {"epochs": 1, "epoch_samples": 16, "dev_share": 0.2, "threads": 1}
    return Recipe.from_document("films", {"sources": [source], "settings": settings, **more})


def test_an_interval_holds_the_true_mean_nineteen_times_of_twenty() -> None:
    chance = random.Random(1)
    held = 0
    for _ in range(100):
        low, high = interval([float(chance.random() < 0.7) for _ in range(100)])
        held += low <= 0.7 <= high
    assert 88 <= held <= 99


def test_an_interval_is_the_same_each_time_and_holds_its_mean() -> None:
    values = [0.1, 0.5, 0.9, 1.0, 0.0]
    low, high = interval(values)
    assert low < fmean(values) < high
    assert interval(values) == (low, high)
    assert interval([1.0] * 5) == (1.0, 1.0)
    with pytest.raises(ValueError, match="nothing"):
        interval([])


def test_what_is_asked_is_of_validation_and_no_more_than_wanted(data: Path) -> None:
    wanted = recipe()
    sources = Sources(wanted, data)
    asked = list(questions_to_ask(sources_to_ask(wanted)[0], sources))
    assert asked
    assert {each.question.split for each in asked} == {"validation"}
    assert {each.perfect for each in asked} == {1.0}
    assert [each.question for each in questions_to_ask(wanted.sources[0], sources, most=1)] == [asked[0].question]


def test_figures_have_intervals(data: Path) -> None:
    wanted = recipe()
    found, outcomes = validate(wanted.sources[0], Sources(wanted, data), LexicalScorer())
    assert found["answerable"]["questions"] == len(outcomes)
    for key, (low, high) in found["intervals"].items():
        assert low <= found["answerable"][key] <= high


def test_the_nearest_way_is_taken_in_as_many_steps_as_are_known(toy: GraphStore) -> None:
    nearest = NearestPath()
    country = Entity("en.jamaica")
    one = nearest.derivation("which languages are spoken in Jamaica?", country, 1, toy)
    assert one is not None
    assert {str(term) for term in replay(one, toy)} == {"en.jamaican_english", "en.jamaican_creole"}
    two = nearest.derivation("which actors are in the regular cast of Knight Rider?", Entity("en.knight_rider"), 2, toy)
    assert two is not None
    assert [step.relation.predicate.rsplit(".", 1)[1] for step in two.steps] == ["regular_cast", "actor"]
    assert nearest.derivation("which languages are spoken in Jamaica?", country, 9, toy) is None


def test_the_untrained_encoder_is_asked_the_same_questions(data: Path) -> None:
    wanted = recipe()
    sources = Sources(wanted, data)
    asked = list(questions_to_ask(wanted.sources[0], sources))
    found = NearestPath().validate(wanted.sources[0], sources)
    assert found["answerable"]["questions"] == len(asked)
    assert found["answerable"]["hits_at_1"] == 1.0


def test_a_graph_is_loaded_once_for_all_that_read_it(data: Path) -> None:
    wanted = recipe()
    sources = Sources(wanted, data)
    with sources.graph(wanted.sources[0], ()) as first:
        version = first.info().loaded_at
    (data / "kb.txt").unlink()
    with sources.graph(wanted.sources[0], ()) as again:
        assert again.info().loaded_at == version


def test_a_training_goes_on_from_weights_of_a_folder_and_keeps_what_they_know(data: Path, tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    build_scorer(first, recipe(first_none_bias=-0.75, later_none_bias=-0.25, validated=1), data=data)
    before = LearnedQuestions.read(first)
    lines = (data / "1-hop" / "dev.txt").read_text().replace("who made", "who is responsible for")
    (data / "1-hop" / "dev.txt").write_text(lines)
    card = build_scorer(second, recipe(start=str(first), validated=1), data=data)
    after = LearnedQuestions.read(second)
    assert before is not None
    assert after is not None
    assert before.texts < after.texts
    assert (card["first_none_bias"], card["later_none_bias"], card["trained"]["start"]) == (-0.75, -0.25, str(first))
    assert EncoderScorer.open(second).name
    assert build_scorer(second, recipe(start=str(first), first_none_bias=0.0), data=data)["first_none_bias"] == 0.0
    with pytest.raises(ScorerUnavailableError, match="nowhere"):
        build_scorer(tmp_path / "third", recipe(start=str(tmp_path / "nowhere")), data=data)
