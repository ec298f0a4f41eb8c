"""Fine-tuning of language models: what is learned is what the scorer reads, and what comes of it can be chosen."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from statistics import fmean
from typing import TYPE_CHECKING

import pytest
import torch
from safetensors.torch import load_file
from torch.nn import functional

from reasoning.datasets.identity import text_hash
from reasoning.datasets.learned import LearnedQuestions
from reasoning.datasets.sample_questions import SAMPLE_FOLDER
from reasoning.engine.engine import answer
from reasoning.scorers.registry import open_scorer
from reasoning.training.causal.build import Lessons, finetune, from_export, from_recipe
from reasoning.training.causal.errors import FineTuningError
from reasoning.training.causal.judging import Judged, accuracy, baselines, best_none_bias
from reasoning.training.causal.rows import packed, tokenised
from reasoning.training.causal.settings import NEW_TUNING, FineTuning, NewModel
from reasoning.training.causal.texts import TextSample
from reasoning.training.lessons.export import document_of
from reasoning.training.lessons.samples import samples_of
from reasoning.training.recipe.recipe import Recipe
from tests.reasoning.language_models import brute_force, decided_model, small_tokenizer
from tests.reasoning.test_training import BUDGET, SPEECH, VOICE

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

    from kgstore.store import GraphStore
    from reasoning.training.encoder.train import Progress
    from reasoning.training.lessons.samples import TrainingSample

pytestmark = pytest.mark.slow

SMALL = NewModel(width=64, layers=2, heads=4, vocabulary=600)
QUICK = FineTuning(epochs=60, learning_rate=3e-3, row_tokens=256, rows_a_step=1, checks=3, dev_share=0)
SHORT = replace(QUICK, epochs=6)


@pytest.fixture(autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)


@pytest.fixture(scope="module")
def taught(toy: GraphStore) -> list[TrainingSample]:
    return [
        sample
        for question in (VOICE, BUDGET, *SPEECH)
        for text in question.phrasings
        for sample in samples_of(question.id, text, question.topic, question.derivation, toy)
    ]


@pytest.fixture(scope="module")
def lessons(taught: list[TrainingSample]) -> Lessons:
    samples = [replace(TextSample.of(sample), is_validation=False) for sample in taught]
    unseen = [replace(sample, is_validation=True) for sample in samples if sample.group == VOICE.id]
    return Lessons((*samples, *unseen), {"title": "a few questions"}, LearnedQuestions())


@pytest.fixture(scope="module")
def trained(lessons: Lessons, tmp_path_factory: pytest.TempPathFactory) -> Path:
    torch.set_num_threads(1)
    folder = tmp_path_factory.mktemp("scorers") / "small"
    finetune(folder, "new", lessons, QUICK, size=SMALL, name="small", command="as told")
    return folder


def _card(folder: Path) -> dict[str, Any]:
    card: dict[str, Any] = json.loads((folder / "card.json").read_text(encoding="utf-8"))
    return card


def _step(progress: Progress) -> int:
    """Which step of all a training is at."""
    return (progress.epoch - 1) * progress.total + progress.done


def test_a_sample_packed_with_others_is_read_as_if_it_stood_alone(lessons: Lessons) -> None:
    model, tokenizer = decided_model(), small_tokenizer()
    tokens = tokenised(lessons.samples, tokenizer)
    alone = [-brute_force(model, sample.prompt[1:], [sample.option[:-1]])[0] for sample in tokens]
    rows = packed([tokens[:5], tokens[5:]], 600, seed=1)
    assert 1 < len(rows) < len(tokens) / 3
    assert sum(row.samples for row in rows) == len(tokens)
    assert sum(len(row.tokens) for row in rows) < sum(map(len, tokens)) / 3
    together = 0.0
    for row in rows:
        assert len(row.tokens) <= 600
        inputs = row.inputs()
        targets, logits_of = inputs.pop("targets"), inputs.pop("logits_of")
        with torch.inference_mode():
            logits = model(**inputs).logits[0]
        together += functional.cross_entropy(logits[logits_of], targets, reduction="sum").item()
    assert together == pytest.approx(sum(alone), rel=1e-5)


def test_only_the_chosen_option_and_its_end_are_learned(lessons: Lessons) -> None:
    tokenizer = small_tokenizer()
    sample = lessons.samples[1]
    (row,) = packed([tokenised([sample], tokenizer)], 10_000, seed=1)
    assert tokenizer.decode(row.targets) == sample.continuations[sample.right[0]] + "</s>"


def test_an_export_holds_what_is_learned(taught: list[TrainingSample], tmp_path: Path) -> None:
    file = tmp_path / "samples.jsonl"
    file.write_text("\n".join(json.dumps(document_of(sample, 1)) for sample in taught), encoding="utf-8")
    emitted: list[Progress] = []
    assert from_export(file, emitted.append).samples == tuple(TextSample.of(sample) for sample in taught)
    assert emitted[-1].done == emitted[-1].total


def test_it_learns_its_samples(trained: Path) -> None:
    card = _card(trained)
    losses = [loss for _, loss in card["trained"]["losses"]]
    assert fmean(losses[-5:]) < fmean(losses[:5]) / 4
    assert card["trained"]["held_out_accuracy"]["all"] >= 0.9
    assert card["figures"]["validation"]["accuracy"]["all"] >= 0.9


def test_a_small_model_learns_to_choose_for_questions_that_it_never_saw(tmp_path: Path) -> None:
    """A part of the bundled sample; of a question that is kept aside, so are all its wordings."""
    document = {"sources": [{"name": "film", "dataset": "film.jsonl", "format": "discern", "graph": "sample"}]}
    film = from_recipe(Recipe.from_document("film", document), SAMPLE_FOLDER, lambda _: None)
    settings = replace(NEW_TUNING, epochs=5, learning_rate=4e-3, rows_a_step=1, checks=1, judged=100, validated=150)
    size = NewModel(width=96, layers=2, heads=2, vocabulary=2_000)
    found = finetune(tmp_path / "film", "new", film, settings, size=size, name="film")["figures"]["validation"]
    assert found["questions"] >= 60
    assert found["accuracy"]["all"] >= 0.75
    # Neither by always stopping nor by never stopping.
    assert min(found["accuracy"]["None"], found["accuracy"]["not None"]) >= 0.6
    assert found["accuracy"]["all"] >= max(shares["all"] for shares in found["baselines"].values()) + 0.1


def test_the_card_tells_how_it_came_about(trained: Path, lessons: Lessons) -> None:
    card = _card(trained)
    assert (card["kind"], card["name"], card["base"]) == ("causal", "small", "new")
    assert isinstance(card["none_bias"], float)
    shown = card["trained"]
    choices = [sample for sample in lessons.samples if len(sample.continuations) > 1 and not sample.is_validation]
    assert shown["samples"] == len(choices)
    assert shown["too_long"] == 0
    assert (shown["title"], shown["command"]) == ("a few questions", "as told")
    assert shown["settings"]["new_model"] == {"width": 64, "layers": 2, "heads": 4, "vocabulary": 600}
    assert [check["step"] for check in shown["checks"]][-1] == shown["steps"]
    assert card["figures"]["validation"]["questions"] == 1


def test_what_was_trained_answers_by_its_name(trained: Path, toy: GraphStore) -> None:
    scorer = open_scorer("small", trained=trained.parent)
    assert scorer.name == "small"
    (finished,) = (e for e in answer(VOICE.phrasings[0], toy, scorer, topic=VOICE.topic) if e.kind == "finished")
    assert [found.term.id for found in finished.answers] == ["en.william_daniels"]


def test_a_run_that_was_broken_off_goes_on_and_ends_the_same(lessons: Lessons, tmp_path: Path) -> None:
    whole, folder = tmp_path / "whole", tmp_path / "broken"
    expected = finetune(whole, "new", lessons, SHORT, size=SMALL, name="small")
    steps = expected["trained"]["steps"]
    seen: list[int] = []

    def break_off(progress: Progress) -> None:
        if progress.stage == "training" and _step(progress) > steps * 2 / 3 + 1:
            raise KeyboardInterrupt

    def note(progress: Progress) -> None:
        if progress.stage == "training":
            seen.append(_step(progress))

    with pytest.raises(KeyboardInterrupt):
        finetune(folder, "new", lessons, SHORT, size=SMALL, name="small", progress=break_off)
    checkpoints = sorted((folder / "training").glob("checkpoint-*"), key=lambda path: int(path.name.split("-")[1]))
    # A machine that went down while it saved leaves a checkpoint without its end.
    (checkpoints[-1] / "trainer_state.json").unlink()
    card = finetune(folder, "new", lessons, SHORT, size=SMALL, name="small", progress=note)
    assert seen[0] == int(checkpoints[-2].name.split("-")[1]) + 1
    one, other = load_file(folder / "model.safetensors"), load_file(whole / "model.safetensors")
    assert one.keys() == other.keys()
    assert all(torch.allclose(one[name], other[name], atol=1e-6) for name in one)
    assert card["none_bias"] == pytest.approx(expected["none_bias"], abs=1e-3)
    assert not (folder / "training").exists()


def test_it_tells_every_epoch_with_its_loss_and_what_its_base_had_learned(
    lessons: Lessons, trained: Path, tmp_path: Path
) -> None:
    pytest.importorskip("peft", reason="peft is not installed")
    base = tmp_path / "base"
    shutil.copytree(trained, base)
    LearnedQuestions.of_texts([text_hash("who?")]).write(base)
    known = replace(lessons, learned=LearnedQuestions.of_texts([text_hash("where?")]))
    shown: list[Progress] = []
    finetune(tmp_path / "second", str(base), known, replace(SHORT, epochs=2), name="second", progress=shown.append)
    ends = [each for each in shown if each.stage == "training" and each.done == each.total]
    assert [(end.epoch, end.epochs) for end in ends] == [(1, 2), (2, 2)]
    assert all(end.loss is not None for end in ends)
    learned = LearnedQuestions.read(tmp_path / "second")
    assert learned == LearnedQuestions.of_texts([text_hash("who?"), text_hash("where?")])


def test_other_settings_begin_anew(lessons: Lessons, tmp_path: Path) -> None:
    folder = tmp_path / "small"
    seen: list[int] = []

    def break_off(progress: Progress) -> None:
        if progress.stage == "training" and _step(progress) > progress.epochs * progress.total / 2:
            raise KeyboardInterrupt

    def note(progress: Progress) -> None:
        if progress.stage == "training":
            seen.append(_step(progress))

    with pytest.raises(KeyboardInterrupt):
        finetune(folder, "new", lessons, SHORT, size=SMALL, name="small", progress=break_off)
    assert list((folder / "training").glob("checkpoint-*"))
    finetune(folder, "new", lessons, replace(SHORT, seed=8), size=SMALL, name="small", progress=note)
    assert seen[0] == 1


def test_a_low_rank_change_is_learned_and_merged(lessons: Lessons, trained: Path, tmp_path: Path) -> None:
    pytest.importorskip("peft", reason="peft is not installed")
    stopping = [sample if sample.none is None else replace(sample, right=(sample.none,)) for sample in lessons.samples]
    others = Lessons(tuple(stopping), {}, LearnedQuestions())
    settings = replace(QUICK, epochs=20, learning_rate=1e-2)
    card = finetune(tmp_path / "adapted", str(trained), others, settings, name="adapted")
    losses = [loss for _, loss in card["trained"]["losses"]]
    assert losses[-1] < losses[0] * 0.6
    assert (tmp_path / "adapted" / "adapter_model.safetensors").exists()
    assert not (tmp_path / "adapted" / "model.safetensors").exists()
    assert open_scorer("adapted", trained=tmp_path).name == "adapted"
    # What it had learned before was to go on where it should; now it is to stop wherever it may.
    assert _card(trained)["figures"]["validation"]["accuracy_without_none_bias"]["not None"] >= 0.9
    assert card["figures"]["validation"]["accuracy_without_none_bias"]["None"] >= 0.9
    with pytest.raises(FineTuningError, match="name the model beneath it"):
        finetune(tmp_path / "twice", str(tmp_path / "adapted"), lessons, QUICK, name="twice")


def _judged(odds: float, *, none: bool) -> Judged:
    return Judged("search", "", odds, none_is_right=none, other_is_right=not none)


def test_the_bias_makes_most_choices_right() -> None:
    decisions = [_judged(odds, none=False) for odds in (-3.0, -2.5, -1.0)]
    decisions += [_judged(odds, none=True) for odds in (-2.0, -0.5, 0.2)]
    bias = best_none_bias(decisions)
    assert accuracy(decisions, bias)["all"] == pytest.approx(5 / 6)
    assert accuracy(decisions, 0.0)["all"] == pytest.approx(4 / 6)
    tried = [accuracy(decisions, place / 10)["all"] for place in range(-50, 50)]
    assert accuracy(decisions, bias)["all"] == max(tried)


def test_a_bias_is_not_wanted_where_it_changes_nothing() -> None:
    assert best_none_bias([]) == 0.0
    assert best_none_bias([_judged(-1.0, none=False), _judged(1.0, none=True)]) == 0.0


def test_what_cannot_be_learned_from_says_what_to_do(lessons: Lessons, tmp_path: Path) -> None:
    file = tmp_path / "samples.jsonl"
    with pytest.raises(FineTuningError, match=r"cannot be read .*export_samples"):
        from_export(file, lambda _: None)
    file.write_text('{"prompt": "x", "completion": "y"}\n', encoding="utf-8")
    with pytest.raises(FineTuningError, match=r"line 1 is no sample .*export_samples"):
        from_export(file, lambda _: None)
    unseen = Lessons(tuple(sample for sample in lessons.samples if sample.is_validation), {}, LearnedQuestions())
    with pytest.raises(FineTuningError, match="nothing to learn from"):
        finetune(tmp_path / "none", "new", unseen, QUICK, size=SMALL, name="none")
    with pytest.raises(FineTuningError, match="longer than 10 tokens"):
        finetune(tmp_path / "none", "new", lessons, replace(QUICK, row_tokens=10), size=SMALL, name="none")


def test_a_base_that_is_none_says_what_to_name(lessons: Lessons, tmp_path: Path) -> None:
    pytest.importorskip("peft", reason="peft is not installed")
    (tmp_path / "empty").mkdir()
    with pytest.raises(FineTuningError, match="A base is the folder of a model"):
        finetune(tmp_path / "none", str(tmp_path / "empty"), lessons, QUICK, name="none")


def test_what_no_model_is_needed_for() -> None:
    def asked(right: int, *continuations: str) -> TextSample:
        return TextSample(
            "search", "who directed Jaws?", ("", "\nQuestion: "), continuations, (right,), "", is_validation=False
        )

    learned = [asked(1, " Heat film.genre", " Heat film.directed", " None")] * 2 + [
        asked(0, " None", " Heat film.genre")
    ]
    found = baselines(learned, [asked(1, " Jaws film.genre", " Jaws film.directed"), asked(1, " None", " entity_1 x")])
    assert found["most frequent"] == {"all": 0.5, "search": 0.5}
    assert found["words"] == {"all": 0.5, "search": 0.5}
