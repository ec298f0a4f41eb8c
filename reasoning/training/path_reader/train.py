"""Training of the path reader, list-wise: of the paths of a question, the right ones are to score best.

The bi-encoder and the cross-encoder learn at the same time, each by its own scores. Published word vectors and lower
layers stay as they are. Afterwards the weights of a path's figures are fitted on held-out questions.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import torch
from torch import nn
from torch.nn import functional

from reasoning.scorers.encoder.minilm import AdaptedLinear, mean_vectors, padded
from reasoning.scorers.path_reader.texts import PairTokens, path_text
from reasoning.training.encoder.epochs import Trained, train_epochs
from reasoning.training.path_reader.lessons import fewer

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from torch import Tensor

    from reasoning.scorers.encoder.minilm import Words
    from reasoning.scorers.path_reader.weights import PathEncoders
    from reasoning.training.encoder.train import Progress
    from reasoning.training.path_reader.lessons import PathLesson
    from reasoning.training.path_reader.recipe import PathReaderSettings

_SCALE = 20.0
"""The bi-encoder's likenesses, -1 to 1, are multiplied by it before the softmax."""
_READ_AT_ONCE = 48
"""Texts of similar length that are read in one batch."""
_FIT_STEPS = 300
_FIT_RATE = 0.05
_STAY = 0.01
"""How strongly fitted weights are drawn towards those before."""


class PathModel(nn.Module):
    """The two encoders while they are trained."""

    def __init__(self, encoders: PathEncoders, words: Words, first_layer: int) -> None:
        """Take the encoders; their changes in the layers from ``first_layer`` on learn."""
        super().__init__()
        self.apart, self.together = encoders.apart, encoders.together
        self.head = encoders.head
        self._encoders = encoders
        self._words = words
        self._tokens = PairTokens(words)
        for encoder in (self.apart, self.together):
            for layer in list(encoder.layers)[first_layer:]:
                for module in layer.modules():
                    if isinstance(module, AdaptedLinear) and module.up is not None and module.down is not None:
                        module.up.requires_grad_()
                        module.down.requires_grad_()

    def loss(self, lessons: Sequence[PathLesson]) -> Tensor:
        """The mean over the lessons: how improbable the right paths are by each encoder."""
        texts = list(dict.fromkeys(text for one in lessons for text in (one.question, *map(path_text, one.paths))))
        vectors = self._vectors(texts)
        row = {text: place for place, text in enumerate(texts)}
        losses: list[Tensor] = []
        for lesson in lessons:
            right = torch.tensor(lesson.right)
            paths = vectors[[row[path_text(path)] for path in lesson.paths]]
            losses.append(_improbable(_SCALE * (paths @ vectors[row[lesson.question]]), right))
            asked = self._tokens.question(lesson.question)
            scores = self._encoders.scores(asked, [self._tokens.path(path) for path in lesson.paths])
            losses.append(_improbable(scores, right))
        return torch.stack(losses).sum() / len(lessons)

    def _vectors(self, texts: Sequence[str]) -> Tensor:
        """(n, width), by the bi-encoder."""
        ids = self._words.ids(texts)
        order = sorted(range(len(ids)), key=lambda place: len(ids[place]))
        read: list[Tensor] = []
        for at in range(0, len(order), _READ_AT_ONCE):
            batch, lengths = padded([ids[place] for place in order[at : at + _READ_AT_ONCE]])
            read.append(mean_vectors(self.apart.run(self.apart.embed(batch), lengths, slice(None)), lengths))
        back = torch.empty(len(order), dtype=torch.long)
        back[order] = torch.arange(len(order))
        return torch.cat(read)[back]


def _improbable(scores: Tensor, right: Tensor) -> Tensor:
    return -torch.logsumexp(functional.log_softmax(scores, -1)[right], -1)


def train_path_reader(
    model: PathModel,
    lessons: Sequence[PathLesson],
    settings: PathReaderSettings,
    *,
    recipe: dict[str, Any],
    checkpoint: Path | None = None,
    progress: Callable[[Progress], None] = lambda _: None,
    stop: Callable[[], bool] = lambda: False,
) -> Trained:
    """Train a model in place; see `train_epochs`."""

    def of_epoch(chance: random.Random) -> list[Callable[[], Tensor | None]]:
        mixed = chance.sample(list(lessons), len(lessons))
        drawn = [fewer(one, settings.paths, [chance.random() for _ in one.paths]) for one in mixed]
        return [partial(model.loss, drawn[at : at + settings.batch]) for at in range(0, len(drawn), settings.batch)]

    return train_epochs(
        model,
        of_epoch,
        settings,
        batches=len(range(0, len(lessons), settings.batch)),
        recipe=recipe,
        checkpoint=checkpoint,
        progress=progress,
        stop=stop,
    )


def fitted_weights(read: Sequence[tuple[Tensor, PathLesson]], before: Tensor) -> Tensor:
    """(`FIGURES`,): the weights under which the right paths of held-out lessons are most probable.

    They stay near those ``before``, the nearer the fewer lessons there are. ``read`` are the figures of the paths of
    each lesson.
    """
    if not read:
        return before
    spread = torch.cat([figures for figures, _ in read]).std(0).clamp(min=1e-3)
    start = before * spread
    weights = start.clone().requires_grad_()
    optimizer = torch.optim.Adam([weights], _FIT_RATE)
    for _ in range(_FIT_STEPS):
        losses = [
            _improbable((figures / spread) @ weights - 1e4 * torch.tensor(one.neutral), torch.tensor(one.right))
            for figures, one in read
        ]
        away = ((weights - start) ** 2).sum()
        loss = torch.stack(losses).sum() + _STAY * len(before) * away
        optimizer.zero_grad()
        torch.autograd.backward(loss)
        optimizer.step()
    return (weights / spread).detach()
