"""What a worker does for a training: it trains epoch by epoch, and goes on from the last whole one."""

from __future__ import annotations

import logging
import time
from functools import partial
from typing import TYPE_CHECKING, Any

from django.db import InterfaceError, OperationalError
from django.db.models import Q
from django.utils import timezone

from reasoning.core.errors import ReasoningError
from webapp import engine
from webapp.models.trainings.trainers.bases import base_folders
from webapp.models.trainings.trainers.held_out import held_out_keys
from webapp.models.trainings.trainers.registry import TRAINERS, Job
from webapp.models.trainings.trainers.training_data import training_data
from webapp.models.trainings.transitions import trainings
from webapp.platform.disk import is_no_room, room_check
from webapp.platform.redaction import without_folders
from webapp.platform.work.lease import ClaimLostError, lease_renewed
from webapp.platform.work.states import Status

if TYPE_CHECKING:
    import uuid
    from collections.abc import Callable

    from reasoning.training.encoder.train import Progress
    from webapp.models.trainings.models import Training

log = logging.getLogger(__name__)

TOLD_SECONDS = 0.5
"""Progress is written down no more often."""
LOGGED = 500
"""The log holds the last so many steps: an epoch of a usual training has three."""
DISK_FULL = "The disk of this site is full. Free space, then resume: it goes on from its last whole epoch."


def training_execute(*, training_id: uuid.UUID, stopping: Callable[[], bool] = lambda: False) -> None:
    """Work a training off; safe to call twice: only who wins the claim works.

    Where ``stopping`` becomes true, it goes back to the queue, and goes on from its last whole epoch.
    """
    training = trainings.claim(training_id)
    if training is None:
        return
    try:
        with lease_renewed(training.pk, partial(trainings.renew, training)) as lost:
            _build(training, lambda: stopping() or lost())
    except ClaimLostError:
        log.info("training %s was cancelled or taken over", training_id)
    except ReasoningError as error:
        # Also `TrainingStoppedError`, which cannot be imported here: its module imports torch.
        if stopping():
            trainings.release(training)
        elif error.code == "training_stopped":
            # Nobody told this process to stop, so the lease is lost.
            log.info("training %s was cancelled or taken over: %s", training_id, error.for_operators)
        else:
            log.warning("training %s failed: %s", training_id, error.for_operators)
            reason = without_folders(error.for_people, training_data(), *engine.model_folders(), *base_folders())
            trainings.fail(training, reason)
    except (OperationalError, InterfaceError) as error:
        trainings.fail_unwritten(training, error, DISK_FULL)
    except Exception as error:
        if is_no_room(error):
            trainings.fail_unwritten(training, error, DISK_FULL)
            return
        log.exception("training %s broke", training_id)
        reason = "The training broke. See the worker's log, then resume it."
        trainings.fail(training, reason)
    else:
        trainings.close(training_id, Status.SUCCEEDED, only=Q(claim=training.claim))
    if not stopping():
        trainings.deliver_next(training)


def _build(training: Training, stop: Callable[[], bool]) -> None:
    trainer = TRAINERS[training.kind]
    folder = trainer.folder(training.name)
    trainer.build(Job(training, held_out_keys(), folder, training_data(), _ProgressWriter(training).write, stop))


class _ProgressWriter:
    """Writes down where a training stands, now and then."""

    def __init__(self, training: Training) -> None:
        self._training = training
        self._told = -TOLD_SECONDS
        self._log: list[dict[str, Any]] = list(training.log)

    def write(self, progress: Progress) -> None:
        """Take up what training tells.

        Raises:
            ClaimLostError: the training is no longer ours.
            NoRoomError: the disk is nearly full.

        """
        room_check()
        if time.monotonic() - self._told < TOLD_SECONDS and progress.done < progress.total:
            return
        self._told = time.monotonic()
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
