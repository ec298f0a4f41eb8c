"""From samples to a fine-tuned language-model scorer on disk."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections import Counter
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from reasoning.scorers.causal.scorer import CausalLMScorer
from reasoning.scorers.causal.transformers_reader import ADAPTER_FILE, TransformersReader
from reasoning.scorers.registry import CARD_FILE
from reasoning.training.card import version
from reasoning.training.finetuning.errors import FineTuningError
from reasoning.training.finetuning.fresh import new_model, new_tokenizer
from reasoning.training.finetuning.judging import accuracy, judge
from reasoning.training.finetuning.rows import TokenSample, packed, tokenised
from reasoning.training.finetuning.settings import NEW, FineTuning, NewModel
from reasoning.training.finetuning.texts import TextSample, evenly
from reasoning.training.train import Progress, is_dev

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from transformers import PreTrainedModel, PreTrainedTokenizerBase

    from reasoning.training.finetuning.rows import Row
    from reasoning.training.finetuning.tuning import Tuned

WORK_FOLDER = "training"
"""Within a scorer's folder: checkpoints, while it is trained."""
_FINGERPRINT_FILE = "fingerprint.txt"
_IS_MAIN = "RANK"


@dataclass(frozen=True, slots=True)
class _Lessons:
    """Samples by what they are for."""

    train: list[TextSample] = field(default_factory=list)
    held_out: list[TextSample] = field(default_factory=list)
    """Of training questions that are kept aside, to choose the best state and the bias of None."""
    validation: list[TextSample] = field(default_factory=list)
    """Of questions that are read only in the end."""


