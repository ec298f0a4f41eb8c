"""What trains each kind of model on the site. Another kind is one file with its functions and one entry here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from webapp import engine
from webapp.models.trainings.models import TrainingKind
from webapp.models.trainings.trainers import causal as causal_training
from webapp.models.trainings.trainers import encoder as encoder_training
from webapp.models.trainings.trainers import strategies as strategy_training
from webapp.models.trainings.trainers.bases import base_queue
from webapp.models.trainings.trainers.scorer_wanted import scorer_wanted

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from reasoning.training.encoder.train import Progress
    from webapp.models.trainings.models import Training
    from webapp.models.trainings.schemas import TrainingIn, TrainingSettingsIn
    from webapp.models.trainings.trainers.held_out import HeldOutKeys
    from webapp.platform.work.queues import Queue


@dataclass(frozen=True, slots=True)
class Chosen:
    """What a user chose for a training besides its sources."""

    base: str
    start: str
    settings: TrainingSettingsIn


@dataclass(frozen=True, slots=True)
class Job:
    """A training that a worker holds, and all that it needs to make the model."""

    training: Training
    held_out: HeldOutKeys
    """The questions that may teach nothing."""
    folder: Path
    """Where the model will lie."""
    data: Path
    """Where the files of recipes lie."""
    progress: Callable[[Progress], None]
    stop: Callable[[], bool]

    @property
    def command(self) -> str:
        """What the card says of how the model came about."""
        return f"a training of {self.training.created_at:%Y-%m-%d} on the site"


@dataclass(frozen=True, slots=True)
class Trainer:
    """What trains a kind of model."""

    wanted: Callable[[TrainingIn], str]
    """Sees that a name and a recipe will do, and gives the recipe's text where it was sent; raises `ProductError`."""
    ensure: Callable[[Chosen], None]
    """Sees that what was chosen will do, before anything is queued; raises `ProductError`."""
    queue: Callable[[str], Queue]
    """Where a training of a base waits."""
    folder: Callable[[str], Path]
    """Where a model of a name lies."""
    build: Callable[[Job], None]
    """Trains, in a worker; raises `ReasoningError`. One that was broken off resumes where it stopped."""


def _scorer_folder(name: str) -> Path:
    return engine.scorers_folder() / name


TRAINERS: Mapping[str, Trainer] = {
    TrainingKind.ENCODER: Trainer(
        scorer_wanted, encoder_training.ensure, encoder_training.queue, _scorer_folder, encoder_training.build
    ),
    TrainingKind.CAUSAL: Trainer(
        scorer_wanted, causal_training.ensure, base_queue, _scorer_folder, causal_training.build
    ),
    TrainingKind.STRATEGY: Trainer(
        strategy_training.wanted,
        strategy_training.ensure,
        strategy_training.queue,
        strategy_training.folder,
        strategy_training.build,
    ),
}
