"""The training itself: transformers' Trainer over packed rows, tested by exact choices while it runs."""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Any

import torch
from accelerate.utils import gather_object  # type: ignore[import-untyped,unused-ignore]
from torch.nn import functional
from transformers import PrinterCallback, Trainer, TrainerCallback, TrainingArguments

from reasoning.scorers.causal.scorer import CausalLMScorer
from reasoning.scorers.causal.transformers_reader import TransformersReader
from reasoning.scorers.threads import compute_with, large_model_threads
from reasoning.training.causal.judging import Judged, accuracy, best_none_bias, judge
from reasoning.training.encoder.train import Progress, TrainingStoppedError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from torch import Tensor
    from transformers import PreTrainedModel, PreTrainedTokenizerBase, TrainerControl, TrainerState

    from reasoning.training.causal.rows import Row
    from reasoning.training.causal.settings import FineTuning
    from reasoning.training.causal.texts import TextSample

_STATE_FILE = "trainer_state.json"


@dataclass(frozen=True, slots=True)
class Check:
    """How the model did while it trained."""

    step: int
    epoch: float
    accuracy: float
    """The share of right choices on held-out training questions, with the bias of None that suits them best."""
    none_bias: float


@dataclass(frozen=True, slots=True)
class Tuned:
    """What training gave; the model holds the best state."""

    checks: tuple[Check, ...]
    losses: tuple[tuple[int, float], ...]
    """By step: the mean -log P(right option) since the entry before."""
    judged: tuple[Judged, ...]
    """What the best state decides on held-out training questions."""
    none_bias: float
    steps: int
    seconds: float
    """Of this run; one that was broken off before took its own."""


def tune(
    model: PreTrainedModel,
    tokenizer: PreTrainedTokenizerBase,
    rows: Sequence[Row],
    held_out: Sequence[TextSample],
    settings: FineTuning,
    folder: Path,
    *,
    checkpointing: bool,
    progress: Callable[[Progress], None] = lambda _: None,
    stop: Callable[[], bool] = lambda: False,
) -> Tuned:
    """Train what of ``model`` may be trained; a run that was broken off goes on from its last checkpoint in ``folder``.

    With ``checkpointing`` activations are computed again in the backward pass, which saves memory.

    Raises:
        TrainingStoppedError: ``stop`` said so.

    """
    started = perf_counter()
    compute_with(large_model_threads())
    trainer = _Trainer(model, tokenizer, rows, held_out, settings, folder, checkpointing, progress, stop)
    trainer.train(resume_from_checkpoint=_last_checkpoint(folder))
    judged = trainer.judge()
    history = trainer.state.log_history
    return Tuned(
        tuple(
            Check(int(entry["step"]), entry["epoch"], entry["eval_accuracy"], entry["eval_none_bias"])
            for entry in history
            if "eval_accuracy" in entry
        ),
        tuple((int(entry["step"]), entry["loss"]) for entry in history if "loss" in entry),
        tuple(judged),
        best_none_bias(judged),
        trainer.state.max_steps,
        perf_counter() - started,
    )


