"""From samples to a fine-tuned language-model scorer on disk."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import torch
from transformers.utils import logging

from kgstore.loading.errors import GraphLoadError
from reasoning.datasets.errors import DatasetError
from reasoning.datasets.identity import text_hash
from reasoning.datasets.learned import LearnedQuestions
from reasoning.gold.schema import SchemaError
from reasoning.scorers.cards import ADAPTER_FILE, CARD_FILE
from reasoning.scorers.causal.loading import load_model, load_tokenizer
from reasoning.scorers.causal.scorer import CausalLMScorer
from reasoning.scorers.causal.transformers_reader import TransformersReader, peft_of_today
from reasoning.training.causal.errors import FineTuningError
from reasoning.training.causal.fresh import new_model, new_tokenizer
from reasoning.training.causal.judging import accuracy, baselines, judge
from reasoning.training.causal.plan_lessons import plan_lessons
from reasoning.training.causal.rows import TokenSample, packed, tokenised
from reasoning.training.causal.settings import NEW, FineTuning, NewModel
from reasoning.training.causal.spoken import spoken
from reasoning.training.causal.texts import TextSample, evenly, read_samples
from reasoning.training.causal.tuning import tune
from reasoning.training.encoder.card import code_digest, version
from reasoning.training.encoder.train import Progress, is_dev
from reasoning.training.lessons.sources import DataMissingError, Sources, data_folder, digest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from transformers import PreTrainedModel, PreTrainedTokenizerBase

    from reasoning.datasets.identity import QuestionKey
    from reasoning.training.causal.rows import Row
    from reasoning.training.causal.settings import Lesson
    from reasoning.training.recipe.given import GivenQuestions
    from reasoning.training.recipe.recipe import Recipe

WORK_FOLDER = "training"
"""Within a scorer's folder: checkpoints, while it is trained."""
_FINGERPRINT_FILE = "fingerprint.txt"


@dataclass(frozen=True, slots=True)
class Lessons:
    """What is learned, and what the card says of where it comes from."""

    samples: tuple[TextSample, ...]
    origin: Mapping[str, Any]
    learned: LearnedQuestions
    """The questions of the samples that are not for validation."""


def from_recipe(
    recipe: Recipe,
    data: Path | None,
    progress: Callable[[Progress], None],
    *,
    lessons: Sequence[Lesson] = ("decisions",),
    given: Mapping[str, GivenQuestions] | None = None,
    excluded: Callable[[QuestionKey], bool] = lambda _: False,
) -> Lessons:
    """The lessons of a recipe's questions, those for validation among them.

    The data lies in ``data``, else in the folder that ``DISCERN_DATA`` names. ``given`` and ``excluded`` are those of
    `Sources`.

    Raises:
        DataMissingError: it does not, or cannot be read.

    """
    sources = Sources(recipe, data or data_folder(), given=given, excluded=excluded)

    def reading(source: str, done: int, total: int) -> None:
        progress(Progress(f"reading {source}", 0, 0, done, total, None, 0.0))

    found: list[TextSample] = []
    entry = {source.name: asdict(source) for source in recipe.sources}
    if "decisions" in lessons:
        found += [TextSample.of(sample) for sample in sources.samples("train", reading)]
        for name in entry:
            entry[name] |= sources.counts[name].to_json()
        found += [TextSample.of(sample) for sample in sources.samples("validation", reading)]
    others = [one for one in lessons if one != "decisions"]
    if others:
        try:
            found += plan_lessons(sources, others, reading)
        except (DatasetError, GraphLoadError, SchemaError) as error:
            raise DataMissingError(str(error)) from error
    origin = {
        "lessons": list(lessons),
        "recipe": recipe.name,
        "title": recipe.title,
        "sources": entry,
        "data_sha256": sources.digests(),
    }
    return Lessons(tuple(found), origin, sources.learned())


