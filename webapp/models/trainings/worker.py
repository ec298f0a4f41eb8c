"""Worker side of a training: it trains epoch by epoch, and goes on from the last whole one."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from django.db.models import Q
from django.utils import timezone

from reasoning.core.errors import ReasoningError
from webapp.models.trainings.trainers.held_out import held_out_keys
from webapp.models.trainings.trainers.registry import TRAINERS, Job
from webapp.models.trainings.trainers.training_data import training_data
from webapp.models.trainings.transitions import trainings
from webapp.platform.disk import room_check
from webapp.platform.work.lease import ClaimLostError
from webapp.platform.work.states import Status
from webapp.platform.work.turn import HandedBackError
from webapp.platform.work.worker import worker_of

if TYPE_CHECKING:
    from reasoning.training.encoder.train import Progress
    from webapp.models.trainings.models import Training
    from webapp.platform.work.turn import Turn

PROGRESS_SECONDS = 0.5
"""Progress is written down no more often."""
LOGGED = 500
"""Number of the last steps that the log holds: an epoch of a usual training has three."""


@worker_of(trainings)
def training_execute(turn: Turn[Training]) -> None:
    """Train; a training that was given back resumes from its last whole epoch."""
    training = turn.item
    trainer = TRAINERS[training.kind]
    folder = trainer.folder(training.name)
    writer = _ProgressWriter(training)
    job = Job(
        training, held_out_keys(), folder, training_data(), writer.write, lambda: turn.stopping() or turn.is_lost()
    )
    try:
        trainer.build(job)
    except ReasoningError as error:
        if turn.stopping():
            raise HandedBackError from error
        # `TrainingStoppedError` cannot be imported here: its module imports torch.
        if error.code == "training_stopped":
            raise ClaimLostError(error.for_operators) from error
        raise
    trainings.close(training.pk, Status.SUCCEEDED, only=Q(claim=training.claim))


class _ProgressWriter:
    """Writes down where a training stands, now and then."""

    def __init__(self, training: Training) -> None:
        self._training = training
        self._reported_at = -PROGRESS_SECONDS
        self._log: list[dict[str, Any]] = list(training.log)

    def write(self, progress: Progress) -> None:
        """Take up what training tells.

        Raises:
            ClaimLostError: the training is no longer ours.
            NoRoomError: the disk is nearly full.

        """
        room_check()
        if time.monotonic() - self._reported_at < PROGRESS_SECONDS and progress.done < progress.total:
            return
        self._reported_at = time.monotonic()
        if not trainings.held(self._training).update(
            stage=progress.stage,
            epoch=progress.epoch,
            of_epochs=progress.epochs,
            done=progress.done,
            total=progress.total,
            loss=progress.loss,
            log=self._logged(progress),
        ):
            raise ClaimLostError

    def _logged(self, progress: Progress) -> list[dict[str, Any]]:
        """What was done so far, with what came to its end just now."""
        if progress.done == progress.total:
            step = {"stage": progress.stage, "epoch": progress.epoch, "done": progress.done, "loss": progress.loss}
            if not self._log or {**self._log[-1], "at": None} != {**step, "at": None}:
                self._log = [*self._log, {"at": timezone.now().isoformat(timespec="seconds"), **step}][-LOGGED:]
        return self._log
