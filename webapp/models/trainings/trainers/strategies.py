"""Trainings of the weights that a strategy has of its own. They take the place of those that it had."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from reasoning.training.lessons.sources import Sources
from reasoning.training.own_weights import OWN_WEIGHTS
from reasoning.training.recipe.recipe import RecipeError
from webapp import engine
from webapp.models.trainings.trainers.lessons import settings_chosen
from webapp.models.trainings.trainers.training_data import training_data
from webapp.platform.http.errors import ProductError
from webapp.platform.redaction import without_folders
from webapp.platform.work.queues import Queue

if TYPE_CHECKING:
    from pathlib import Path

    from webapp.models.trainings.schemas import TrainingIn
    from webapp.models.trainings.trainers.registry import Chosen, Job


def wanted(wanted: TrainingIn) -> str:
    """See that there is such a strategy, and such a recipe with its data.

    Raises:
        ProductError: there is not, or lessons are chosen instead.

    """
    if wanted.name not in OWN_WEIGHTS:
        message = f"“{wanted.name}” is no strategy with weights of its own. Choose one of: {', '.join(OWN_WEIGHTS)}."
        raise ProductError(422, "unknown_strategy", message)
    if wanted.lessons:
        message = "The weights of a strategy are trained by a recipe. Leave out what else is to be learned."
        raise ProductError(422, "lessons_of_strategy", message)
    weights = OWN_WEIGHTS[wanted.name]
    names = weights.recipes.names()
    if wanted.recipe not in names:
        message = f"There is no recipe “{wanted.recipe}” for it. Choose one of: {', '.join(names)}."
        raise ProductError(422, "unknown_recipe", message)
    try:
        Sources(weights.recipes.read(wanted.recipe).data, training_data())
    except RecipeError as error:
        raise ProductError(422, error.code, without_folders(str(error), training_data())) from error
    return ""


def ensure(chosen: Chosen) -> None:
    """See that nothing is chosen that only a scorer has.

    Raises:
        ProductError: something is.

    """
    own = (chosen.base, chosen.start, chosen.settings.epoch_samples, chosen.settings.dev_share)
    if any(value not in (None, "") for value in own):
        message = (
            "The weights of a strategy have no base, no start, no decisions an epoch and no part that chooses one."
        )
        raise ProductError(422, "setting_of_scorer", f"{message} Leave them out.")


def queue(_base: str) -> Queue:
    """Where a training waits."""
    return Queue.CPU_BACKGROUND


def folder(name: str) -> Path:
    """Where the weights of a strategy lie."""
    return engine.strategies_folder() / name


def build(job: Job) -> None:
    """Train the weights; a training that was broken off resumes from its last whole epoch.

    Raises:
        ReasoningError: it cannot be trained, or was stopped.

    """
    weights = OWN_WEIGHTS[job.training.name]
    train, _ = weights.tools()
    recipe = weights.recipes.read(job.training.recipe)
    train(
        job.folder,
        replace(recipe, settings=replace(recipe.settings, **settings_chosen(job.training))),
        data=job.data,
        excluded=job.held_out.has,
        # Each training has its own, so that one with another recipe may begin while this one is stopped.
        checkpoint=job.folder / f"{job.training.pk}.pt",
        command=job.command,
        progress=job.progress,
        stop=job.stop,
    )