def from_export(path: Path, progress: Callable[[Progress], None]) -> Lessons:
    """The lines of an export.

    Raises:
        FineTuningError: the file cannot be read, or a line is no sample.

    """
    progress(Progress(f"reading {path.name}", 0, 0, 0, 1, None, 0.0))
    samples = tuple(read_samples(path))
    progress(Progress(f"reading {path.name}", 0, 0, 1, 1, None, 0.0))
    # An export does not say of which dataset a question is: its wording alone is known.
    texts = {text_hash(sample.question) for sample in samples if not sample.is_validation}
    learned = LearnedQuestions.of_texts(texts)
    return Lessons(samples, {"title": path.name, "data_sha256": {path.name: digest([path])}}, learned)


def is_main() -> bool:
    """Whether this process is the only one, or the first of those that accelerate started."""
    return os.environ.get("RANK", "0") == "0"


def card_text(card: Mapping[str, Any]) -> str:
    """The card in a few lines."""
    trained, found = card["trained"], card["figures"].get("validation")
    lines = [
        f"{card['name']}: {trained['samples']:,} decisions, {trained['steps']:,} steps, {trained['seconds']:.0f} s",
        f"Bias of None: {card['none_bias']:+.3f}",
        f"Right choices on held-out training questions: {trained['held_out_accuracy']['all']:.1%}",
    ]
    if found:
        by_stage = ", ".join(f"{name} {share:.1%}" for name, share in found["accuracy"].items() if name != "all")
        lines.append(
            f"Right choices on validation questions: {found['accuracy']['all']:.1%} of {found['decisions']:,} decisions"
            f" ({by_stage})"
        )
        without = ", ".join(f"{name} {shares['all']:.1%}" for name, shares in found["baselines"].items())
        lines.append(f"Without a model: {without}")
    if trained["too_long"]:
        lines.append(f"Left out, because they are too long: {trained['too_long']:,} decisions")
    return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class _Sorted:
    """Samples by what they are for."""

    train: list[TextSample] = field(default_factory=list)
    held_out: list[TextSample] = field(default_factory=list)
    """Of training questions that are kept aside, to choose the best state and the bias of None."""
    validation: list[TextSample] = field(default_factory=list)
    """Of questions that are read only in the end."""

    def spoken_to(self, tokenizer: PreTrainedTokenizerBase) -> _Sorted:
        """The same, with what a writer is asked as the model is asked it."""
        train, held_out, validation = (
            [spoken(sample, tokenizer) for sample in samples]
            for samples in (self.train, self.held_out, self.validation)
        )
        return _Sorted(train, held_out, validation)


