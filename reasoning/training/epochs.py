"""Training of a strategy's own weights, epoch by epoch: Adam, a falling rate, and a checkpoint after each epoch."""

from __future__ import annotations

import hashlib
import random
from dataclasses import dataclass, field
from time import perf_counter
from typing import TYPE_CHECKING, Any

import torch

from reasoning.errors import ReasoningError
from reasoning.training.recipe import RecipeError
from reasoning.training.train import Progress, TrainingStoppedError, save_checkpoint

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from torch import Tensor, nn

    from reasoning.training.weights_recipe import WeightsSettings

_LONGEST_STEP = 1.0
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
    adam = torch.optim.Adam(model.parameters(), settings.learning_rate, weight_decay=settings.weight_decay)
    falling = torch.optim.lr_scheduler.LambdaLR(adam, lambda step: max(1 - step / max(total, 1), 0.0))
    if checkpoint is not None and checkpoint.exists():
        state = torch.load(checkpoint, weights_only=True)
        if state["recipe"] != recipe:
            raise RecipeError(f"{checkpoint} is of another recipe or other data. Remove it, or choose another name.")
        model.load_state_dict(state["model"])
        adam.load_state_dict(state["adam"])
        falling.load_state_dict(state["falling"])
        done = Trained(state["losses"], state["seconds"])
    before = done.seconds
    while len(done.losses) < settings.epochs:
        epoch = len(done.losses) + 1
        losses = batches_of(random.Random(f"{settings.seed} {epoch}"))  # noqa: S311 - no secret
        sum_ = 0.0
        for number, loss_of in enumerate(losses, start=1):
            if stop():
                raise TrainingStoppedError(
                    "The training was stopped. Start it again to go on from its last whole epoch."
                )
            loss = loss_of()
            adam.zero_grad()
            if loss is not None:
                torch.autograd.backward(loss)
                torch.nn.utils.clip_grad_norm_(model.parameters(), _LONGEST_STEP)
                adam.step()
                sum_ += float(loss.detach())
            falling.step()
            seconds = before + perf_counter() - started
            progress(Progress("training", epoch, settings.epochs, number, len(losses), sum_ / number, seconds))
        done.losses.append(sum_ / len(losses))
        done.seconds = before + perf_counter() - started
        if checkpoint is not None:
            state = {
                "recipe": recipe,
                "model": model.state_dict(),
                "adam": adam.state_dict(),
                "falling": falling.state_dict(),
                "losses": done.losses,
                "seconds": done.seconds,
            }
            save_checkpoint(state, checkpoint)
    return done


def weights_digest(model: nn.Module) -> str:
    """What tells these parameters from others."""
    found = hashlib.sha256()
    for name, value in sorted(model.state_dict().items()):
        found.update(name.encode())
        found.update(value.numpy().tobytes())
    return found.hexdigest()
