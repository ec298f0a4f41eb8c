"""Training of an explorer: the negative log-likelihood of the answers, by Adam (arXiv 2406.01145, section 3.1)."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from reasoning.errors import ReasoningError
from reasoning.strategies.etd.explorer import explore
from reasoning.training.recipe import RecipeError
from reasoning.training.train import Progress, TrainingStoppedError, save_checkpoint

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from torch import Tensor

    from reasoning.strategies.etd.explorer import Exploration
    from reasoning.strategies.etd.model import ExplorerModel
    from reasoning.strategies.etd.weights import Texts
    from reasoning.training.explorers.lessons import Classroom, Lesson
    from reasoning.training.explorers.recipe import ExplorerSettings

_LONGEST_STEP = 1.0
"""Gradients are scaled down to this length (ours)."""


class NothingToLearnError(ReasoningError):
    """No question of a recipe has its topic in its graph."""

    code = "nothing_to_learn"


@dataclass(slots=True)
class Trained:
    """What a training came to."""

    losses: list[float] = field(default_factory=list)
    """The mean of each epoch."""
    seconds: float = 0.0


def explored(model: ExplorerModel, room: Classroom, texts: Texts, lessons: Sequence[Lesson]) -> Exploration:
    """What the explorer makes of some questions of one graph."""
    return explore(
        model,
        room.store,
        room.edges,
        room.relations,
        [lesson.topic for lesson in lessons],
        texts.of_questions([lesson.text for lesson in lessons]).clone(),
        [lesson.may_recur for lesson in lessons],
    )


def loss_of(found: Exploration, lessons: Sequence[Lesson]) -> Tensor | None:
    """The mean over questions of the mean of -log p(q, a) over the answers a that are candidates.

    The paper sums over answers; a mean (ours) lets a question with a hundred answers count no more than others. An
    answer outside C gives no loss; None where no question has one in it.
    """
    layer = found.layers[-1]
    lost: list[Tensor] = []
    for number, lesson in enumerate(lessons):
        rows = np.flatnonzero((layer.question == number) & np.isin(layer.term, lesson.answers))
        if len(rows):
            lost.append(-found.log_probabilities[torch.from_numpy(rows)].mean())
    return torch.stack(lost).mean() if lost else None


def train_explorer(
    model: ExplorerModel,
    rooms: Sequence[Classroom],
    texts: Texts,
    settings: ExplorerSettings,
    *,
    recipe: dict[str, Any],
    checkpoint: Path | None = None,
    progress: Callable[[Progress], None] = lambda _: None,
    stop: Callable[[], bool] = lambda: False,
) -> Trained:
    """Train a model in place. With ``checkpoint``, one that was broken off goes on after its last whole epoch.

    Raises:
        NothingToLearnError: there are no questions.
        RecipeError: the checkpoint is of another recipe.
        TrainingStoppedError: ``stop`` said so; it is asked before every batch.

    """
    started = perf_counter()
    batches = [(room, at) for room in rooms for at in range(0, len(room.taught), settings.batch) if settings.batch]
    if not batches:
        raise NothingToLearnError(
            "No question of this recipe has its topic in its graph, so there is nothing to learn."
        )
    done = Trained()
    total = settings.epochs * len(batches)
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
        chance = random.Random(f"{settings.seed} {epoch}")  # noqa: S311 - no secret
        order = {id(room): chance.sample(room.taught, len(room.taught)) for room in rooms}
        mixed = chance.sample(batches, len(batches))
        sum_ = 0.0
        for number, (room, at) in enumerate(mixed, start=1):
            if stop():
                raise TrainingStoppedError(
                    "The training was stopped. Start it again to go on from its last whole epoch."
                )
            lessons = order[id(room)][at : at + settings.batch]
            loss = loss_of(explored(model, room, texts, lessons), lessons)
            adam.zero_grad()
            if loss is not None:
                torch.autograd.backward(loss)
                torch.nn.utils.clip_grad_norm_(model.parameters(), _LONGEST_STEP)
                adam.step()
                sum_ += float(loss.detach())
            falling.step()
            seconds = before + perf_counter() - started
            progress(Progress("training", epoch, settings.epochs, number, len(mixed), sum_ / number, seconds))
        done.losses.append(sum_ / len(mixed))
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


def figures(model: ExplorerModel, room: Classroom, texts: Texts, batch: int) -> dict[str, Any]:
    """How the explorer alone does on the held-out questions of a source.

    ``hits_at_1``: the candidate with the largest p is an answer; ``answers_kept``: the mean share of a question's
    answers that are candidates; ``reached``: the share of questions of which at least one is.
    """
    hits = reached = 0
    kept = 0.0
    for at in range(0, len(room.held_out), batch):
        lessons = room.held_out[at : at + batch]
        with torch.inference_mode():
            found = explored(model, room, texts, lessons)
        layer = found.layers[-1]
        values = found.log_probabilities.numpy()
        for number, lesson in enumerate(lessons):
            mine = layer.question == number
            among = np.isin(lesson.answers, layer.term[mine])
            kept += float(among.mean())
            reached += bool(among.any())
            if not lesson.topic_may_answer:
                mine &= layer.term != lesson.topic
            rows = np.flatnonzero(mine)
            if len(rows):
                hits += bool(np.isin(layer.term[rows[np.argmax(values[rows])]], lesson.answers))
    asked = len(room.held_out)
    return {
        "taught": len(room.taught),
        "asked": asked,
        "hits_at_1": hits / asked if asked else None,
        "answers_kept": kept / asked if asked else None,
        "reached": reached / asked if asked else None,
    }
