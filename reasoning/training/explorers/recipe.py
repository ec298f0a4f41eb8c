"""Recipes of explorers: the questions that teach one, its size, and how it is trained. Each is a TOML file."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self, get_args

from reasoning.strategies.etd.model import ExplorerShape
from reasoning.training.recipe import Recipe, RecipeError, document_in, recipe_text

if TYPE_CHECKING:
    from collections.abc import Mapping

RECIPES = Path(__file__).parent / "recipes"
HeldOut = Literal["question", "template"]


@dataclass(frozen=True, slots=True)
class ExplorerSettings:
    """How to train. Together with the data they determine the result on one machine."""

    epochs: int = 4
    batch: int = 20
    """Questions; the paper's number."""
    learning_rate: float = 2e-3
    """At first; it falls to nothing over the training."""
    weight_decay: float = 1e-3
    seed: int = 7
    held_out: HeldOut = "question"
    """What is not taught and tells how good it is: one question in four, or all questions of one template in four."""
    tested: int = 500
    """At most so many held-out questions of each source are asked for the card."""
    threads: int = 2


@dataclass(frozen=True, slots=True)
class ExplorerRecipe:
    """What an explorer is trained on, and how."""

    data: Recipe
    """Its sources; those that are drawn teach nothing, for they have no answers."""
    shape: ExplorerShape = field(default_factory=ExplorerShape)
    settings: ExplorerSettings = field(default_factory=ExplorerSettings)

    @classmethod
    def from_document(cls, name: str, document: Mapping[str, Any]) -> Self:
        """Read ``{"title", "sources": […], "shape": {…}, "settings": {…}}``.

        Raises:
            RecipeError: a part is missing, unknown or of another type.

        """
        rest = {key: value for key, value in document.items() if key not in ("shape", "settings")}
        data = Recipe.from_document(name, rest)
        shape = _table(ExplorerShape(), document.get("shape", {}), f"{name}, shape")
        settings = _table(ExplorerSettings(), document.get("settings", {}), f"{name}, settings")
        if settings.held_out not in get_args(HeldOut):
            raise RecipeError(f"The recipe “{name}”: “held_out” should be question or template.")
        return cls(data, shape, settings)

    def to_json(self) -> dict[str, Any]:
        """For the card, and to tell whether a checkpoint is of the same training."""
        sources = [asdict(source) for source in self.data.sources]
        return {"sources": sources, "shape": self.shape.to_json(), "settings": asdict(self.settings)}


def read_explorer_recipe(name: str) -> ExplorerRecipe:
    """A recipe by its name, or from a TOML file.

    Raises:
        RecipeError: there is none, or it cannot be read.

    """
    called, text = recipe_text(name, RECIPES)
    return ExplorerRecipe.from_document(called, document_in(called, text))


def _table(usual: Any, table: object, where: str) -> Any:
    if not isinstance(table, dict):
        raise RecipeError(f"The recipe “{where}” is not a table.")
    known = {each.name for each in fields(usual)}
    if unknown := set(table) - known:
        raise RecipeError(f"The recipe “{where}” has an unknown key “{min(unknown)}”.")
    for key, value in table.items():
        wanted = type(getattr(usual, key))
        right = isinstance(value, int | float) if wanted is float else isinstance(value, wanted)
        if not right or (isinstance(value, bool) and wanted is not bool):
            raise RecipeError(f"The recipe “{where}”: “{key}” should be {wanted.__name__}, not {value!r}.")
        if wanted in (int, float) and value < 0:
            raise RecipeError(f"The recipe “{where}”: “{key}” should not be less than 0.")
    return replace(usual, **table)
