"""Training of the path reader, list-wise: of the paths of a question, the right ones are to score best.

The bi-encoder and the cross-encoder learn at the same time, each by its own scores. Published word vectors and lower
layers stay as they are. Afterwards the weights of a path's figures are fitted on held-out questions.
"""

from __future__ import annotations

from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import torch
from torch import nn
from torch.nn import functional
from torch.nn.utils.rnn import pad_sequence

from reasoning.scorers.encoder.minilm import AdaptedLinear, mean_vectors, padded
from reasoning.scorers.path_reader.texts import PairTokens, path_text
from reasoning.scorers.path_reader.weights import FigureWeights
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
_LEAST_SPREAD = 1e-3
_NEVER = 1e4
_REMOVED = 0.01
"""How much a question counts whose right paths are removed, compared with one that has an answer."""
_STAY = 1.0
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


def fitted_scores(groups: Sequence[Sequence[tuple[Tensor, PathLesson]]], before: FigureWeights) -> FigureWeights:
    """The weights of the figures, and the log-odds of no path, under which the truth is most probable.

    True are the right paths of a lesson; and no path where the right ones are removed, with what has any of their
    answers or goes on from them. The weights of the figures stay near those ``before``, the nearer the fewer lessons
    there are.

    Args:
        groups: lessons of one graph each, with the figures of their paths. Each group counts the same.
        before: where to start.

    """
    read = [(figures, lesson, 1 / len(group)) for group in groups for figures, lesson in group]
    if not read:
        return before
    figures = pad_sequence([figures for figures, _, _ in read], batch_first=True)
    spread = torch.cat([figures for figures, _, _ in read]).std(0).clamp(min=_LEAST_SPREAD)
    right, compared, left = (
        pad_sequence([torch.tensor(places(lesson)) for _, lesson, _ in read], batch_first=True)
        for places in (attrgetter("right"), _compared, _left)
    )
    share = torch.tensor([weight for _, _, weight in read]) * len(read) / len(groups)
    start = torch.cat([before.weights * spread, torch.tensor([before.no_path])])
    fitted = start.clone().requires_grad_()
    optimizer = torch.optim.Adam([fitted], _FIT_RATE)
    for _ in range(_FIT_STEPS):
        scores = (figures / spread) @ fitted[:-1]
        no_path = fitted[-1].expand(len(read), 1)
        answered = _log_sum(scores, compared, no_path) - _log_sum(scores, right)
        removed = (_log_sum(scores, left, no_path) - no_path[:, 0]) * left.any(1)
        loss = (share * (answered + _REMOVED * removed)).sum() + _STAY * len(start) * ((fitted - start)[:-1] ** 2).sum()
        optimizer.zero_grad()
        torch.autograd.backward(loss)
        optimizer.step()
    found = fitted.detach()
    return FigureWeights(found[:-1] / spread, float(found[-1]))


def _compared(lesson: PathLesson) -> list[bool]:
    return [not is_neutral for is_neutral in lesson.neutral]


def _left(lesson: PathLesson) -> list[bool]:
    """What a graph without the right paths would hold."""
    rights = [path for path, is_right in zip(lesson.paths, lesson.right, strict=True) if is_right]
    return [
        f1 == 0 and not any(path[: len(right)] == right for right in rights)
        for path, f1 in zip(lesson.paths, lesson.f1, strict=True)
    ]


def _log_sum(scores: Tensor, places: Tensor, no_path: Tensor | None = None) -> Tensor:
    """(n,), over some places of each row, and over no path if it is given."""
    chosen = scores.masked_fill(~places, -_NEVER)
    return torch.logsumexp(chosen if no_path is None else torch.cat([chosen, no_path], 1), 1)
