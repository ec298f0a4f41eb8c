"""Recipes of strategies' own weights: the questions that teach them, their shape, and how they are trained."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, fields, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar, get_args

from reasoning.strategies.shape import Shape
from reasoning.training.recipe.recipe import Recipe, RecipeError, document_in, recipe_names, recipe_text

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

HeldOut = Literal["question", "wording", "template"]
SHARE = MappingProxyType({"share": True})
"""Marks a setting that must be less than 1, for at 1 nothing is learned."""


@dataclass(frozen=True, slots=True)
class WeightsSettings:
    """How to train. Together with the data they determine the result on one machine."""

    epochs: int = 4
    batch: int = 20
    """Questions."""
    learning_rate: float = 2e-3
    """At first; it falls to nothing over the training."""
    weight_decay: float = 1e-3
    averaged: float = field(default=0.0, metadata=SHARE)
    """How much of the running mean of the weights stays at each step (Polyak and Juditsky 1992, with a mean that
    forgets): 0.999 means some thousand steps. The mean is what is kept; with 0 the last weights are."""
    seed: int = 7
    held_out: HeldOut = "question"
    """What is not taught and tells how good it is: one question in four; all questions of one wording in four, their
    topics left out; or all of one template in four, a kind of question that nothing else teaches."""
    tested: int = 500
    """Maximum of held-out questions of each source that are asked for the card."""
    threads: int = 2


AnyShape = TypeVar("AnyShape", bound=Shape)
AnySettings = TypeVar("AnySettings", bound=WeightsSettings)


@dataclass(frozen=True, slots=True)
class WeightsRecipe(Generic[AnyShape, AnySettings]):
    """What a strategy's own weights are trained on, and how."""

    data: Recipe
    """Its sources; those that are drawn teach nothing, for they have no answers."""
    shape: AnyShape
    settings: AnySettings

    def to_json(self) -> dict[str, Any]:
        """See `parts_described`."""
        return parts_described(self.data, self.shape, self.settings)


@dataclass(frozen=True, slots=True)
class WeightsRecipes(Generic[AnyShape, AnySettings]):
    """The recipes of a strategy's own weights."""

    strategy: str
    """Its name."""
    folder: Path
    """Of the recipes that come with the product."""
    shape: AnyShape
    """The usual one."""
    settings: AnySettings
    """The usual ones."""

    def names(self) -> list[str]:
        """The recipes that come with the product."""
        return recipe_names(self.folder)

    def read(self, name: str) -> WeightsRecipe[AnyShape, AnySettings]:
        """A recipe by its name, or from a TOML file.

        Raises:
            RecipeError: there is none, or it cannot be read.

        """
        called, text = recipe_text(name, self.folder)
        return self.from_document(called, document_in(called, text))

    def from_document(self, name: str, document: Mapping[str, Any]) -> WeightsRecipe[AnyShape, AnySettings]:
        """See `parts_read`."""
        return WeightsRecipe(*parts_read(name, document, self.shape, self.settings))


def parts_read(
    name: str, document: Mapping[str, Any], shape: Any, settings: WeightsSettings
) -> tuple[Recipe, Any, Any]:
    """Read ``{"title", "sources": […], "shape": {…}, "settings": {…}}``; shape and settings are the usual ones.

    Raises:
        RecipeError: a part is missing, unknown or of another type.

    """
    rest = {key: value for key, value in document.items() if key not in ("shape", "settings")}
    data = Recipe.from_document(name, rest)
    read = _table(shape, document.get("shape", {}), f"{name}, shape")
    how = _table(settings, document.get("settings", {}), f"{name}, settings")
    if how.held_out not in get_args(HeldOut):
        raise RecipeError(f"The recipe “{name}”: “held_out” should be question, wording or template.")
    return data, read, how


def parts_described(data: Recipe, shape: Shape, settings: WeightsSettings) -> dict[str, Any]:
    """For the card, and to tell whether a checkpoint is of the same training."""
    sources = [asdict(source) for source in data.sources]
    return {"sources": sources, "shape": shape.to_json(), "settings": asdict(settings)}


def _table(usual: Any, table: object, where: str) -> Any:
    if not isinstance(table, dict):
        raise RecipeError(f"The recipe “{where}” is not a table.")
    known = {each.name: each.metadata for each in fields(usual)}
    if unknown := set(table) - known.keys():
        raise RecipeError(f"The recipe “{where}” has an unknown key “{min(unknown)}”.")
    for key, value in table.items():
        wanted = type(getattr(usual, key))
        right = isinstance(value, int | float) if wanted is float else isinstance(value, wanted)
        if not right or (isinstance(value, bool) and wanted is not bool):
            raise RecipeError(f"The recipe “{where}”: “{key}” should be {wanted.__name__}, not {value!r}.")
        if wanted in (int, float) and value < 0:
            raise RecipeError(f"The recipe “{where}”: “{key}” should not be less than 0.")
        if "share" in known[key] and value >= 1:
            raise RecipeError(f"The recipe “{where}”: “{key}” should be less than 1, for at 1 nothing is learned.")
    return replace(usual, **table)
