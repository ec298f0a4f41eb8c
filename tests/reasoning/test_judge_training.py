"""Training a judge: labels from answers alone, both losses by hand, the threshold, and going on where it was."""

from __future__ import annotations

import math
from dataclasses import replace
from shutil import copyfile
from typing import TYPE_CHECKING

import pytest
import torch

from kgstore.terms import Entity
from reasoning.datasets.learned import LearnedQuestions
from reasoning.datasets.question import BenchmarkQuestion, GoldParse
from reasoning.strategies.eperm.model import PARTS, JudgeModel
from reasoning.strategies.eperm.shape import JudgeShape
from reasoning.strategies.eperm.surroundings import FLAGS, Known
from reasoning.strategies.eperm.weights import EntityJudge, read_judge
from reasoning.training.encoder.train import Progress, TrainingStoppedError
from reasoning.training.eperm.build import CHECKPOINT, as_text, build_judge, is_for_tuning
from reasoning.training.eperm.lessons import JudgeLesson, LessonPath, Row, lesson_of
from reasoning.training.eperm.recipe import JUDGE_RECIPES, JudgeRecipe, JudgeSettings
from reasoning.training.eperm.train import (
    ReadLesson,
    Tuned,
    answer_weights,
    answered,
    candidate_weights,
    loss_of,
    tuned,
)
from reasoning.training.own_weights import OWN_WEIGHTS
from reasoning.training.recipe.recipe import RecipeError
from tests.reasoning.family import ANN, SHARES, Table

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from kgstore.store import GraphStore
    from kgstore.terms import Term

pytestmark = pytest.mark.slow


def recipe(epochs: int = 2, **settings: object) -> JudgeRecipe:
    """A few questions of the bundled sample."""
    read = JUDGE_RECIPES.read("sample")
    few = tuple(replace(source, questions=8) for source in read.data.sources)
    shown = JudgeSettings(epochs=epochs, batch=2, tested=4, threads=1, **settings)  # type: ignore[arg-type]
    return replace(read, data=replace(read.data, sources=few), settings=shown, shape=JudgeShape(width=8, hidden=8))


