"""Recipes: what a scorer is trained on, and how. Each is a TOML file; those that come with the product have names."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from reasoning.core.errors import ReasoningError
from reasoning.datasets.registry import FORMATS
from reasoning.scorers.encoder.architecture import Biases, ModelShape
from reasoning.training.recipe.held_out import PARTS
from reasoning.training.recipe.lines import line_of
from reasoning.training.recipe.settings import TrainingSettings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from reasoning.training.recipe.lines import Place

RECIPES = Path(__file__).parents[1] / "recipes"
SAMPLE = "sample"
"""In place of a path: the bundled sample's questions, or its graph."""
SCHEMA = "schema"
"""In place of a graph: one that stands in for Freebase, drawn from the schema."""
DRAWN = "drawn"
"""In place of a dataset: questions drawn from the source's graph; see `reasoning.training.lessons.drawn`."""
WEAK = "weak"
"""In place of gold derivations: those that are found from answers alone; see `reasoning.training.lessons.weak`."""
SHORTEST = "shortest"
"""Likewise all the shortest ways to answers, as RoG teaches its planner."""
FROM_ANSWERS = (WEAK, SHORTEST)
BUNDLED_RECIPE = "bundled"
"""What the bundled weights are made by."""


class RecipeError(ReasoningError):
    """A recipe cannot be used; the message says what to change."""

    code = "recipe"

    def __init__(self, message: str, *, place: Place = (), line: int | None = None) -> None:
        super().__init__(message)
        self.place = place
        """Where in the document it is wrong: ``("sources", 1, "format")``; empty where it is so as a whole."""
        self.line = line
        """The line of the file, from 1; None where that is not known."""

    @property
    def key(self) -> str:
        """The key that is wrong; empty where none is."""
        return next((part for part in reversed(self.place) if isinstance(part, str)), "")


