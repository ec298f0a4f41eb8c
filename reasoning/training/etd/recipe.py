"""Recipes of explorers. Each is a TOML file; see `reasoning.training.recipe.weights_recipe`."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from reasoning.strategies.etd.shape import ExplorerShape
from reasoning.training.recipe.recipe import Recipe, document_in, recipe_names, recipe_text
from reasoning.training.recipe.weights_recipe import SHARE, WeightsSettings, parts_described, parts_read

if TYPE_CHECKING:
    from collections.abc import Mapping

RECIPES = Path(__file__).parent / "recipes"


@dataclass(frozen=True, slots=True)
class ExplorerSettings(WeightsSettings):
    """How to train an explorer; a batch of 20 questions is the paper's."""

    text_dropout: float = field(default=0.0, metadata=SHARE)
    """The share of the components of every text vector that is left out by chance at each step (Srivastava et al.
    2014), so that no wording hangs on a few of them."""


@dataclass(frozen=True, slots=True)
class ExplorerRecipe:
    """What an explorer is trained on, and how."""

    data: Recipe
    """Its sources; those that are drawn teach nothing, for they have no answers."""
    shape: ExplorerShape = field(default_factory=ExplorerShape)
    settings: ExplorerSettings = field(default_factory=ExplorerSettings)

    @classmethod
    def from_document(cls, name: str, document: Mapping[str, Any]) -> Self:
        """See `parts_read`."""
        return cls(*parts_read(name, document, ExplorerShape(), ExplorerSettings()))

    def to_json(self) -> dict[str, Any]:
        """See `parts_described`."""
        return parts_described(self.data, self.shape, self.settings)


def explorer_recipe_names() -> list[str]:
    """The recipes of explorers that come with the product."""
    return recipe_names(RECIPES)


def read_explorer_recipe(name: str) -> ExplorerRecipe:
    """A recipe by its name, or from a TOML file.

    Raises:
        RecipeError: there is none, or it cannot be read.

    """
    called, text = recipe_text(name, RECIPES)
    return ExplorerRecipe.from_document(called, document_in(called, text))
