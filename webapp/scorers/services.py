"""What people change of trainings: they start, stop and resume them."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils import timezone

from reasoning.scorers.registry import ScorerNameError, trained_name
from reasoning.training.recipe import RecipeError, read_recipe, recipe_names
from reasoning.training.sources import Sources
from webapp import engine
from webapp.accounts.audit import audited
from webapp.accounts.models import Audited
from webapp.accounts.permissions import Action, may_ensure
from webapp.http.errors import ProductError, room_ensure
from webapp.redaction import without_folders
from webapp.scorers.models import Training
from webapp.scorers.training_data import training_data
from webapp.scorers.transitions import trainings
from webapp.work.states import Status

if TYPE_CHECKING:
    from webapp.accounts.viewer import Viewer
    from webapp.scorers.schemas import TrainingIn


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
