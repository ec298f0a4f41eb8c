"""A scorer that is trained to be asked a few questions, and is gone afterwards."""

from __future__ import annotations

import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from reasoning.scorers.encoder.architecture import Biases
from reasoning.scorers.encoder.scorer import EncoderScorer, model_description, save_scorer
from reasoning.training.encoder.train import train

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from torch import Tensor

    from reasoning.scorers.encoder.architecture import ModelShape
    from reasoning.training.encoder.train import Progress
    from reasoning.training.lessons.samples import TrainingSample
    from reasoning.training.recipe.settings import TrainingSettings


@contextmanager
def trial(
    samples: Iterable[TrainingSample],
    settings: TrainingSettings,
    shape: ModelShape,
    *,
    start: Mapping[str, Tensor] | None = None,
    shares: Mapping[str, float] | None = None,
    biases: Biases | None = None,
    progress: Callable[[Progress], None] = lambda _: None,
) -> Iterator[EncoderScorer]:
    """Train on samples, and give the scorer as it would be read from its folder.

    Raises:
        ScorerUnavailableError: the sentence encoder is not there.
        ValueError: there is nothing to learn from, or the weights to start from are of another shape.

    """
    result = train(samples, settings, shape=shape, start=start, shares=shares, progress=progress)
    with tempfile.TemporaryDirectory() as folder:
        card = {"name": "trial", **model_description(result.shape), **(biases or Biases()).to_json()}
        save_scorer(Path(folder), result.state, card)
        yield EncoderScorer.open(Path(folder))
