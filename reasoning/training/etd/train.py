"""Training of an explorer: the negative log-likelihood of the answers, by Adam (arXiv 2406.01145, section 3.1)."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from reasoning.strategies.etd.explorer import chosen_depths, explore
from reasoning.training.encoder.epochs import train_epochs

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from torch import Tensor

    from reasoning.scorers.encoder.frozen_texts import FrozenTexts
    from reasoning.strategies.etd.explorer import Exploration
    from reasoning.strategies.etd.model import ExplorerModel
    from reasoning.training.encoder.epochs import Trained
    from reasoning.training.encoder.train import Progress
    from reasoning.training.etd.lessons import Classroom, Lesson
    from reasoning.training.etd.recipe import ExplorerSettings


def explored(
    model: ExplorerModel,
    room: Classroom,
    texts: FrozenTexts,
    lessons: Sequence[Lesson],
    ends_after: int | None = None,
) -> Exploration:
    """What the explorer makes of some questions of one graph; see `explore`."""
    return explore(
        model,
        room.store,
        room.edges,
        room.relations,
        [lesson.topic for lesson in lessons],
        texts.of([lesson.text for lesson in lessons]).clone(),
        [lesson.may_recur for lesson in lessons],
        ends_after,
    )


def by_depth(
    model: ExplorerModel, texts: FrozenTexts, lessons: Sequence[Lesson], batch: int
) -> Iterator[tuple[int, Sequence[Lesson]]]:
    """The questions in batches of one depth, the most probable of each."""
    with torch.inference_mode():
        depths = chosen_depths(model, texts.of([lesson.text for lesson in lessons])) if lessons else []
    for depth in sorted(set(depths)):
        alike = [lesson for lesson, its in zip(lessons, depths, strict=True) if its == depth]
        yield from ((depth, alike[at : at + batch]) for at in range(0, len(alike), batch))


LAYER_SAVED = 0.05
"""What each layer that is expected not to be explored takes off the loss (ours). What is near stays, so that it can be
ranked as well a layer later: nothing else speaks for the smaller of two depths."""


def loss_of(found: Exploration, lessons: Sequence[Lesson]) -> Tensor | None:
    """The mean over questions of the mean of -log p(q, a) over the answers a that are candidates, less `LAYER_SAVED`.

    The paper sums over answers; a mean (ours) lets a question with a hundred answers count no more than others. An
    answer outside C gives no loss; None where no question has one in it.
    """
    layer = found.layers[-1]
    lost: list[Tensor] = []
    for number, lesson in enumerate(lessons):
        rows = np.flatnonzero((layer.question == number) & np.isin(layer.term, lesson.answers))
        if len(rows):
            lost.append(-found.log_probabilities[torch.from_numpy(rows)].mean())
    if not lost:
        return None
    depths = found.log_depths.exp()
    saved = depths @ torch.arange(depths.shape[1] - 1, -1, -1, dtype=depths.dtype)
    return torch.stack(lost).mean() - LAYER_SAVED * saved.mean()


def train_explorer(
    model: ExplorerModel,
    rooms: Sequence[Classroom],
    texts: FrozenTexts,
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
    batches = [(room, at) for room in rooms for at in range(0, len(room.taught), settings.batch) if settings.batch]

    def of_epoch(chance: random.Random) -> list[Callable[[], Tensor | None]]:
        order = {id(room): chance.sample(room.taught, len(room.taught)) for room in rooms}

        def loss(room: Classroom, at: int) -> Tensor | None:
            lessons = order[id(room)][at : at + settings.batch]
            return loss_of(explored(model, room, texts, lessons), lessons)

        return [partial(loss, room, at) for room, at in chance.sample(batches, len(batches))]

    model.text_dropout.p = settings.text_dropout
    try:
        return train_epochs(
            model,
            of_epoch,
            settings,
            batches=len(batches),
            recipe=recipe,
            checkpoint=checkpoint,
            progress=progress,
            stop=stop,
        )
    finally:
        model.text_dropout.p = 0.0


def figures(model: ExplorerModel, room: Classroom, texts: FrozenTexts, batch: int) -> dict[str, Any]:
    """How the explorer alone does on the held-out questions of a source.

    ``hits_at_1``: the candidate with the largest p is an answer; ``answers_kept``: the mean share of a question's
    answers that are candidates; ``reached``: the share of questions of which at least one is.
    """
    hits = reached = 0
    kept = 0.0
    for depth, lessons in by_depth(model, texts, room.held_out, batch):
        with torch.inference_mode():
            found = explored(model, room, texts, lessons, depth)
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
