"""Recipes of judges. Each is a TOML file; see `reasoning.training.recipe.weights_recipe`."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from reasoning.strategies.eperm.shape import JudgeShape
from reasoning.strategies.plans.options import PLANS
from reasoning.training.recipe.recipe import Recipe, document_in, recipe_names, recipe_text
from reasoning.training.recipe.weights_recipe import WeightsSettings, parts_described, parts_read

if TYPE_CHECKING:
    from collections.abc import Mapping

RECIPES = Path(__file__).parent / "recipes"


@dataclass(frozen=True, slots=True)
class JudgeSettings(WeightsSettings):
    """How to train a judge."""

    plans: int = PLANS.usual
    """Number of plans of each question that are taught: as many as a run follows, as their weights sum to one."""
    precision: float = 0.5
    """t: a plan is labelled right where this share of what it leads to is an answer (ours; the paper gives none)."""
    paths: int = 40
    """N: number of evidence paths of a question that are drawn in each epoch."""
    dropout: float = 0.1
    """The share of text vectors that a batch does not see (ours)."""


@dataclass(frozen=True, slots=True)
class JudgeRecipe:
    """What a judge is trained on, and how."""

    data: Recipe
    """Its sources; those that are drawn teach nothing, for they have no answers."""
    shape: JudgeShape = field(default_factory=JudgeShape)
    settings: JudgeSettings = field(default_factory=JudgeSettings)

    @classmethod
    def from_document(cls, name: str, document: Mapping[str, Any]) -> Self:
        """See `parts_read`."""
        return cls(*parts_read(name, document, JudgeShape(), JudgeSettings()))

    def to_json(self) -> dict[str, Any]:
        """See `parts_described`."""
        return parts_described(self.data, self.shape, self.settings)


def judge_recipe_names() -> list[str]:
    """The recipes of judges that come with the product."""
    return recipe_names(RECIPES)


def read_judge_recipe(name: str) -> JudgeRecipe:
    """A recipe by its name, or from a TOML file.

    Raises:
        RecipeError: there is none, or it cannot be read.

    """
    called, text = recipe_text(name, RECIPES)
    return JudgeRecipe.from_document(called, document_in(called, text))
