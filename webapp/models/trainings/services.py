"""What people change of trainings: they start, stop and resume them."""

from __future__ import annotations

from functools import partial
from pathlib import PurePath
from typing import TYPE_CHECKING

from django.db import IntegrityError, transaction
from django.utils import timezone

from kgstore.store import GraphStoreError
from reasoning.scorers.registry import ScorerNameError, trained_name
from reasoning.training.recipe.recipe import BUNDLED_RECIPE, RecipeError, recipe_in, recipe_names
from webapp import engine
from webapp.accounts.audit import audited
from webapp.accounts.models import Audited
from webapp.accounts.permissions import Action, may_ensure
from webapp.datasets.selectors import dataset_get
from webapp.models.trainings.models import SiteRecipe, Training, TrainingLesson
from webapp.models.trainings.trainers.registry import TRAINERS, Chosen
from webapp.models.trainings.transitions import trainings
from webapp.platform.http.errors import ProductError, graph_error, room_ensure
from webapp.platform.work.states import Status

if TYPE_CHECKING:
    from reasoning.training.recipe.recipe import Recipe
    from webapp.accounts.viewer import Viewer
    from webapp.models.trainings.schemas import LessonIn, RecipeIn, TrainingIn

SETTINGS_KEPT = ("epoch_samples", "learning_rate", "dev_share")
"""What of the wishes has no column of its own."""


def training_create(*, wanted: TrainingIn, viewer: Viewer) -> Training:
    """Queue a training.

    Raises:
        ProductError: the viewer may not, or the name, the recipe or its data will not do.

    """
    may_ensure(viewer, Action.MANAGE_TRAININGS)
    room_ensure()
    lessons = [_lesson(lesson) for lesson in wanted.lessons]
    trainer = TRAINERS[wanted.kind]
    text = trainer.wanted(wanted)
    trainer.ensure(Chosen(wanted.base, wanted.start, wanted))
    try:
        with transaction.atomic():
            training = Training.objects.create(
                name=wanted.name,
                kind=wanted.kind,
                base=wanted.base,
                queue=trainer.queue(wanted.base).value,
                recipe=wanted.recipe,
                recipe_text=text,
                start=wanted.start,
                how={key: value for key in SETTINGS_KEPT if (value := getattr(wanted, key)) is not None},
                epochs=wanted.epochs,
                seed=wanted.seed,
                starter=viewer.user,
                enqueued_at=timezone.now(),
            )
            for lesson in lessons:
                lesson.training = training
                lesson.save()
            audited(viewer, Audited.TRAINING_STARTED, wanted.name, after=wanted.recipe or "; ".join(map(str, lessons)))
            transaction.on_commit(partial(trainings.deliver, training))
    except IntegrityError as error:
        message = f"A model “{wanted.name}” is in the making already. Choose another name, or stop that one."
        raise ProductError(422, "scorer_name", message) from error
    return training


def _lesson(wanted: LessonIn) -> TrainingLesson:
    """The row of a lesson, without its training.

    Raises:
        ProductError: there is no such dataset, graph or overlay.

    """
    if wanted.dataset is None:
        return TrainingLesson(share=wanted.share)
    dataset = dataset_get(dataset_id=wanted.dataset)
    if not dataset.is_loaded:
        message = f"“{dataset.name}” is not loaded yet. Wait until it is, or choose another dataset."
        raise ProductError(422, "not_loaded", message)
    graph = wanted.graph or engine.default_graph()
    try:
        engine.graph(graph).info()
    except GraphStoreError as error:
        raise graph_error(error, status=422) from error
    return TrainingLesson(
        dataset=dataset,
        graph=graph,
        share=wanted.share,
        topics=wanted.topics,
        overlay=wanted.overlay,
        least_precision=wanted.least_precision,
    )


def recipe_send(*, wanted: RecipeIn, viewer: Viewer) -> SiteRecipe:
    """Keep a recipe for trainings of this site; one of the same name takes the place of the one before.

    Raises:
        ProductError: the viewer may not, the name will not do, or the text is no recipe: ``line`` and ``key`` tell
            where.

    """
    may_ensure(viewer, Action.MANAGE_TRAININGS)
    room_ensure()
    if wanted.name in recipe_names():
        message = f"The recipe “{wanted.name}” comes with Discern. Choose another name."
        raise ProductError(422, "recipe_name", message)
    try:
        name = trained_name(wanted.name)
    except ScorerNameError as error:
        raise ProductError(422, "recipe_name", str(error).replace("scorer", "recipe")) from error
    try:
        recipe = recipe_in(name, wanted.text)
    except RecipeError as error:
        where = "" if error.line is None else f"Line {error.line}: "
        raise ProductError(422, error.code, f"{where}{error}", line=error.line, key=error.key) from error
    _below_data_ensure(recipe)
    with transaction.atomic():
        kept, _ = SiteRecipe.objects.update_or_create(name=name, defaults={"text": wanted.text, "sender": viewer.user})
        audited(viewer, Audited.RECIPE_SENT, name, after=recipe.title)
    return kept


def _below_data_ensure(recipe: Recipe) -> None:
    """See that a recipe that came over the network names no file outside of the site's folder of data.

    Raises:
        ProductError: it does.

    """
    if recipe.start not in ("", BUNDLED_RECIPE):
        message = f"“start” names a folder. Leave it out, or write {BUNDLED_RECIPE}; the form has the site's models."
        raise ProductError(422, "recipe", message, line=None, key="start")
    for source in (*recipe.sources, *recipe.tests):
        for key in ("dataset", "graph", "names", "schema", "paths", "renamed"):
            path = PurePath(getattr(source, key))
            if path.is_absolute() or ".." in path.parts:
                message = f"The source “{source.name}”: “{key}” should name a file in the site's folder of data."
                raise ProductError(422, "recipe", message, line=None, key=key)


def recipe_remove(*, name: str, viewer: Viewer) -> None:
    """Remove a recipe that was sent; trainings that began with it keep it.

    Raises:
        ProductError: the viewer may not, or there is no uploaded recipe of that name.

    """
    may_ensure(viewer, Action.MANAGE_TRAININGS)
    with transaction.atomic():
        if not SiteRecipe.objects.filter(name=name).delete()[0]:
            raise ProductError(404, "unknown_recipe", "No uploaded recipe has that name. Choose one from the list.")
        audited(viewer, Audited.RECIPE_REMOVED, name)


def training_cancel(*, training: Training, viewer: Viewer) -> Training:
    """Stop a training; whole epochs stay. An ended one stays as it is.

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
    try:
        with transaction.atomic():
            if trainings.resume(training):
                audited(viewer, Audited.TRAINING_RESUMED, training.name, before=training.status)
    except IntegrityError as error:
        message = f"Another training makes a scorer “{training.name}”. Stop that one first."
        raise ProductError(409, "scorer_name", message) from error
    training.refresh_from_db()
    return training