def _last_checkpoint(folder: Path) -> str | None:
    """The last whole one; its state is written last, so that one without was broken off and is removed."""
    found = {int(path.name.rsplit("-", 1)[1]): path for path in folder.glob("checkpoint-*")}
    for _, path in sorted(found.items(), reverse=True):
        try:
            json.loads((path / _STATE_FILE).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            shutil.rmtree(path, ignore_errors=True)
        else:
            return str(path)
    return None


class _Trainer(Trainer):
    """Transformers' own, but for what a row is, what is learned of it, and how a model is tested."""

    def __init__(
        self,
        model: PreTrainedModel,
        tokenizer: PreTrainedTokenizerBase,
        rows: Sequence[Row],
        held_out: Sequence[TextSample],
        settings: FineTuning,
        folder: Path,
        checkpointing: bool,  # noqa: FBT001 - called from one place
        progress: Callable[[Progress], None],
        stop: Callable[[], bool],
    ) -> None:
        cuda = torch.cuda.is_available()
        processes = int(os.environ.get("WORLD_SIZE", "1"))
        accumulated = max(1, settings.rows_a_step // processes)
        steps = settings.epochs * -(-len(rows) // (accumulated * processes))
        each = max(1, -(-steps // settings.checks))
        arguments = TrainingArguments(
            output_dir=str(folder),
            per_device_train_batch_size=1,
            gradient_accumulation_steps=accumulated,
            num_train_epochs=settings.epochs,
            learning_rate=settings.learning_rate,
            lr_scheduler_type="cosine",
            warmup_steps=settings.warmup,
            weight_decay=0.01,
            bf16=cuda and torch.cuda.is_bf16_supported(),
            use_cpu=not cuda,
            dataloader_pin_memory=cuda,
            activation_checkpointing=checkpointing,
            remove_unused_columns=False,
            seed=settings.seed,
            report_to="none",
            disable_tqdm=True,
            logging_steps=max(1, steps // 50),
            eval_strategy="steps",
            eval_steps=each,
            save_steps=each,
            save_total_limit=2,
            load_best_model_at_end=True,
            metric_for_best_model="accuracy",
        )
        super().__init__(
            model=model,
            args=arguments,
            train_dataset=list(rows),
            eval_dataset=list(held_out),
            data_collator=_batch,
            callbacks=[_ProgressCallback(progress, stop)],
        )
        self.remove_callback(PrinterCallback)
        self.model_accepts_loss_kwargs = False
        self._tokenizer = tokenizer
        self._held_out = held_out
        self._progress = progress
        self._samples_a_row = sum(row.samples for row in rows) / len(rows)

    def compute_loss(
        self,
        model: Any,
        inputs: dict[str, Tensor],
        return_outputs: bool = False,  # noqa: FBT001, FBT002 - the Trainer's interface
        num_items_in_batch: Any = None,
    ) -> Any:
        """-log P(right option), summed over the row's samples, ÷ the samples of a usual row: each weighs the same."""
        del num_items_in_batch
        targets, logits_of = inputs.pop("targets"), inputs.pop("logits_of")
        output = model(**inputs, use_cache=False)
        loss = functional.cross_entropy(output.logits[0].float()[logits_of], targets, reduction="sum")
        loss = loss / self._samples_a_row
        return (loss, output) if return_outputs else loss

    def evaluate(self, *_: Any, **__: Any) -> dict[str, float]:
        """Test the model on held-out decisions."""
        judged = self.judge()
        bias = best_none_bias(judged)
        metrics = {"eval_accuracy": accuracy(judged, bias)["all"], "eval_none_bias": bias}
        self.log(metrics)
        self.control = self.callback_handler.on_evaluate(self.args, self.state, self.control, metrics)
        return metrics

    def judge(self) -> list[Judged]:
        """What the model as it is decides on held-out samples; every process asks for its part of them."""
        model = self.accelerator.unwrap_model(self.model)
        scorer = CausalLMScorer(TransformersReader(model, self._tokenizer), name="in training")
        part = self._held_out[self.args.process_index :: self.args.world_size]
        epoch, epochs = int(self.state.epoch or 0), int(self.args.num_train_epochs)

        def report_judged(done: int, total: int) -> None:
            self._progress(Progress("testing", epoch, epochs, done, total, None, 0.0))

        judged: list[Judged] = gather_object(list(judge(scorer, part, report_judged)))
        return judged


class _ProgressCallback(TrainerCallback):
    """Reports the progress of the training, and ends it where that is asked for."""

    def __init__(self, progress: Callable[[Progress], None], stop: Callable[[], bool]) -> None:
        self._progress = progress
        self._stop = stop
        self._started = perf_counter()
        self._loss: float | None = None

    def on_log(
        self,
        args: TrainingArguments,  # noqa: ARG002 - the Trainer's interface, here and below
        state: TrainerState,  # noqa: ARG002
        control: TrainerControl,  # noqa: ARG002
        logs: dict[str, float] | None = None,
        **_: Any,
    ) -> None:
        """Take up the loss."""
        self._loss = (logs or {}).get("loss", self._loss)

    def on_step_end(self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **_: Any) -> None:  # noqa: ARG002
        """Report the step, but for the last one of an epoch, whose loss is not there yet."""
        if self._stop():
            raise TrainingStoppedError("The training was stopped. Start it again to go on from its last checkpoint.")
        if state.global_step % _steps(args, state):
            self._report(args, state)

    def on_epoch_end(self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **_: Any) -> None:  # noqa: ARG002
        """Report the epoch."""
        self._report(args, state)

    def _report(self, args: TrainingArguments, state: TrainerState) -> None:
        seconds = perf_counter() - self._started
        steps = _steps(args, state)
        before, done = divmod(state.global_step - 1, steps)
        epochs = int(args.num_train_epochs)
        self._progress(Progress("training", before + 1, epochs, done + 1, steps, self._loss, seconds))


def _steps(args: TrainingArguments, state: TrainerState) -> int:
    """How many steps an epoch has."""
    return -(-state.max_steps // int(args.num_train_epochs))


def _batch(rows: Sequence[Row]) -> dict[str, Tensor]:
    """A batch is one row."""
    return rows[0].inputs()
