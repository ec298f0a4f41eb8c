"""Training an explorer: it learns from answers alone, resumes where it stopped broken off, and says what it came to."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
import torch

from reasoning.core.errors import ScorerUnavailableError
from reasoning.datasets.identity import keys_of
from reasoning.datasets.learned import LEARNED_FILE, LearnedQuestions
from reasoning.scorers.encoder.frozen_texts import FrozenTexts
from reasoning.strategies.etd.explorer import Exploration, ExploredLayer
from reasoning.strategies.etd.weights import Explorer, read_explorer
from reasoning.training.encoder.train import Progress, TrainingStoppedError
from reasoning.training.etd.build import CHECKPOINT, build_explorer
from reasoning.training.etd.lessons import Classroom, Lesson
from reasoning.training.etd.recipe import (
    EXPLORER_RECIPES,
    ExplorerRecipe,
    ExplorerSettings,
)
from reasoning.training.etd.train import LAYER_SAVED, by_depth, explored, figures, loss_of
from reasoning.training.lessons.sources import Sources
from reasoning.training.recipe.recipe import RecipeError

if TYPE_CHECKING:
    from reasoning.training.recipe.weights_recipe import HeldOut

pytestmark = pytest.mark.slow


def recipe(epochs: int = 2, **settings: object) -> ExplorerRecipe:
    """A few questions of the bundled sample."""
    read = EXPLORER_RECIPES.read("sample")
    few = tuple(replace(source, questions=24) for source in read.data.sources)
    shown = ExplorerSettings(epochs=epochs, batch=6, tested=8, threads=1, **settings)  # type: ignore[arg-type]
    shape = replace(read.shape, width=16, layers=2, keep=20)
    return replace(read, data=replace(read.data, sources=few), settings=shown, shape=shape)


@pytest.mark.parametrize("name", EXPLORER_RECIPES.names())
def test_every_recipe_can_be_read(name: str) -> None:
    assert EXPLORER_RECIPES.read(name).data.sources


@pytest.mark.parametrize(
    ("document", "said"),
    [
        ({"settings": {"epoch": 3}}, "unknown key “epoch”"),
        ({"settings": {"epochs": "3"}}, "“epochs” should be int"),
        ({"settings": {"batch": -1}}, "should not be less than 0"),
        ({"settings": {"averaged": 1}}, "“averaged” should be less than 1"),
        ({"settings": {"text_dropout": 1.0}}, "“text_dropout” should be less than 1"),
        ({"settings": {"held_out": "topic"}}, "“held_out” should be question, wording or template"),
        ({"shape": {"width": True}}, "“width” should be int"),
        ({"shape": []}, "not a table"),
    ],
)
def test_a_recipe_that_is_wrong_says_what_is(document: dict[str, object], said: str) -> None:
    sources = [{"name": "sample", "dataset": "sample", "format": "discern", "graph": "sample"}]
    with pytest.raises(RecipeError, match=said):
        EXPLORER_RECIPES.from_document("mine", {"sources": sources, **document})


def test_a_recipe_that_is_not_there_names_those_that_are() -> None:
    with pytest.raises(RecipeError, match=r"no recipe “nowhere”.*metaqa"):
        EXPLORER_RECIPES.read("nowhere")


def test_the_loss_is_the_mean_of_the_answers_that_are_candidates() -> None:
    empty = np.zeros(0, np.int64)
    layer = ExploredLayer(
        None,  # type: ignore[arg-type]
        empty,
        empty,
        empty,
        empty,
        empty,
        empty,
        term=np.array([5, 6, 7, 5, 8]),
        question=np.array([0, 0, 0, 1, 1]),
    )
    depths = torch.tensor([[0.5, 0.5], [0.0, 1.0]])
    found = Exploration((layer,), torch.tensor([-1.0, -2.0, -4.0, -3.0, -0.5]), depths.log())

    def lesson(*answers: int) -> Lesson:
        return Lesson("q", 0, "", np.array(answers), may_recur=True, topic_may_answer=False)

    # Of the first question 5 and 7 are candidates, 9 is none; of the second 8 is.
    loss = loss_of(found, [lesson(5, 7, 9), lesson(8)])
    assert loss is not None
    # Half a layer is expected to be saved of the first question, none of the second.
    assert loss.item() == pytest.approx(((1 + 4) / 2 + 0.5) / 2 - LAYER_SAVED * 0.5 / 2)
    assert loss_of(found, [lesson(9), lesson(6)]) is None


def test_it_learns_and_its_card_says_how_well(tmp_path: Path) -> None:
    card = build_explorer(tmp_path, recipe(epochs=4), command="train")
    losses = card["trained"]["losses"]
    assert len(losses) == 4
    assert losses[-1] < losses[0]
    found = card["figures"]["sample"]
    assert found["asked"] == 8
    assert 0 < found["taught"] <= 24
    assert 0 <= found["hits_at_1"] <= 1
    assert 0 < found["answers_kept"] <= 1
    # Gold derivations of the sample lead to its answers, whatever the explorer makes of them.
    assert found["perfect_hits_at_1"] == 1.0
    learned = LearnedQuestions.read(tmp_path)
    assert learned is not None
    assert card["trained"]["learned_questions"] == learned.to_json()
    assert len(learned.identities) == found["taught"]
    assert read_explorer(tmp_path)[0] == card
    assert Explorer.open(tmp_path).name == f"sample ({card['weights_sha256'][:8]})"
    assert not (tmp_path / CHECKPOINT).exists()


def test_one_that_was_stopped_goes_on_after_its_last_whole_epoch(tmp_path: Path) -> None:
    epochs: list[int] = []

    def watch(progress: Progress) -> None:
        epochs.append(progress.epoch)

    whole = build_explorer(tmp_path / "whole", recipe())
    with pytest.raises(TrainingStoppedError):
        build_explorer(tmp_path / "broken", recipe(), progress=watch, stop=lambda: bool(epochs) and epochs[-1] == 2)
    assert (tmp_path / "broken" / CHECKPOINT).exists()
    with pytest.raises(RecipeError, match="of another recipe"):
        build_explorer(tmp_path / "broken", recipe(seed=8))
    again = build_explorer(tmp_path / "broken", recipe())
    # What was read of the graph before is read in another order, so numbers differ in their last digits.
    assert again["trained"]["losses"] == pytest.approx(whole["trained"]["losses"], rel=1e-3)


def test_the_running_mean_of_the_weights_is_kept_through_a_stop(tmp_path: Path) -> None:
    epochs: list[int] = []
    mean, last = (build_explorer(tmp_path / str(share), recipe(averaged=share)) for share in (0.9, 0.0))
    # Which weights are kept changes nothing of how they are learned.
    assert mean["trained"]["losses"] == last["trained"]["losses"]
    assert mean["weights_sha256"] != last["weights_sha256"]
    with pytest.raises(TrainingStoppedError):
        build_explorer(
            tmp_path / "broken",
            recipe(averaged=0.9),
            progress=lambda shown: epochs.append(shown.epoch),
            stop=lambda: bool(epochs) and epochs[-1] == 2,
        )
    build_explorer(tmp_path / "broken", recipe(averaged=0.9))
    whole, again, other = (
        dict(Explorer.open(tmp_path / name).model.named_parameters()) for name in ("0.9", "broken", "0.0")
    )
    far = max(float((whole[name] - other[name]).abs().max()) for name in whole)
    near = max(float((whole[name] - again[name]).abs().max()) for name in whole)
    assert near < far / 20


def test_nothing_is_left_out_of_texts_once_a_training_is_over(tmp_path: Path) -> None:
    shown = recipe(epochs=1, text_dropout=0.5)
    plain, dropped = build_explorer(tmp_path / "plain", recipe(epochs=1)), build_explorer(tmp_path / "dropped", shown)
    assert dropped["trained"]["losses"] != plain["trained"]["losses"]
    [source] = shown.data.sources
    sources, model, texts = Sources(shown.data, Path()), Explorer.open(tmp_path / "dropped").model, FrozenTexts()
    with sources.graph(source, ()) as store:
        room = Classroom(source, store, texts)
        room.fill(sources, source, held_out="question", tested=8, progress=lambda *_: None)
        asked = [figures(model, room, texts, 6) for _ in range(2)]
    assert asked[0] == asked[1]
    assert asked[0]["hits_at_1"] == dropped["figures"]["sample"]["hits_at_1"]


def test_a_depth_may_be_learned_from_answers_alone(tmp_path: Path) -> None:
    shown = recipe(epochs=3)
    card = build_explorer(tmp_path, replace(shown, shape=replace(shown.shape, chosen_depth=True)))
    assert card["shape"]["chosen_depth"] is True
    assert card["trained"]["losses"][-1] < card["trained"]["losses"][0]
    assert card["figures"]["sample"]["asked"] == 8
    explorer, [source] = Explorer.open(tmp_path), shown.data.sources
    texts = FrozenTexts()
    with Sources(shown.data, Path()).graph(source, ()) as store:
        room = Classroom(source, store, texts)
        room.fill(Sources(shown.data, Path()), source, held_out="question", tested=8, progress=lambda *_: None)
        batches = list(by_depth(explorer.model, texts, room.held_out, 3))
        for depth, lessons in batches:
            assert len(explored(explorer.model, room, texts, lessons, depth).layers) == depth
    assert max(len(lessons) for _, lessons in batches) <= 3
    asked = sorted(lesson.id for _, lessons in batches for lesson in lessons)
    assert asked == sorted(lesson.id for lesson in room.held_out)


def test_it_may_go_on_from_other_weights_of_its_shape(tmp_path: Path) -> None:
    before = build_explorer(tmp_path / "before", recipe(epochs=1))
    after = build_explorer(tmp_path / "after", recipe(epochs=1), resume_from=tmp_path / "before")
    assert after["trained"]["begun"] == before["weights_sha256"]
    assert after["trained"]["losses"][0] < before["trained"]["losses"][0]
    assert LearnedQuestions.read(tmp_path / "after") == LearnedQuestions.read(tmp_path / "before")
    (tmp_path / "before" / LEARNED_FILE).unlink()
    unknown = build_explorer(tmp_path / "after", recipe(epochs=1), resume_from=tmp_path / "before")
    assert unknown["trained"]["learned_questions"] is None
    assert LearnedQuestions.read(tmp_path / "after") is None
    wider = recipe()
    with pytest.raises(RecipeError, match="another shape"):
        build_explorer(
            tmp_path / "wider",
            replace(wider, shape=replace(wider.shape, width=8)),
            resume_from=tmp_path / "before",
        )


def test_templates_may_be_held_out_as_a_whole(tmp_path: Path) -> None:
    card = build_explorer(tmp_path, recipe(epochs=1, held_out="template"))
    assert card["trained"]["settings"]["held_out"] == "template"
    assert card["figures"]["sample"]["asked"] > 0


def test_of_a_held_out_wording_nothing_is_taught() -> None:
    read = recipe().data
    sources = Sources(read, Path())
    [source] = read.sources
    with sources.graph(source, ()) as store:
        room = Classroom(source, store, FrozenTexts())
        room.fill(sources, source, held_out="wording", tested=8, progress=lambda *_: None)
    taught, asked = ({lesson.text for lesson in side} for side in (room.taught, room.held_out))
    assert taught
    assert 0 < len(room.held_out) <= 8
    assert not taught & asked


@pytest.mark.parametrize("held_out", ["question", "wording", "template"])
def test_what_is_kept_out_is_never_taught(held_out: HeldOut) -> None:
    read = recipe().data
    [source] = read.sources
    questions = Sources(read, Path()).questions(source, "validation")
    keys = set(keys_of(source.dataset, questions))
    sources = Sources(read, Path(), excluded=lambda key: key in keys)
    with sources.graph(source, ()) as store:
        room = Classroom(source, store, FrozenTexts())
        room.fill(sources, source, held_out=held_out, tested=8, progress=lambda *_: None)
    assert room.taught
    assert not {question.id for question in questions} & {lesson.id for lesson in room.taught}


def test_weights_that_are_not_there_say_how_to_train_some(tmp_path: Path) -> None:
    with pytest.raises(ScorerUnavailableError, match=r"card\.json"):
        Explorer.open(tmp_path)
