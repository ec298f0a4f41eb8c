"""Changes of trainings. As with runs, every move is one conditional UPDATE."""

from __future__ import annotations

import logging
import os
import time
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from django.db import IntegrityError, InterfaceError, OperationalError, transaction
from django.db.models import Q
from django.utils import timezone

from reasoning.errors import ReasoningError
from reasoning.scorers.registry import ScorerNameError, trained_name
from reasoning.training.recipe import Recipe, RecipeError, read_recipe, recipe_names
from reasoning.training.sources import Sources
from webapp import engine
from webapp.accounts.audit import audited
from webapp.accounts.models import Audited
from webapp.accounts.permissions import Action, may_ensure
from webapp.datasets.files import datasets_folder
from webapp.disk import is_no_room, room_check, write_refused
from webapp.http.errors import ProductError, room_ensure
from webapp.redaction import without_folders
from webapp.scorers.models import Training
from webapp.work.lease import ClaimLostError, lease_renewed
from webapp.work.one_at_a_time import Line
from webapp.work.states import Status

if TYPE_CHECKING:
    import uuid
    from collections.abc import Callable

    from reasoning.training.train import Progress
    from webapp.accounts.viewer import Viewer
    from webapp.scorers.schemas import TrainingIn

log = logging.getLogger(__name__)

TASK = "scorers.training_execute"
"""The Celery task that works one off. Messages in the broker bear it, so it never changes."""
TOLD_SECONDS = 0.5
"""Progress is written down no more often."""
trainings = Line(
    Training.objects, TASK, "The worker stopped {times} times while it trained. See its log, then resume this."
)
trainings_recover = trainings.recover


def training_create(*, wanted: TrainingIn, viewer: Viewer) -> Training:
    """Queue a training.

    Raises:
        ProductError: the viewer may not, or the name, the recipe or its data will not do.

    """
    may_ensure(viewer, Action.MANAGE_TRAININGS)
    room_ensure()
    if wanted.recipe not in recipe_names():
        known = ", ".join(recipe_names())
        raise ProductError(422, "unknown_recipe", f"There is no recipe “{wanted.recipe}”. Choose one of: {known}.")
    try:
        name = trained_name(wanted.name)
        Sources(read_recipe(wanted.recipe), training_data())
    except (ScorerNameError, RecipeError) as error:
        raise ProductError(422, error.code, without_folders(str(error), training_data())) from error
    if name in engine.scorer_names():
        raise ProductError(422, "scorer_name", f"There is a scorer “{name}” already. Choose another name.")
    try:
        with transaction.atomic():
            training = Training.objects.create(
                name=name,
                recipe=wanted.recipe,
                epochs=wanted.epochs,
                seed=wanted.seed,
                starter=viewer.user,
                enqueued_at=timezone.now(),
            )
            audited(viewer, Audited.TRAINING_STARTED, name, after=wanted.recipe)
            transaction.on_commit(partial(trainings.deliver, training.pk))
    except IntegrityError as error:
        message = f"A scorer “{name}” is in the making already. Choose another name."
        raise ProductError(422, "scorer_name", message) from error
    return training


def training_cancel(*, training: Training, viewer: Viewer) -> Training:
    """Stop a training; whole epochs stay. One that is over stays as it is.

    Raises:
        ProductError: the viewer may not.

    """
    may_ensure(viewer, Action.MANAGE_TRAININGS)
    with transaction.atomic():
        if trainings.close(training.pk, Status.CANCELLED):
            audited(viewer, Audited.TRAINING_CANCELLED, training.name, before=training.status)
    training.refresh_from_db()
    return training


def training_resume(*, training: Training, viewer: Viewer) -> Training:
    """Go on with a training that was cancelled or failed, from its last whole epoch.

    Raises:
        ProductError: the viewer may not, or another one makes a scorer of this name.

    """
    may_ensure(viewer, Action.MANAGE_TRAININGS)
    stopped = Q(status__in=(Status.CANCELLED, Status.FAILED))
    try:
        with transaction.atomic():
            if Training.objects.filter(stopped, pk=training.pk).update(
                status=Status.QUEUED, reason="", attempts=0, finished_at=None, enqueued_at=timezone.now()
            ):
                audited(viewer, Audited.TRAINING_RESUMED, training.name, before=training.status)
                transaction.on_commit(partial(trainings.deliver, training.pk))
    except IntegrityError as error:
        message = f"Another training makes a scorer “{training.name}”. Stop that one first."
        raise ProductError(409, "scorer_name", message) from error
    training.refresh_from_db()
    return training


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
        else:
            log.warning("training %s failed: %s", training_id, error.for_operators)
            reason = without_folders(error.for_people, training_data(), engine.scorers_folder())
            trainings.close(training_id, Status.FAILED, reason, only=Q(claim=training.claim))
    except (OperationalError, InterfaceError) as error:
        _unwritten(training, error)
    except Exception as error:
        if is_no_room(error):
            _unwritten(training, error)
            return
        log.exception("training %s broke", training_id)
        reason = "The training broke. See the worker's log, then resume it."
        trainings.close(training_id, Status.FAILED, reason, only=Q(claim=training.claim))
    else:
        trainings.close(training_id, Status.SUCCEEDED, only=Q(claim=training.claim))
    if not stopping():
        trainings.deliver_next()


def training_data() -> Path:
    """The folder that recipes read: the one that ``DISCERN_DATA`` names, else that of the site's datasets."""
    named = os.environ.get("DISCERN_DATA")
    return Path(named) if named else datasets_folder()


def _build(training: Training, stop: Callable[[], bool]) -> None:
    # torch takes seconds to import; only a worker that trains needs it.
    from reasoning.training.build import build_scorer  # noqa: PLC0415

    build_scorer(
        engine.scorers_folder() / training.name,
        _recipe(training),
        data=training_data(),
        name=training.name,
        command=f"a training of {training.created_at:%Y-%m-%d} on the site",
        progress=_ProgressWriter(training).write,
        stop=stop,
    )


def _recipe(training: Training) -> Recipe:
    recipe = read_recipe(training.recipe)
    chosen = {"epochs": training.epochs, "seed": training.seed}
    given = {key: value for key, value in chosen.items() if value is not None}
    return replace(recipe, settings=replace(recipe.settings, **given))


class _ProgressWriter:
    """Writes down where a training stands, now and then."""

    def __init__(self, training: Training) -> None:
        self._training = training
        self._told = -TOLD_SECONDS

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
        ):
            raise ClaimLostError


def _unwritten(training: Training, error: Exception) -> None:
    """What becomes of a training where something could not be written; its whole epochs stay.

    It ends where the disk is full. What the database did not take otherwise is tried again, once the lease is over.
    """
    try:
        if is_no_room(error):
            write_refused(error)
            reason = "The disk of this site is full. Free space, then resume: it goes on from its last whole epoch."
            trainings.close(training.pk, Status.FAILED, reason, only=Q(claim=training.claim))
        else:
            log.error("training %s met a fault of the database: %s", training.pk, error)
    except (OperationalError, InterfaceError) as again:
        log.warning("training %s goes on once its lease is over: %s", training.pk, again)
