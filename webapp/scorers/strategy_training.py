"""Trainings of the weights that a strategy has of its own. They take the place of those that it had."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from reasoning.strategies.etd.strategy import Etd
from reasoning.training.explorers.recipe import explorer_recipe_names, read_explorer_recipe
from reasoning.training.recipe import RecipeError
from reasoning.training.sources import Sources
from webapp import engine
from webapp.http.errors import ProductError
from webapp.redaction import without_folders
from webapp.scorers.lessons import settings_chosen
from webapp.scorers.training_data import training_data
from webapp.work.queues import Queue

if TYPE_CHECKING:
    from pathlib import Path

    from webapp.scorers.schemas import TrainingIn
    from webapp.scorers.trainers import Chosen, Job


TRAINABLE = (Etd.name,)
"""The strategies whose own weights are trained here."""


def wanted(wanted: TrainingIn) -> str:
    """See that there is such a strategy, and such a recipe with its data.

    Raises:
        ProductError: there is not, or lessons are chosen instead.

    """
    if wanted.name not in TRAINABLE:
        message = f"“{wanted.name}” is no strategy with weights of its own. Choose one of: {', '.join(TRAINABLE)}."
        raise ProductError(422, "unknown_strategy", message)
    if wanted.lessons:
        message = "The weights of a strategy are trained by a recipe. Leave out what else is to be learned."
        raise ProductError(422, "lessons_of_strategy", message)
    names = explorer_recipe_names()
    if wanted.recipe not in names:
        message = f"There is no recipe “{wanted.recipe}” for it. Choose one of: {', '.join(names)}."
        raise ProductError(422, "unknown_recipe", message)
    try:
        Sources(read_explorer_recipe(wanted.recipe).data, training_data())
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
    """Train an explorer; a training that was broken off goes on from its last whole epoch.

    Raises:
        ReasoningError: it cannot be trained, or was stopped.

    """
    # torch takes seconds to import; only a worker that trains needs it.
    from reasoning.training.explorers.build import build_explorer  # noqa: PLC0415

    recipe = read_explorer_recipe(job.training.recipe)
    build_explorer(
        job.folder,
        replace(recipe, settings=replace(recipe.settings, **settings_chosen(job.training))),
        data=job.data,
        kept_out=job.held_out.has,
        # Each training has its own, so that one with another recipe may begin while this one is stopped.
        checkpoint=job.folder / f"{job.training.pk}.pt",
        command=job.command,
        progress=job.progress,
        stop=job.stop,
    )
