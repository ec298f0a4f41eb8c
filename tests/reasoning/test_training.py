"""Training: what samples say is right, and that a model learns from them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from reasoning.core.options import ConstraintOption, NoneOption, Stage, StepOption, TopicOption
from reasoning.datasets.sample_questions import read_question
from reasoning.scorers.encoder.architecture import ModelShape
from reasoning.training.encoder.train import Progress, TrainingResult, TrainingStoppedError, train
from reasoning.training.lessons.samples import samples_of
from reasoning.training.recipe.settings import TrainingSettings
from tests.reasoning.rules import KITT_GOLD

if TYPE_CHECKING:
    from pathlib import Path

    from kgstore.store import GraphStore
    from reasoning.core.options import Option
    from reasoning.datasets.sample_questions import SampleQuestion
    from reasoning.training.lessons.samples import TrainingSample

pytestmark = pytest.mark.slow

VOICE = read_question(KITT_GOLD)
BUDGET = read_question(
    {
        "id": "toy-budget",
        "phrasings": ["what did Knight Rider cost", "the budget of Knight Rider?"],
        "topic": "en.knight_rider",
        "unanswerable": "no costs are known",
    }
)
SPEECH = [
    read_question(
        {
            "id": f"toy-speech-{number}",
            "phrasings": [phrasing],
            "topic": "en.jamaica",
            "search": [[0, "location.country.languages_spoken"]],
            "answer": 1,
            "answers": ["en.jamaican_english", "en.jamaican_creole"],
        }
    )
    for number, phrasing in enumerate(["what does jamaican people speak", "which languages are spoken in Jamaica"])
]
SMALL = ModelShape(first_adapted_layer=5, rank=2, hidden=16, glance=4)
QUICK = TrainingSettings(
    epochs=3, batch=8, learning_rate=5e-3, head_learning_rate=1e-2, dev_share=0, strangers=0, threads=1
)


def _right(sample: TrainingSample) -> list[Option]:
    return [sample.pool.options[index] for index in sample.right]


def _named(option: Option) -> str:
    match option:
        case StepOption(step=step):
            return str(step.relation).rsplit(".", 1)[-1]
        case ConstraintOption(constraint=constraint):
            return f"{constraint.operator} {constraint.target}"
        case TopicOption(mention=mention):
            return str(mention.term)
        case NoneOption():
            return "None"
        case _:
            return str(option)


def _samples(
    question: SampleQuestion, store: GraphStore, *, text: str | None = None, orders: int = 1
) -> list[TrainingSample]:
    wording = text or question.phrasings[0]
    return list(samples_of(question.id, wording, question.topic, question.derivation, store, orders=orders))


def _lessons(store: GraphStore) -> list[TrainingSample]:
    return [
        sample
        for question in (VOICE, BUDGET, *SPEECH)
        for text in question.phrasings
        for sample in _samples(question, store, text=text)
    ]


def test_every_decision_of_a_derivation_becomes_a_sample(toy: GraphStore) -> None:
    samples = _samples(VOICE, toy, orders=0)
    shown = [(sample.state.stage.value, [_named(option) for option in _right(sample)]) for sample in samples]
    assert shown[:7] == [
        ("link", ["en.knight_rider"]),
        ("search", ["regular_cast"]),
        ("search", ["actor", "character"]),
        ("search", ["character"]),
        ("search", ["None"]),
        ("prune", ["= en.kitt"]),
        ("infer", ["AnswerOption(position=2)"]),
    ]


def test_other_orders_are_taught_too(toy: GraphStore) -> None:
    samples = _samples(VOICE, toy, orders=8)
    found = {
        str(sample.state.structure.nodes[2].relation)
        for sample in samples
        if sample.state.stage is Stage.SEARCH and sample.state.structure.step == 2
    }
    assert found == {"tv.regular_tv_appearance.actor", "tv.regular_tv_appearance.character"}


def test_what_else_is_named_is_taught_to_be_no_topic(toy: GraphStore) -> None:
    samples = _samples(VOICE, toy)
    wrong = [sample for sample in samples if sample.about_wrong_topic]
    assert [(str(sample.state.topic and sample.state.topic.term), _right(sample)) for sample in wrong] == [
        ("en.kitt", [NoneOption()])
    ]


def test_what_the_graph_cannot_answer_is_taught_to_end_at_once(toy: GraphStore) -> None:
    samples = _samples(BUDGET, toy)
    searches = [sample for sample in samples if sample.state.stage is Stage.SEARCH]
    assert [_right(sample) for sample in searches] == [[NoneOption()]]


def test_a_constraint_that_the_wording_does_not_name_ends_the_lessons(toy: GraphStore) -> None:
    samples = _samples(VOICE, toy, text="who plays the talking car in Knight Rider?", orders=0)
    assert [sample.state.stage.value for sample in samples] == ["link", "search", "search", "search", "search"]


@pytest.fixture(scope="module")
def trained(toy: GraphStore) -> TrainingResult:
    return train(_lessons(toy), replace(QUICK, epochs=30, patience=30), shape=SMALL)


def test_training_learns_its_samples(trained: TrainingResult) -> None:
    first, last = trained.epochs[0], trained.epochs[-1]
    assert last.loss < first.loss / 2
    assert max(report.dev_accuracy["all"] for report in trained.epochs) >= 0.95


def test_a_training_goes_on_from_weights_that_were_trained_before(toy: GraphStore, trained: TrainingResult) -> None:
    few = replace(QUICK, epochs=1)
    fresh = train(_lessons(toy), few, shape=SMALL)
    further = train(_lessons(toy), few, shape=SMALL, start=trained.state)
    assert further.epochs[0].loss < fresh.epochs[0].loss
    with pytest.raises(ValueError, match="another shape"):
        train(_lessons(toy), few, shape=replace(SMALL, hidden=8), start=trained.state)


def test_only_the_small_trained_part_is_kept(trained: TrainingResult) -> None:
    assert not [name for name in trained.state if name.endswith(("words.weight", "query.weight"))]
    assert sum(value.numel() for value in trained.state.values()) * 2 < 5_000_000


def test_a_training_that_was_broken_off_goes_on_and_ends_the_same(toy: GraphStore, tmp_path: Path) -> None:
    samples = _lessons(toy)
    checkpoint = tmp_path / "checkpoint.pt"
    whole = train(samples, QUICK, shape=SMALL)

    def break_off(progress: Progress) -> None:
        if progress.stage == "training" and progress.epoch == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(samples, QUICK, shape=SMALL, checkpoint=checkpoint, progress=break_off)
    assert checkpoint.exists()
    seen: list[int] = []
    resumed = train(
        samples,
        QUICK,
        shape=SMALL,
        checkpoint=checkpoint,
        progress=lambda p: seen.append(p.epoch) if p.stage == "training" else None,
    )
    assert set(seen) == {3}
    assert [report.loss for report in resumed.epochs] == pytest.approx(
        [report.loss for report in whole.epochs], rel=1e-3
    )


def test_a_checkpoint_of_other_settings_is_left_aside(toy: GraphStore, tmp_path: Path) -> None:
    samples = _lessons(toy)
    checkpoint = tmp_path / "checkpoint.pt"

    def break_off(progress: Progress) -> None:
        if progress.stage == "training" and progress.epoch == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(samples, QUICK, shape=SMALL, checkpoint=checkpoint, progress=break_off)
    result = train(samples, replace(QUICK, seed=8, epochs=1), shape=SMALL, checkpoint=checkpoint)
    assert len(result.epochs) == 1


def test_training_stops_when_it_is_asked_to_and_goes_on_later(toy: GraphStore, tmp_path: Path) -> None:
    samples, checkpoint = _lessons(toy), tmp_path / "checkpoint.pt"
    with pytest.raises(TrainingStoppedError, match="go on"):
        train(samples, QUICK, shape=SMALL, checkpoint=checkpoint, stop=checkpoint.exists)
    seen: list[int] = []
    train(samples, QUICK, shape=SMALL, checkpoint=checkpoint, progress=lambda p: seen.append(p.epoch))
    assert min(seen) == 2


def test_training_ends_early_where_nothing_gets_better(toy: GraphStore) -> None:
    still = replace(QUICK, epochs=9, patience=2, learning_rate=1e-9, head_learning_rate=1e-9)
    result = train(_lessons(toy), still, shape=SMALL)
    assert [report.epoch for report in result.epochs] == [1, 2, 3]
    assert result.best_epoch == 1


def test_sources_count_by_their_shares_not_their_sizes(toy: GraphStore) -> None:
    many = [replace(sample, source="many") for sample in _samples(VOICE, toy)] * 10
    few = [replace(sample, source="few", question_id="few") for sample in _samples(SPEECH[0], toy)]
    result = train([*many, *few], replace(QUICK, epochs=1), shape=SMALL, shares={"many": 1.0, "few": 1.0})
    accuracy = result.epochs[0].dev_accuracy
    assert accuracy["all"] == pytest.approx((accuracy["many"] + accuracy["few"]) / 2)


def test_there_must_be_something_to_learn() -> None:
    with pytest.raises(ValueError, match="nothing to learn"):
        train([], QUICK, shape=SMALL)
