"""Recipes of path readers. Each is a TOML file; see `reasoning.training.recipe.weights_recipe`."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from reasoning.strategies.shape import Shape
from reasoning.training.recipe.recipe import Recipe, document_in, recipe_names, recipe_text
from reasoning.training.recipe.weights_recipe import WeightsSettings, parts_described, parts_read

if TYPE_CHECKING:
    from collections.abc import Mapping

RECIPES = Path(__file__).parent / "recipes"


@dataclass(frozen=True, slots=True)
class PathReaderSettings(WeightsSettings):
    """How to train a path reader."""

    epochs: int = 2
    batch: int = 8
    learning_rate: float = 1e-4
    weight_decay: float = 0.0
    tested: int = 150
    paths: int = 12
    """Maximum of paths of a question that it is taught with in an epoch: the right ones, and some of the others."""
    small_graphs: int = 100
    """Maximum of questions of each small graph that comes with the product: of those that are taught besides the
    sources, and of those that are held out."""
    first_layer: int = 2
    """The layers below this one stay as they are."""


@dataclass(frozen=True, slots=True)
class PathReaderRecipe:
    """What a path reader is trained on, and how."""

    data: Recipe
    """Its sources; those that are drawn teach nothing."""
    settings: PathReaderSettings = field(default_factory=PathReaderSettings)

    @classmethod
    def from_document(cls, name: str, document: Mapping[str, Any]) -> Self:
        """See `parts_read`."""
        data, _, settings = parts_read(name, document, Shape(), PathReaderSettings())
        return cls(data, settings)

    def to_json(self) -> dict[str, Any]:
        """See `parts_described`."""
        return parts_described(self.data, Shape(), self.settings)


def path_reader_recipe_names() -> list[str]:
    """The recipes of path readers that come with the product."""
    return recipe_names(RECIPES)


def read_path_reader_recipe(name: str) -> PathReaderRecipe:
    """A recipe by its name, or from a TOML file.

    Raises:
        RecipeError: there is none, or it cannot be read.

    """
    called, text = recipe_text(name, RECIPES)
    return PathReaderRecipe.from_document(called, document_in(called, text))