def finetune(
    folder: Path,
    base: str,
    lessons: Lessons,
    settings: FineTuning,
    *,
    size: NewModel | None = None,
    name: str,
    command: str = "",
    progress: Callable[[Progress], None] = lambda _: None,
    stop: Callable[[], bool] = lambda: False,
) -> dict[str, Any]:
    """Train a low-rank change to ``base``, or a new small model, and write it with its card; returns the card.

    Samples of validation questions are never learned; they are judged in the end. What was there before stays until
    the new weights are whole. A training that was broken off goes on from its last checkpoint if samples, base and
    settings are still the same. Started by accelerate on several GPUs, it shares the rows among them.

    Raises:
        FineTuningError: the samples or the base cannot be used.
        ScorerUnavailableError: the base is of a kind whose choices cannot be read.
        TrainingStoppedError: ``stop`` said so.

    """
    started = perf_counter()
    # What there is to say is said through `progress`.
    logging.set_verbosity_error()  # type: ignore[no-untyped-call]
    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    size = size or NewModel()
    learned = lessons.learned.joined(_learned_before(base))
    chosen = _sorted_out(lessons.samples, settings)
    model, tokenizer = _start(base, chosen.train, settings, size)
    chosen = chosen.spoken_to(tokenizer)
    rows, too_long = _packed(chosen.train, model, tokenizer, settings)
    work = folder / WORK_FOLDER
    if is_main():
        _prepare(work, _fingerprint(base, chosen, settings, size))
    tuned = tune(
        model,
        tokenizer,
        rows,
        chosen.held_out,
        settings,
        work,
        checkpointing=base != NEW and torch.cuda.is_available(),
        progress=progress,
        stop=stop,
    )
    card: dict[str, Any] = {
        "kind": "causal",
        "name": name,
        "base": base,
        "none_bias": tuned.none_bias,
        "reads_paths": any(sample.stage == "plans" for sample in chosen.train),
        "trained": {
            "command": command,
            "finished_at": datetime.now(UTC).isoformat(timespec="seconds"),
            "settings": asdict(settings) | ({"new_model": asdict(size)} if base == NEW else {}),
            **lessons.origin,
            "samples": sum(row.samples for row in rows),
            "too_long": too_long,
            "held_out_samples": len(chosen.held_out),
            "tokens_an_epoch": sum(len(row.tokens) for row in rows),
            "steps": tuned.steps,
            "losses": [list(entry) for entry in tuned.losses],
            "checks": [asdict(check) for check in tuned.checks],
            "held_out_accuracy": _rounded(accuracy(tuned.judged, tuned.none_bias)),
            "learned_questions": learned.to_json(),
            "code_sha256": code_digest(),
            "version": version(),
        },
        "figures": {},
    }
    if not is_main():
        return card
    finished = work / "finished"
    model.save_pretrained(finished)
    tokenizer.save_pretrained(finished)
    card["figures"] = _validated(finished, chosen, tuned.none_bias, progress)
    card["trained"]["seconds"] = round(perf_counter() - started, 1)
    (finished / CARD_FILE).write_text(json.dumps(card, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    learned.write(finished)
    _put_in_place(finished, folder)
    shutil.rmtree(work)
    return card


def _sorted_out(samples: Iterable[TextSample], settings: FineTuning) -> _Sorted:
    """Which samples are learned, which are kept aside; those without a choice teach nothing that is ever asked."""
    train: list[TextSample] = []
    dev: list[TextSample] = []
    validation: list[TextSample] = []
    for sample in samples:
        if len(sample.continuations) < 2:  # noqa: PLR2004 - of one option there is no choice
            continue
        if sample.is_validation:
            validation.append(sample)
        else:
            (dev if is_dev(sample.group, settings.dev_share) else train).append(sample)
    if not train:
        raise FineTuningError(
            "There is nothing to learn from: no sample of a training question offers a choice. Choose other samples, "
            "or a recipe with more questions."
        )
    return _Sorted(train, evenly(dev or train, settings.judged), evenly(validation, settings.validated))


def _start(
    base: str, samples: Sequence[TextSample], settings: FineTuning, size: NewModel
) -> tuple[PreTrainedModel, PreTrainedTokenizerBase]:
    """What is trained: a new model, or one that is there with a low-rank change."""
    torch.manual_seed(settings.seed)
    if base == NEW:
        tokenizer = new_tokenizer(samples, size.vocabulary)
        return new_model(tokenizer, size, settings.seed), tokenizer
    try:
        from peft import LoraConfig, get_peft_model  # noqa: PLC0415 - only this needs it
    except ImportError as error:
        raise FineTuningError(
            "Fine-tuning a language model needs peft and accelerate; install the extra “finetune”."
        ) from error
    if (Path(base) / ADAPTER_FILE).exists():
        raise FineTuningError(f"{base} is a LoRA adapter; name the model beneath it as the base.")
    source = str(Path(base).resolve()) if Path(base).is_dir() else base
    dtype = torch.bfloat16 if torch.cuda.is_available() and torch.cuda.is_bf16_supported() else torch.float32
    try:
        found = load_tokenizer(source)
        model = load_model(source, dtype)
    except (OSError, ValueError, KeyError) as error:
        raise FineTuningError(
            f"The language model {base} cannot be loaded ({error}). A base is the folder of a model, its name on the "
            f"Hugging Face hub, or “{NEW}”."
        ) from error
    if not isinstance(found.eos_token_id, int):
        raise FineTuningError(f"The tokenizer of {base} has no end token; choose another model.")
    low_rank = LoraConfig(
        r=settings.rank, lora_alpha=2 * settings.rank, target_modules="all-linear", task_type="CAUSAL_LM"
    )
    with peft_of_today():
        adapted: Any = get_peft_model(model, low_rank)
    return adapted, found


def _learned_before(base: str) -> LearnedQuestions:
    """The questions that a base has learned from that was trained here; of others none are known."""
    folder = Path(base)
    found = LearnedQuestions.read(folder) if base != NEW and folder.is_dir() else None
    return found or LearnedQuestions()


def _packed(
    samples: Sequence[TextSample], model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase, settings: FineTuning
) -> tuple[list[Row], int]:
    """Rows of samples, and how many samples are longer than a row or than the model can see."""
    config = model.config.get_text_config()
    limits = (getattr(config, "max_position_embeddings", None), getattr(config, "sliding_window", None))
    longest = min([settings.row_tokens, *(limit for limit in limits if limit)])
    units: dict[str, list[TokenSample]] = {}
    too_long = 0
    for sample, tokens in zip(samples, tokenised(samples, tokenizer), strict=True):
        if len(tokens) > longest:
            too_long += 1
        else:
            units.setdefault(sample.question, []).append(tokens)
    if not units:
        raise FineTuningError(f"Every sample is longer than {longest} tokens; choose a model with a longer context.")
    return packed(units.values(), settings.row_tokens, settings.seed), too_long


def _fingerprint(base: str, chosen: _Sorted, settings: FineTuning, size: NewModel) -> str:
    """What checkpoints must agree with to be gone on from."""
    digest = hashlib.sha256(repr((base, asdict(settings), asdict(size))).encode())
    for sample in (*chosen.train, *chosen.held_out):
        digest.update(repr(sample).encode())
    return digest.hexdigest()


def _prepare(work: Path, fingerprint: str) -> None:
    """Make room, unless what is there is the same training."""
    file = work / _FINGERPRINT_FILE
    if work.exists() and not (file.exists() and file.read_text(encoding="utf-8") == fingerprint):
        shutil.rmtree(work)
    shutil.rmtree(work / "finished", ignore_errors=True)
    work.mkdir(parents=True, exist_ok=True)
    file.write_text(fingerprint, encoding="utf-8")


def _validated(folder: Path, chosen: _Sorted, none_bias: float, progress: Callable[[Progress], None]) -> dict[str, Any]:
    """Choice accuracy of the saved scorer on questions that it never saw, and of baselines that need no model."""
    samples = chosen.validation
    if not samples:
        return {}
    scorer = CausalLMScorer(TransformersReader.open(folder), name="finished")

    def report(done: int, total: int) -> None:
        progress(Progress("validating", 0, 0, done, total, None, 0.0))

    judged = list(judge(scorer, samples, report))
    return {
        "validation": {
            "decisions": len(judged),
            "questions": len({sample.question for sample in samples}),
            "accuracy": _rounded(accuracy(judged, none_bias)),
            "accuracy_without_none_bias": _rounded(accuracy(judged, 0.0)),
            "baselines": {name: _rounded(shares) for name, shares in baselines(chosen.train, samples).items()},
        }
    }


def _rounded(shares: Mapping[str, float]) -> dict[str, float]:
    return {name: round(share, 4) for name, share in shares.items()}


def _put_in_place(finished: Path, folder: Path) -> None:
    """Let whole new weights take the place of old ones; the card comes last, for it says that a scorer is there."""
    for old in folder.iterdir():
        if old.is_file():
            old.unlink()
    for new in sorted(finished.iterdir(), key=lambda path: path.name == CARD_FILE):
        new.replace(folder / new.name)
