"""From a training's lessons, or its recipe, to what trains: the recipe, the questions and their graphs."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from reasoning.core.errors import ReasoningError
from reasoning.datasets.identity import QuestionKey
from reasoning.scorers.registry import KINDS, kind_of
from reasoning.training.recipe.given import GivenQuestions
from reasoning.training.recipe.recipe import BUNDLED_RECIPE, SAMPLE, WEAK, Recipe, Source, read_recipe, recipe_in
from webapp import engine
from webapp.models.trainings.trainers.corrections import laid_over

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

    from kgstore.store import GraphStore
    from reasoning.datasets.question import BenchmarkQuestion
    from webapp.models.trainings.models import Training, TrainingLesson
    from webapp.models.trainings.trainers.held_out import HeldOutKeys

COMPOSED = "lessons"
"""What the recipe of a training is called that has lessons."""


class NothingToLearnError(ReasoningError):
    """No question is left that may teach."""

    code = "nothing_to_learn"


@dataclass(frozen=True, slots=True)
class Taught:
    """What a training trains on."""

    recipe: Recipe
    given: Mapping[str, GivenQuestions] = field(default_factory=dict)
    resume_from: Path | None = None
    """The folder of the weights that it goes on from; None where the recipe says it, or it begins from nothing."""


def taught_by(training: Training, held_out: HeldOutKeys) -> Taught:
    """What a training trains on.

    Raises:
        RecipeError: its recipe cannot be read.
        NothingToLearnError: all its questions are held out, or for validation.
        ScorerUnavailableError: the model to go on from is gone.

    """
    lessons = list(training.lessons.select_related("dataset"))
    recipe, given = _composed(lessons) if lessons else (recipe_of(training), {})
    recipe = replace(recipe, settings=replace(recipe.settings, **settings_chosen(training)))
    if training.start:
        recipe = replace(recipe, start=training.start)
    if lessons and not any(lesson.dataset is None for lesson in lessons) and not _any_teaches(recipe, given, held_out):
        raise NothingToLearnError(
            "No question of what was chosen may teach: all are held out for an evaluation, or are among the quarter "
            "that is kept for validation. Choose more questions."
        )
    own = training.start and training.start != BUNDLED_RECIPE
    return Taught(recipe, given, engine.scorers_folder() / training.start if own else None)


def settings_chosen(training: Training) -> dict[str, Any]:
    """The settings that a user chose for a training."""
    chosen = {"epochs": training.epochs, "seed": training.seed, **training.how}
    return {key: value for key, value in chosen.items() if value is not None}


def recipe_of(training: Training) -> Recipe:
    """The recipe that a training names, or that was sent for it.

    Raises:
        RecipeError: it cannot be read.

    """
    return recipe_in(training.recipe, training.recipe_text) if training.recipe_text else read_recipe(training.recipe)


def starts() -> list[str]:
    """The models that a training may go on from: encoders with weights."""
    names = [name for name in engine.scorer_names() if name not in KINDS]
    encoders = [name for name in names if kind_of(name, trained=engine.scorers_folder()).name == "encoder"]
    return [BUNDLED_RECIPE, *encoders]


def _composed(lessons: Sequence[TrainingLesson]) -> tuple[Recipe, Mapping[str, GivenQuestions]]:
    sources: list[Source] = []
    given: dict[str, GivenQuestions] = {}
    for lesson in lessons:
        if lesson.dataset is None:
            sources.append(Source(SAMPLE, SAMPLE, "discern", SAMPLE, share=lesson.share))
            continue
        corrected = " with corrections" if lesson.overlay else ""
        weak = ", weak labels" if lesson.least_precision is not None else ""
        name = f"{lesson.dataset.name}, version {lesson.dataset.version}, on {lesson.graph}{corrected}{weak}"
        source = Source(
            name,
            lesson.dataset.name,
            lesson.dataset.format,
            f"{lesson.graph} of the site",
            share=lesson.share,
            topics=lesson.topics,
        )
        if lesson.least_precision is not None:
            source = replace(source, labels=WEAK, precision=lesson.least_precision)
        sources.append(source)
        given[name] = GivenQuestions(
            _questions(lesson),
            _graph(lesson.graph),
            {
                f"{lesson.dataset.name}, version {lesson.dataset.version}": lesson.dataset.identity,
                f"graph {lesson.graph}": engine.graph(lesson.graph).info().version,
                **({f"corrections of {lesson.dataset.name}": str(lesson.overlay)} if lesson.overlay else {}),
            },
        )
    title = "; ".join("the bundled sample" if source.name == SAMPLE else source.name for source in sources)
    return Recipe(COMPOSED, title, tuple(sources)), given


def _questions(lesson: TrainingLesson) -> list[BenchmarkQuestion]:
    if lesson.dataset is None:
        return []
    found = [row.to_benchmark() for row in lesson.dataset.questions.order_by("position")]
    if lesson.overlay is None:
        return found
    return laid_over(lesson.overlay, found)


def _graph(name: str) -> Callable[[], AbstractContextManager[GraphStore]]:
    @contextmanager
    def opened() -> Iterator[GraphStore]:
        yield engine.graph(name)

    return opened


def _any_teaches(recipe: Recipe, given: Mapping[str, GivenQuestions], held_out: HeldOutKeys) -> bool:
    return any(
        question.split == "train" and not held_out.has(QuestionKey.of(source.dataset, question))
        for source in recipe.sources
        for question in given[source.name].questions
    )
