"""What is asked of a training that makes a scorer: its name, and a recipe or lessons."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reasoning.scorers.registry import ScorerNameError, trained_name
from reasoning.training.lessons.sources import Sources
from reasoning.training.recipe.recipe import RecipeError, read_recipe, recipe_in, recipe_names
from webapp import engine
from webapp.models.trainings.models import SiteRecipe
from webapp.models.trainings.trainers.training_data import training_data
from webapp.platform.http.errors import ProductError
from webapp.platform.redaction import without_folders

if TYPE_CHECKING:
    from webapp.models.trainings.schemas import TrainingIn


def scorer_wanted(wanted: TrainingIn) -> str:
    """See that a new scorer may bear the name, and may learn from the recipe; gives its text where it was sent.

    Raises:
        ProductError: it may not.

    """
    if wanted.lessons and wanted.recipe:
        raise ProductError(422, "recipe_and_lessons", "Choose a recipe or what is to be learned, not both.")
    text = "" if wanted.lessons else _recipe_text(wanted.recipe)
    try:
        name = trained_name(wanted.name)
        if not wanted.lessons:
            Sources(recipe_in(wanted.recipe, text) if text else read_recipe(wanted.recipe), training_data())
    except (ScorerNameError, RecipeError) as error:
        raise ProductError(422, error.code, without_folders(str(error), training_data())) from error
    if name in engine.scorer_names():
        raise ProductError(422, "scorer_name", f"There is a scorer “{name}” already. Choose another name.")
    return text


def _recipe_text(name: str) -> str:
    """The text of a recipe that was sent to this site; empty for one that comes with Discern.

    Raises:
        ProductError: there is none of the name.

    """
    if name in recipe_names():
        return ""
    sent = SiteRecipe.objects.filter(name=name).first()
    if sent is None:
        known = ", ".join([*recipe_names(), *SiteRecipe.objects.values_list("name", flat=True)])
        raise ProductError(422, "unknown_recipe", f"There is no recipe “{name}”. Choose one of: {known}.")
    return sent.text