def finetune(
    folder: Path,
    base: str,
    samples: Iterable[TextSample],
    settings: FineTuning,
    *,
    size: NewModel | None = None,
    name: str,
    origin: Mapping[str, Any],
    command: str = "",
    progress: Callable[[Progress], None] = lambda _: None,
    stop: Callable[[], bool] = lambda: False,
) -> dict[str, Any]:
    """Train a low-rank change to ``base``, or a new small model, and write it with its card; returns the card.

    Samples of validation questions are never learned; they are judged in the end. What was there before stays until
    the new weights are whole. A training that was broken off goes on from its last checkpoint if samples, base and
    settings are still the same. ``origin`` is what the card says of where the samples come from.

    Raises:
        FineTuningError: the samples or the base cannot be used.
        ScorerUnavailableError: the base is of a kind whose choices cannot be read.
        TrainingStoppedError: ``stop`` said so.

    """
    started = perf_counter()
    lessons = _sorted_out(samples, settings)
    work = folder / WORK_FOLDER
    model, tokenizer = _start(base, lessons.train, settings, size or NewModel())
    rows, too_long = _packed(lessons.train, model, tokenizer, settings)
    is_main = os.environ.get(_IS_MAIN, "0") == "0"
    if is_main:
        _prepare(work, _fingerprint(base, lessons, settings, size or NewModel()))
    from reasoning.training.finetuning.tuning import tune  # noqa: PLC0415 - needs what _start asks for

    tuned = tune(
        model,
        tokenizer,
        rows,
        lessons.held_out,
        settings,
        work,
        checkpointing=base != NEW and torch.cuda.is_available(),
        progress=progress,
        stop=stop,
    )
    card = _card(name, base, lessons, rows, settings, tuned, size or NewModel(), origin, command)
    if too_long:
        card["trained"]["too_long"] = too_long
    if not is_main:
        return card
    finished = work / "finished"
    model.save_pretrained(finished)
    tokenizer.save_pretrained(finished)
    card["figures"] = _validated(finished, lessons.validation, tuned.none_bias, progress)
    card["trained"]["seconds"] = round(perf_counter() - started, 1)
    (finished / CARD_FILE).write_text(json.dumps(card, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    _put_in_place(finished, folder)
    shutil.rmtree(work)
    return card


def _sorted_out(samples: Iterable[TextSample], settings: FineTuning) -> _Lessons:
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
            "There is nothing to learn from: no sample of a training question offers a choice. Name other --samples, "
            "or a --recipe with more questions."
        )
    return _Lessons(train, evenly(dev or train, settings.judged), evenly(validation, settings.validated))


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
        raise FineTuningError(f"{base} is a LoRA adapter; name the model beneath it as --base.")
    source = str(Path(base).resolve()) if Path(base).is_dir() else base
    dtype = torch.bfloat16 if torch.cuda.is_available() and torch.cuda.is_bf16_supported() else torch.float32
    try:
        found = AutoTokenizer.from_pretrained(source)
        model = AutoModelForCausalLM.from_pretrained(source, dtype=dtype, attn_implementation="sdpa")
    except (OSError, ValueError, KeyError) as error:
        raise FineTuningError(
            f"The language model {base} cannot be loaded ({error}). --base is the folder of a model, its name on the "
            f"Hugging Face hub, or “{NEW}”."
        ) from error
    if not isinstance(found.eos_token_id, int):
        raise FineTuningError(f"The tokenizer of {base} has no end token; choose another model.")
    low_rank = LoraConfig(
        r=settings.rank, lora_alpha=2 * settings.rank, target_modules="all-linear", task_type="CAUSAL_LM"
    )
    adapted: Any = get_peft_model(model, low_rank)
    return adapted, found


def _packed(
    samples: Sequence[TextSample], model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase, settings: FineTuning
) -> tuple[list[Row], int]:
    """Rows of samples, and how many samples are longer than a row or than the model can see."""
    config = model.config.get_text_config()
    limits = (getattr(config, "max_position_embeddings", None), getattr(config, "sliding_window", None))
    longest = min([settings.row_tokens, *(limit for limit in limits if limit)])
    units: dict[tuple[str, ...], list[TokenSample]] = {}
    too_long = 0
    for sample, tokens in zip(samples, tokenised(samples, tokenizer), strict=True):
        if len(tokens) > longest:
            too_long += 1
        else:
            units.setdefault(sample.transcript[:2], []).append(tokens)
    if not units:
        raise FineTuningError(f"Every sample is longer than {longest} tokens; choose a model with a longer context.")
    return packed(units.values(), settings.row_tokens, settings.seed), too_long


def _fingerprint(base: str, lessons: _Lessons, settings: FineTuning, size: NewModel) -> str:
    """What checkpoints must agree with to be gone on from."""
    digest = hashlib.sha256(repr((base, asdict(settings), asdict(size))).encode())
    for sample in (*lessons.train, *lessons.held_out):
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


def _validated(
    folder: Path, samples: Sequence[TextSample], none_bias: float, progress: Callable[[Progress], None]
) -> dict[str, Any]:
    """Choice accuracy of the saved scorer on questions that it never saw."""
    if not samples:
        return {}
    scorer = CausalLMScorer(TransformersReader.open(folder), name="finished")
    told = lambda done, total: progress(Progress("validating", 0, 0, done, total, None, 0.0))  # noqa: E731 - short
    judged = list(judge(scorer, samples, told))
    return {
        "validation": {
            "decisions": len(judged),
            "questions": len({sample.transcript[1] for sample in samples}),
            "accuracy": _rounded(accuracy(judged, none_bias)),
            "accuracy_without_none_bias": _rounded(accuracy(judged, 0.0)),
        }
    }


def _card(
    name: str,
    base: str,
    lessons: _Lessons,
    rows: Sequence[Row],
    settings: FineTuning,
    tuned: Tuned,
    size: NewModel,
    origin: Mapping[str, Any],
    command: str,
) -> dict[str, Any]:
    return {
        "kind": "causal",
        "name": name,
        "base": base,
        "none_bias": tuned.none_bias,
        "trained": {
            "command": command,
            "finished_at": datetime.now(UTC).isoformat(timespec="seconds"),
            "settings": asdict(settings) | ({"new_model": asdict(size)} if base == NEW else {}),
            **origin,
            "samples": len(lessons.train),
            "stages": dict(sorted(Counter(sample.stage for sample in lessons.train).items())),
            "held_out_samples": len(lessons.held_out),
            "rows": len(rows),
            "tokens_an_epoch": sum(len(row.tokens) for row in rows),
            "steps": tuned.steps,
            "losses": [list(entry) for entry in tuned.losses],
            "checks": [asdict(check) for check in tuned.checks],
            "held_out_accuracy": _rounded(accuracy(tuned.judged, tuned.none_bias)),
            "version": version(),
        },
        "figures": {},
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
