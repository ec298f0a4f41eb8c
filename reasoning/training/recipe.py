"""Recipes: what a scorer is trained on, and how. Each is a TOML file; those that come with the product have names."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from reasoning.datasets.registry import FORMATS
from reasoning.errors import ReasoningError
from reasoning.scorers.architecture import ModelShape
from reasoning.training.settings import TrainingSettings

if TYPE_CHECKING:
    from collections.abc import Mapping

RECIPES = Path(__file__).parent / "recipes"
SAMPLE = "sample"
"""In place of a path: the bundled sample's questions, or its graph."""
SCHEMA = "schema"
"""In place of a graph: one that stands in for Freebase, drawn from the schema."""
BUNDLED_RECIPE = "bundled"
"""What the bundled weights are made by."""


class RecipeError(ReasoningError):
    """A recipe cannot be used; the message says what to change."""

    code = "recipe"


@dataclass(frozen=True, slots=True)
class Source:
    """Questions with the graph that they are taught over. Paths are below the data folder."""

    name: str
    dataset: str
    format: str
    graph: str
    """A file of triples, or ``sample``, or ``schema``."""
    graph_format: str = "tsv"
    names: str = ""
    """A file of further names for the graph, ``mid⇥name``."""
    schema: str = ""
    """The folder of Freebase's schema."""
    paths: str = ""
    """A file of relation paths that exist around each question's topic, for stand-in graphs."""
    share: float = 1.0
    """How much of what training draws comes from here, beside the other sources' shares."""
    questions: int | None = None
    """At most so many questions, evenly chosen; all of them if not given."""
    orders: int = 1
    """How often a derivation is taught in another order than its own."""
    draws: int = 1
    """How many stand-in graphs are drawn."""
    topics: str = "named"
    """``named``: what else the question names is taught to be no topic; ``given``: the topic is not taught."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """What a scorer is trained on, and how."""

    name: str
    title: str
    sources: tuple[Source, ...]
    settings: TrainingSettings = field(default_factory=TrainingSettings)
    shape: ModelShape = field(default_factory=ModelShape)

    @classmethod
    def from_document(cls, name: str, document: Mapping[str, Any]) -> Self:
        """Read ``{"title", "sources": [{…}], "settings": {…}, "shape": {…}}``.

        Raises:
            RecipeError: a part is missing, unknown or of another type.

        """
        unknown = set(document) - {"title", "sources", "settings", "shape"}
        if unknown:
            raise RecipeError(f"The recipe “{name}” has an unknown part “{min(unknown)}”.")
        entries = document.get("sources")
        if not isinstance(entries, list) or not entries:
            raise RecipeError(f"The recipe “{name}” names no sources; write at least one [[sources]].")
        sources = tuple(_part(Source, entry, f"{name}, source {number}") for number, entry in enumerate(entries, 1))
        for source in sources:
            if source.format not in FORMATS:
                known = ", ".join(FORMATS)
                raise RecipeError(f"The source “{source.name}” has an unknown format “{source.format}”; use: {known}.")
            if source.topics not in ("named", "given"):
                raise RecipeError(f"The source “{source.name}”: “topics” should be named or given.")
        if len({source.name for source in sources}) < len(sources):
            raise RecipeError(f"Two sources of the recipe “{name}” have the same name.")
        settings = _part(TrainingSettings, document.get("settings", {}), f"{name}, settings")
        shape = _part(ModelShape, document.get("shape", {}), f"{name}, shape")
        return cls(name, str(document.get("title", name)), sources, settings, shape)


def recipe_names() -> list[str]:
    """The recipes that come with the product."""
    return sorted(path.stem for path in RECIPES.glob("*.toml"))


def read_recipe(name: str) -> Recipe:
    """A recipe by its name, or from a TOML file.

    Raises:
        RecipeError: there is none, or it cannot be read.

    """
    path = RECIPES / f"{name}.toml" if name in recipe_names() else Path(name)
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError:
        known = ", ".join(recipe_names())
        raise RecipeError(f"There is no recipe “{name}”; use a TOML file or one of: {known}.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise RecipeError(f"The recipe {path} is not TOML: {error}.") from error
    return Recipe.from_document(path.stem, document)


def _part(kind: Any, entry: object, where: str) -> Any:
    if not isinstance(entry, dict):
        raise RecipeError(f"The recipe “{where}” is not a table.")
    if unknown := set(entry) - {each.name for each in fields(kind)}:
        raise RecipeError(f"The recipe “{where}” has an unknown key “{min(unknown)}”.")
    try:
        part = kind(**entry)
    except TypeError as error:
        raise RecipeError(f"The recipe “{where}” lacks something: {error}.") from error
    for each in fields(kind):
        value = getattr(part, each.name)
        allowed: tuple[type, ...] = {"str": (str,), "int": (int,), "float": (float, int), "int | None": (int,)}[
            str(each.type)
        ]
        if value is not None and (not isinstance(value, allowed) or isinstance(value, bool)):
            raise RecipeError(f"The recipe “{where}”: “{each.name}” should be {each.type}, not {value!r}.")
    return part
