"""What trains each kind of model on the site. Another kind is one file with its three functions and one entry here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from webapp.scorers import causal_training, encoder_training
from webapp.scorers.bases import base_queue
from webapp.scorers.models import TrainingKind

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from reasoning.datasets.identity import QuestionKey
    from reasoning.training.train import Progress
    from webapp.scorers.lessons import Taught
    from webapp.scorers.models import Training
    from webapp.scorers.schemas import TrainingSettingsIn
    from webapp.work.queues import Queue


@dataclass(frozen=True, slots=True)
class Chosen:
    """What somebody chose of a training beside what it learns from."""

    base: str
    start: str
    settings: TrainingSettingsIn


@dataclass(frozen=True, slots=True)
class Job:
    """A training that a worker holds, and all that it needs to make the model."""

    training: Training
    taught: Taught
    folder: Path
    """Where the model will lie."""
    data: Path
    """Where the files of recipes lie."""
    kept_out: Callable[[QuestionKey], bool]
    """Whether a question may teach nothing."""
    progress: Callable[[Progress], None]
    stop: Callable[[], bool]

    @property
    def command(self) -> str:
        """What the card says of how the model came about."""
        return f"a training of {self.training.created_at:%Y-%m-%d} on the site"


@dataclass(frozen=True, slots=True)
class Trainer:
    """What trains a kind of model."""

    ensure: Callable[[Chosen], None]
    """Sees that what was chosen will do, before anything is queued; raises `ProductError`."""
    queue: Callable[[str], Queue]
    """Where a training of a base waits."""
    build: Callable[[Job], None]
    """Trains, in a worker; raises `ReasoningError`. One that was broken off goes on where it was."""


TRAINERS: Mapping[str, Trainer] = {
    TrainingKind.ENCODER: Trainer(encoder_training.ensure, encoder_training.queue, encoder_training.build),
    TrainingKind.CAUSAL: Trainer(causal_training.ensure, base_queue, causal_training.build),
}