@pytest.fixture(scope="module")
def lessons_read(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The lessons of the recipe, the same however they are taught; a training that was stopped has read them."""
    folder = tmp_path_factory.mktemp("read")
    seen: list[Progress] = []
    with pytest.raises(TrainingStoppedError):
        build_judge(folder, recipe(), progress=seen.append, stop=lambda: any(one.stage == "training" for one in seen))
    return (folder / CHECKPOINT).with_suffix(".lessons")


@pytest.fixture
def begun(lessons_read: Path, tmp_path: Path) -> Callable[[str], Path]:
    """Makes a folder where a training goes on once its lessons are read."""

    def folder(name: str) -> Path:
        made = tmp_path / name
        made.mkdir()
        copyfile(lessons_read, (made / CHECKPOINT).with_suffix(".lessons"))
        return made

    return folder


@pytest.mark.parametrize("name", JUDGE_RECIPES.names())
def test_every_recipe_can_be_read(name: str) -> None:
    assert JUDGE_RECIPES.read(name).data.sources


def test_a_recipe_that_is_wrong_says_what_is() -> None:
    sources = [{"name": "sample", "dataset": "sample", "format": "discern", "graph": "sample"}]
    with pytest.raises(RecipeError, match="unknown key “paths_of”"):
        JUDGE_RECIPES.from_document("mine", {"sources": sources, "settings": {"paths_of": 3}})
    with pytest.raises(RecipeError, match="“precision” should be float"):
        JUDGE_RECIPES.from_document("mine", {"sources": sources, "settings": {"precision": "half"}})


@pytest.mark.parametrize("name", OWN_WEIGHTS)
def test_every_strategy_that_is_trained_has_recipes(name: str) -> None:
    weights = OWN_WEIGHTS[name]
    assert "sample" in weights.recipes.names()
    assert weights.recipes.read("sample").data.sources


def lesson(family: GraphStore, *answers: str, precision: float = 0.5) -> JudgeLesson | None:
    terms: frozenset[Term] = frozenset(Entity(f"en.{name}") for name in answers)
    asked = BenchmarkQuestion("q", "who is Ann's parent?", (GoldParse(ANN, terms, None),))
    return lesson_of(asked, family, Table(SHARES), plans=3, precision=precision)


def test_a_plan_is_labelled_by_what_share_of_it_is_an_answer(family: GraphStore) -> None:
    # The plans: parent (Bob), child (Cyd), parent and parent again (Dan, over Bob).
    found = lesson(family, "dan")
    assert found is not None
    names = [row.known.name for row in found.rows]
    assert names == ["Bob", "Cyd", "Dan"]
    # Dan's plan alone is right; Bob is on its path, and nothing else.
    assert {(names[row], label) for row, label in found.found} == {("Bob", 1.0), ("Dan", 1.0)}
    assert [[names[row] for row in path.rows] for path in found.paths] == [["Bob"], ["Cyd"], ["Bob", "Dan"]]
    assert [path.plan_weight for path in found.paths] == pytest.approx([0.3 / 0.78, 0.3 / 0.78, 0.18 / 0.78], abs=1e-5)
    assert found.right == (False, False, True)
    assert lesson(family, "nobody") is None
    none = lesson(family, "dan", precision=1.1)
    assert none is not None
    assert none.found == ()
    assert none.right == found.right, "a plan without a label teaches which of its ends are right"


def made_up(found: tuple[tuple[int, float], ...], paths: tuple[LessonPath, ...], *right: bool) -> ReadLesson:
    """Two entities of which the judge knows the flags alone: the first has the first one, the second none."""
    known = Known("", (), (), ())
    flags = torch.zeros(2, len(FLAGS))
    flags[0, 0] = 1.0
    shown = JudgeLesson("q", "", (Row(known, ""), Row(known, "")), found, paths, right, 2)
    return ReadLesson(shown, torch.zeros(1, 4), torch.zeros(2, len(PARTS), 4), flags)


def judge(first: float, second: float) -> JudgeModel:
    """Gives them these scores."""
    model = JudgeModel(JudgeShape(width=2, hidden=1, text=4))
    logits = [math.log(share / (1 - share)) for share in (first, second)]
    with torch.no_grad():
        model.hidden.weight.zero_()
        model.hidden.bias.zero_()
        model.hidden.weight[0, len(PARTS) * 3] = 1.0
        model.score.weight.fill_(logits[0] - logits[1])
        model.score.bias.fill_(logits[1])
    return model


def test_the_losses_of_finding_and_of_answering_by_hand() -> None:
    paths = (LessonPath(0.5, (0,), 0), LessonPath(0.4, (0, 1), 0), LessonPath(0.5, (1,), 1))
    read = made_up(((0, 1.0), (1, 0.0)), paths, True, False)
    weights = candidate_weights(torch.tensor([0.8, 0.25]), paths, 2)
    # 1 - (1 - 0.5 * 0.8)(1 - 0.4 * 0.8 * 0.25), and 0.5 * 0.25
    assert weights.tolist() == pytest.approx([1 - 0.6 * 0.92, 0.125])
    found = loss_of(judge(0.8, 0.25), read, paths, dropout=0.0)
    assert found is not None
    l_find = (-math.log(0.8) - math.log(0.75)) / 2
    l_reason = (-math.log(1 - 0.6 * 0.92) - math.log(1 - 0.125)) / 2
    assert found.item() == pytest.approx(l_find + l_reason, abs=1e-5)
    # Without a labelled plan the answers teach alone; without an answer that was reached, nothing does.
    unlabelled = loss_of(judge(0.8, 0.25), made_up((), paths, True, False), paths, dropout=0.0)
    assert unlabelled is not None
    assert unlabelled.item() == pytest.approx(l_reason, abs=1e-5)
    assert loss_of(judge(0.8, 0.25), made_up((), paths, False, False), paths, dropout=0.0) is None


def test_the_threshold_is_the_one_whose_answers_are_best() -> None:
    paths = (LessonPath(0.5, (0,), 0), LessonPath(0.5, (1,), 1))
    both, one = made_up((), paths, True, True), made_up((), paths, True, False)
    model = judge(0.8, 0.4)
    weights = answer_weights(both.lesson, torch.tensor([0.8, 0.4]))
    # The second candidate weighs half of the first.
    assert answered(both.lesson, weights, 0.5) == (True, 1.0)
    assert answered(both.lesson, weights, 0.55) == (True, pytest.approx(2 / 3))
    assert answered(one.lesson, weights, 0.5) == (True, pytest.approx(0.5))
    # With a power of 1 the second candidate is taken by thresholds up to 0.5, of 0.75 and 0.5 up to 0.55 and 0.7, of
    # 0.25 up to 0.8; in the middle of all these stand 0.55 and 0.33.
    kept = [
        (power, share / 20)
        for power, most in ((1.0, 10), (0.75, 11), (0.5, 14), (0.25, 16))
        for share in range(1, most + 1)
    ]
    middle = Tuned(*(round(sum(values) / len(kept), 2) for values in zip(*kept, strict=True)))
    assert tuned(model, [[both, both, both, one]]) == middle
    # Whatever is above leaves the second out; where questions disagree as often as not, nothing can be told apart.
    assert tuned(model, [[one]]).threshold > tuned(model, [[both, one]]).threshold > middle.threshold
    # A source with many questions counts no more than one with few.
    assert tuned(model, [[both], [one] * 9, []]) == tuned(model, [[both] * 9, [one], []])


def test_the_end_of_a_plan_that_goes_on_from_a_weightier_one_is_no_answer() -> None:
    goes_on = made_up((), (LessonPath(0.5, (0,), 0), LessonPath(0.5, (0, 1), 1)), True, True).lesson
    assert answer_weights(goes_on, torch.tensor([0.8, 0.8])).tolist() == pytest.approx([0.4 / 0.72, 0.0])
    assert answered(goes_on, torch.tensor([0.6, 0.0]), 0.05) == (True, pytest.approx(2 / 3))


def test_held_out_questions_are_divided_for_good() -> None:
    sides = [is_for_tuning(f"question {number}") for number in range(200)]
    assert sides == [is_for_tuning(f"question {number}") for number in range(200)]
    assert 60 < sum(sides) < 140


def test_it_learns_and_its_card_says_how_well(begun: Callable[[str], Path]) -> None:
    folder = begun("judge")
    card = build_judge(folder, recipe(epochs=6, dropout=0.0, learning_rate=0.02), command="train")
    losses = card["trained"]["losses"]
    assert len(losses) == 6
    assert min(losses) < losses[0]
    figures = card["figures"]["sample"]
    assert 0 < figures["taught"] <= 16
    assert figures["asked"] + card["trained"]["tuned_on"] <= 8
    assert 0 < card["threshold"] <= 1
    assert 0 < card["power"] <= 1
    learned = LearnedQuestions.read(folder)
    assert learned is not None
    assert card["trained"]["learned_questions"] == learned.to_json()
    assert len(learned.identities) == figures["taught"] + card["trained"]["tuned_on"]
    assert set(card["trained"]["scorer"]) == {"name", "sha256"}
    assert read_judge(folder)[0] == card
    opened = EntityJudge.open(folder)
    assert opened.name == f"sample ({card['weights_sha256'][:8]})"
    assert opened.threshold == card["threshold"]
    assert [path.name for path in folder.iterdir() if "checkpoint" in path.name] == []
    assert "tuned on" in as_text(card)


def test_one_that_was_stopped_goes_on_and_asks_no_question_twice(begun: Callable[[str], Path]) -> None:
    seen: list[Progress] = []
    whole = build_judge(begun("whole"), recipe())
    broken = begun("broken")
    with pytest.raises(TrainingStoppedError):
        build_judge(broken, recipe(), progress=seen.append, stop=lambda: any(one.epoch == 2 for one in seen))
    kept = (broken / CHECKPOINT).with_suffix(".lessons").read_text()
    # The last line was broken off.
    (broken / CHECKPOINT).with_suffix(".lessons").write_text(kept[:-20])
    with pytest.raises(RecipeError, match="of another recipe"):
        build_judge(broken, recipe(seed=8))
    again = build_judge(broken, recipe())
    assert again["trained"]["losses"] == pytest.approx(whole["trained"]["losses"], rel=1e-4)
    assert again["weights_sha256"] == whole["weights_sha256"]


def test_it_may_go_on_from_other_weights_of_its_shape(begun: Callable[[str], Path]) -> None:
    first = begun("before")
    before = build_judge(first, recipe(epochs=1))
    after = build_judge(begun("after"), recipe(epochs=1), resume_from=first)
    assert after["trained"]["begun"] == before["weights_sha256"]
    wider = replace(recipe(), shape=JudgeShape(width=4, hidden=8))
    with pytest.raises(RecipeError, match="another shape"):
        build_judge(begun("wider"), wider, resume_from=first)
