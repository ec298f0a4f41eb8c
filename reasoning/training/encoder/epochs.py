"""Training of a strategy's own weights, epoch by epoch: Adam, a falling rate, a checkpoint after each epoch."""

from __future__ import annotations

import hashlib
import random
from dataclasses import dataclass, field
from time import perf_counter
from typing import TYPE_CHECKING, Any

import torch
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

from reasoning.core.errors import ReasoningError
from reasoning.training.encoder.train import Progress, TrainingStoppedError, save_checkpoint
from reasoning.training.recipe.recipe import RecipeError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from torch import Tensor, nn

    from reasoning.training.recipe.weights_recipe import WeightsSettings

_MAX_STEP_LENGTH = 1.0
"""Gradients are scaled down to this length (ours)."""


class NothingToLearnError(ReasoningError):
    """No question of a recipe can be taught."""

    code = "nothing_to_learn"


@dataclass(slots=True)
class Trained:
    """What a training came to."""

    losses: list[float] = field(default_factory=list)
    """The mean of each epoch."""
    seconds: float = 0.0


class _Learner:
    """A model that learns: its optimizer, the falling rate, and the running mean of its weights where one is kept."""

    def __init__(self, model: nn.Module, settings: WeightsSettings, steps: int) -> None:
        self._model = model
        self._adam = torch.optim.Adam(model.parameters(), settings.learning_rate, weight_decay=settings.weight_decay)
        self._falling = torch.optim.lr_scheduler.LambdaLR(self._adam, lambda step: max(1 - step / max(steps, 1), 0.0))
        self._mean = None
        if settings.averaged:
            averaging = get_ema_multi_avg_fn(settings.averaged)  # type: ignore[no-untyped-call]
            self._mean = AveragedModel(model, multi_avg_fn=averaging)

    def step(self, loss: Tensor | None) -> float:
        """Learn from a batch, whose loss is returned; None teaches nothing."""
        self._adam.zero_grad()
        if loss is not None:
            torch.autograd.backward(loss)
            torch.nn.utils.clip_grad_norm_(self._model.parameters(), _MAX_STEP_LENGTH)
            self._adam.step()
            if self._mean is not None:
                self._mean.update_parameters(self._model)
        self._falling.step()
        return 0.0 if loss is None else float(loss.detach())

    def state(self) -> dict[str, Any]:
        """All that a later process needs to go on."""
        return {
            "model": self._model.state_dict(),
            "adam": self._adam.state_dict(),
            "falling": self._falling.state_dict(),
            "mean": None if self._mean is None else self._mean.state_dict(),
        }

    def resume(self, state: dict[str, Any]) -> None:
        """Go on from what `state` gave."""
        self._model.load_state_dict(state["model"])
        self._adam.load_state_dict(state["adam"])
        self._falling.load_state_dict(state["falling"])
        if self._mean is not None:
            self._mean.load_state_dict(state["mean"])

    def end(self) -> None:
        """Leave the weights that are to be kept in the model."""
        if self._mean is not None:
            self._model.load_state_dict(self._mean.module.state_dict())


def train_epochs(
    model: nn.Module,
    batches_of: Callable[[random.Random], Sequence[Callable[[], Tensor | None]]],
    settings: WeightsSettings,
    *,
    batches: int,
    recipe: dict[str, Any],
    checkpoint: Path | None = None,
    progress: Callable[[Progress], None] = lambda _: None,
    stop: Callable[[], bool] = lambda: False,
) -> Trained:
    """Train a model in place. With ``checkpoint``, one that was broken off goes on after its last whole epoch.

    ``batches_of`` gives the losses of an epoch, ``batches`` of them, each to be computed when its turn comes; None
    teaches nothing.

    Raises:
        NothingToLearnError: there are no batches.
        RecipeError: the checkpoint is of another recipe.
        TrainingStoppedError: ``stop`` said so; it is asked before every batch.

    """
    started = perf_counter()
    if not batches:
        raise NothingToLearnError(
            "No question of this recipe has its topic in its graph, so there is nothing to learn."
        )
    done = Trained()
    total = settings.epochs * batches
    learner = _Learner(model, settings, total)
    if checkpoint is not None and checkpoint.exists():
        state = torch.load(checkpoint, weights_only=True)
        if state["recipe"] != recipe:
            raise RecipeError(f"{checkpoint} is of another recipe or other data. Remove it, or choose another name.")
        learner.resume(state)
        done = Trained(state["losses"], state["seconds"])
    before = done.seconds
    while len(done.losses) < settings.epochs:
        epoch = len(done.losses) + 1
        # Chance does not depend on whether the epochs before were of this process.
        torch.manual_seed(settings.seed * 1000 + epoch)
        losses = batches_of(random.Random(f"{settings.seed} {epoch}"))  # noqa: S311 - no secret
        sum_ = 0.0
        for number, loss_of in enumerate(losses, start=1):
            if stop():
                raise TrainingStoppedError(
                    "The training was stopped. Start it again to go on from its last whole epoch."
                )
            sum_ += learner.step(loss_of())
            seconds = before + perf_counter() - started
            progress(Progress("training", epoch, settings.epochs, number, len(losses), sum_ / number, seconds))
        done.losses.append(sum_ / len(losses))
        done.seconds = before + perf_counter() - started
        if checkpoint is not None:
            state = {"recipe": recipe, **learner.state(), "losses": done.losses, "seconds": done.seconds}
            save_checkpoint(state, checkpoint)
    learner.end()
    return done


def weights_digest(model: nn.Module) -> str:
    """What tells these parameters from others."""
    found = hashlib.sha256()
    for name, value in sorted(model.state_dict().items()):
        found.update(name.encode())
        found.update(value.numpy().tobytes())
    return found.hexdigest()