@dataclass(frozen=True, slots=True)
class Source:
    """Questions with the graph that they are taught over. Paths are below the data folder."""

    name: str
    dataset: str
    """A file of questions, or ``sample``, or ``drawn``."""
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
    """How much of what training draws comes from here, compared with the other sources' shares."""
    renamed: str = ""
    """How the graph's relations are called instead: one of the `renaming.STYLES`, or a file, ``predicate⇥new name``."""
    composed: bool = False
    """Whether each question is made longer by a step that leads to its topic; see
    `reasoning.training.lessons.composed`."""
    part: str = ""
    """Only the questions of one of the `held_out.PARTS`; all of them if empty."""
    questions: int | None = None
    """Maximum of questions, evenly chosen. Default: all; 1,000 of those that are drawn."""
    orders: int = 1
    """How often a derivation is taught in another order than its own."""
    draws: int = 1
    """How many stand-in graphs are drawn."""
    topics: str = "named"
    """``named``: what else the question names is taught to be no topic; ``given``: the topic is not taught."""
    labels: str = "gold"
    """``gold``: the derivations of the dataset are taught; ``weak``: those that are found from its answers alone;
    ``shortest``: all the shortest ways to its answers."""
    precision: float = 0.5
    """Of labels that are found from answers: at least this share of what one leads to is an answer."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """What a scorer is trained on, and how."""

    name: str
    title: str
    sources: tuple[Source, ...]
    tests: tuple[Source, ...] = ()
    """Questions over graphs that no source teaches. They are asked when the training is done, and tell how it
    transfers; nothing is chosen by them."""
    settings: TrainingSettings = field(default_factory=TrainingSettings)
    shape: ModelShape = field(default_factory=ModelShape)
    first_none_bias: float | None = None
    later_none_bias: float | None = None
    """See `Biases`. If not given, that of the weights to start from, else 0."""
    start: str = ""
    """``bundled``, or a folder of weights: go on from them and in their shape, for a few labels on a graph of one's
    own."""
    validated: int | None = None
    """Maximum of validation questions of each source that are asked for the card. Default: 300, and all
    where topics are found. Tests are not shortened by it."""

    @property
    def biases(self) -> Biases:
        """What is added to the log-odds of some options."""
        return Biases(self.first_none_bias or 0.0, self.later_none_bias or 0.0)

    def going_on_from(self, card: Mapping[str, Any]) -> Self:
        """The recipe in the shape of the weights that a card tells of, and with their biases where it says none."""
        begun = Biases.of_card(card)
        return replace(
            self,
            shape=ModelShape.from_json(card["shape"]),
            first_none_bias=begun.first_none_bias if self.first_none_bias is None else self.first_none_bias,
            later_none_bias=begun.later_none_bias if self.later_none_bias is None else self.later_none_bias,
        )

    @classmethod
    def from_document(cls, name: str, document: Mapping[str, Any]) -> Self:
        """Read ``{"title", "sources": […], "tests": […], "settings": {…}, "shape": {…}}`` and the other fields.

        Raises:
            RecipeError: a part is missing, unknown or of another type.

        """
        unknown = set(document) - _PARTS - _NO_LONGER_USED
        if unknown:
            raise RecipeError(f"The recipe “{name}” has an unknown part “{min(unknown)}”.", place=(min(unknown),))
        entries = document.get("sources")
        if not isinstance(entries, list) or not entries:
            raise RecipeError(f"The recipe “{name}” names no sources; write at least one [[sources]].")
        sources = tuple(_source(each, f"{name}, source {n + 1}", ("sources", n)) for n, each in enumerate(entries))
        tested = document.get("tests", [])
        if not isinstance(tested, list):
            raise RecipeError(f"The recipe “{name}”: write each test as [[tests]].", place=("tests",))
        tests = tuple(_source(each, f"{name}, test {n + 1}", ("tests", n)) for n, each in enumerate(tested))
        for n, test in enumerate(tests):
            if test.dataset == DRAWN or test.graph == SCHEMA or test.composed:
                message = f"The recipe “{name}” tests what is made by chance; name a dataset and its graph."
                raise RecipeError(message, place=("tests", n))
        if len({source.name for source in (*sources, *tests)}) < len(sources) + len(tests):
            raise RecipeError(f"Two sources or tests of the recipe “{name}” have the same name.")
        settings = _part(TrainingSettings, document.get("settings", {}), f"{name}, settings", ("settings",))
        shape = _part(ModelShape, document.get("shape", {}), f"{name}, shape", ("shape",))
        start = document.get("start", "")
        if not isinstance(start, str):
            message = f"The recipe “{name}”: “start” should be {BUNDLED_RECIPE} or a folder, not {start!r}."
            raise RecipeError(message, place=("start",))
        if start and "shape" in document:
            message = f"The recipe “{name}” starts from weights that have a shape; leave out [shape]."
            raise RecipeError(message, place=("shape",))
        first, later = (_bias(document, key, name) for key in _BIASES)
        validated = document.get("validated")
        if validated is not None and (isinstance(validated, bool) or not isinstance(validated, int) or validated < 1):
            message = f"The recipe “{name}”: “validated” should be a number of questions, not {validated!r}."
            raise RecipeError(message, place=("validated",))
        title = str(document.get("title", name))
        return cls(name, title, sources, tests, settings, shape, first, later, start, validated)


_BIASES = tuple(each.name for each in fields(Biases))
_PARTS = {each.name for each in fields(Recipe)} - {"name"}
_NO_LONGER_USED = {"topic_order_bias"}
"""Parts that recipes of earlier versions may have."""


def _bias(document: Mapping[str, Any], key: str, name: str) -> float | None:
    bias = document.get(key)
    if bias is None:
        return None
    if isinstance(bias, bool) or not isinstance(bias, int | float):
        raise RecipeError(f"The recipe “{name}”: “{key}” should be a number, not {bias!r}.", place=(key,))
    return float(bias)


def recipe_names(folder: Path | None = None) -> list[str]:
    """The recipes that come with the product; those of another kind lie in another folder."""
    return sorted(path.stem for path in (folder or RECIPES).glob("*.toml"))


def read_recipe(name: str) -> Recipe:
    """A recipe by its name, or from a TOML file.

    Raises:
        RecipeError: there is none, or it cannot be read.

    """
    return recipe_in(*recipe_text(name))


def recipe_text(name: str, folder: Path | None = None) -> tuple[str, str]:
    """What a recipe is called, and its text: one of a folder by its name, or a TOML file.

    Raises:
        RecipeError: there is none, or it cannot be read.

    """
    path = (folder or RECIPES) / f"{name}.toml" if name in recipe_names(folder) else Path(name)
    try:
        return path.stem, path.read_text(encoding="utf-8")
    except OSError:
        known = ", ".join(recipe_names(folder))
        raise RecipeError(f"There is no recipe “{name}”; use a TOML file or one of: {known}.") from None
    except UnicodeDecodeError as error:
        raise RecipeError(f"The recipe {path} is not TOML: {error}.") from error


def recipe_in(name: str, text: str) -> Recipe:
    """The recipe that a TOML file holds.

    Raises:
        RecipeError: it is no recipe; the error tells the line and the key, where it is known which.

    """
    document = document_in(name, text)
    try:
        return Recipe.from_document(name, document)
    except RecipeError as error:
        error.line = line_of(text, error.place)
        raise


def document_in(name: str, text: str) -> dict[str, Any]:
    """What stands in the TOML text of a recipe.

    Raises:
        RecipeError: it is not TOML; the error tells the line.

    """
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        line = re.search(r"at line (\d+)", str(error))
        raise RecipeError(
            f"The recipe “{name}” is not TOML: {error}.",
            line=int(line[1]) if line else text.count("\n") + 1,
        ) from error


def _source(entry: object, where: str, place: Place) -> Source:
    source: Source = _part(Source, entry, where, place)
    if source.dataset != DRAWN and source.format not in FORMATS:
        known = ", ".join(FORMATS)
        message = f"The source “{source.name}” has an unknown format “{source.format}”; use: {known}."
        raise RecipeError(message, place=(*place, "format"))
    if source.dataset == DRAWN and source.graph == SCHEMA:
        message = f"The source “{source.name}” draws questions from a graph that is drawn itself; name a file."
        raise RecipeError(message, place=(*place, "graph"))
    if source.part and source.part not in PARTS:
        message = f"The source “{source.name}”: “part” should be one of: {', '.join(PARTS)}."
        raise RecipeError(message, place=(*place, "part"))
    if source.labels not in ("gold", *FROM_ANSWERS):
        message = f"The source “{source.name}”: “labels” should be gold, {WEAK} or {SHORTEST}."
        raise RecipeError(message, place=(*place, "labels"))
    if source.labels in FROM_ANSWERS and (source.dataset == DRAWN or source.graph == SCHEMA):
        message = f"The source “{source.name}” has no answers to find labels by; name a file and its graph."
        raise RecipeError(message, place=(*place, "labels"))
    if not 0 < source.precision <= 1:
        message = f"The source “{source.name}”: “precision” should be more than 0 and at most 1."
        raise RecipeError(message, place=(*place, "precision"))
    if source.topics not in ("named", "given"):
        message = f"The source “{source.name}”: “topics” should be named or given."
        raise RecipeError(message, place=(*place, "topics"))
    return source


_ALLOWED: Mapping[str, tuple[type, ...]] = {
    "str": (str,),
    "int": (int,),
    "float": (float, int),
    "int | None": (int,),
    "bool": (bool,),
}


def _part(kind: Any, entry: object, where: str, place: Place) -> Any:
    if not isinstance(entry, dict):
        raise RecipeError(f"The recipe “{where}” is not a table.", place=place)
    if unknown := set(entry) - {each.name for each in fields(kind)}:
        raise RecipeError(f"The recipe “{where}” has an unknown key “{min(unknown)}”.", place=(*place, min(unknown)))
    try:
        part = kind(**entry)
    except TypeError as error:
        raise RecipeError(f"The recipe “{where}” lacks something: {error}.", place=place) from error
    for each in fields(kind):
        value = getattr(part, each.name)
        if value is not None and type(value) not in _ALLOWED[str(each.type)]:
            message = f"The recipe “{where}”: “{each.name}” should be {each.type}, not {value!r}."
            raise RecipeError(message, place=(*place, each.name))
    return part
