"""The questions of a recipe's sources and tests that a scorer is asked when it was trained, and what comes of it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from statistics import fmean
from typing import TYPE_CHECKING, Any

from reasoning.evaluation.judging.ceiling import ceiling
from reasoning.evaluation.judging.judging import ask, is_judged
from reasoning.evaluation.judging.settings import EvaluationSettings
from reasoning.evaluation.reporting.intervals import interval
from reasoning.evaluation.reporting.report import figures
from reasoning.training.recipe.recipe import DRAWN, SCHEMA

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from kgstore.store import GraphStore
    from reasoning.datasets.question import BenchmarkQuestion
    from reasoning.evaluation.judging.outcome import Outcome
    from reasoning.evaluation.judging.settings import Topics
    from reasoning.scorers.base import Scorer
    from reasoning.training.lessons.sources import Sources
    from reasoning.training.recipe.recipe import Recipe, Source

VALIDATED = 300
"""Default maximum of validation questions that are asked where topics are given."""


@dataclass(frozen=True, slots=True)
class ToAsk:
    """A validation question with the graph that it is asked of."""

    question: BenchmarkQuestion
    store: GraphStore
    perfect: float | None
    """The macro-F1 of a chooser without mistakes; None where topics are found."""
    number: int
    """Counts the questions from 1."""
    total: int
    """How many there may be at most."""


def sources_to_ask(recipe: Recipe) -> tuple[Source, ...]:
    """A recipe's tests; where it has none, its sources with validation questions."""
    return recipe.tests or sources_with_questions(recipe)


def sources_with_questions(recipe: Recipe) -> tuple[Source, ...]:
    """The sources of a recipe that have validation questions: neither their graphs nor their questions are made."""
    return tuple(one for one in recipe.sources if one.graph != SCHEMA and one.dataset != DRAWN and not one.composed)


def topics_of(source: Source) -> Topics:
    """Whether the topics of a source's validation questions are given or found."""
    return "gold" if source.topics == "given" else "linked"


def questions_to_ask(source: Source, sources: Sources, *, most: int | None = None) -> Iterator[ToAsk]:
    """Validation questions that can be judged and, where topics are given, answered; in the same order each time.

    ``most`` is how many there are; see `Recipe.validated`.
    """
    given = topics_of(source) == "gold"
    if most is None and given:
        most = VALIDATED
    questions = sources.questions(replace(source, questions=None), "validation")
    if most is not None:
        # Files are often sorted by kind of question; what is asked is to be of all kinds.
        questions.sort(key=lambda question: hashlib.sha256(question.id.encode()).digest())
    total = len(questions) if most is None else min(most, len(questions))
    number = 0
    with sources.graph(source, questions) as store:
        for question in filter(is_judged, questions):
            if number == total:
                break
            perfect = ceiling(question, store).f1 if given else None
            if perfect != 0:
                number += 1
                yield ToAsk(question, store, perfect, number, total)


def validate(
    source: Source,
    sources: Sources,
    scorer: Scorer,
    *,
    most: int | None = None,
    progress: Callable[[int, int], None] = lambda *_: None,
) -> tuple[dict[str, Any], list[Outcome]]:
    """The figures of a scorer over the questions of `questions_to_ask`, with 95 % intervals; and the outcomes.

    ``progress`` is called with the number of asked questions, and their maximum.
    """
    settings = EvaluationSettings(topics=topics_of(source))
    outcomes: list[Outcome] = []
    best: list[float] = []
    for each in questions_to_ask(source, sources, most=most):
        outcomes.append(ask(each.question, each.store, scorer, settings))
        if each.perfect is not None:
            best.append(each.perfect)
        progress(each.number, each.total)
    found = figures(outcomes, topics=settings.topics, graph=source.graph)
    answered = [outcome for outcome in outcomes if outcome.answerable]
    return {
        **found,
        "perfect_f1": fmean(best) if best else None,
        "intervals": intervals([(one.hit_first, one.f1) for one in answered]),
    }, outcomes


def intervals(compared: Sequence[tuple[bool, float]]) -> dict[str, tuple[float, float]]:
    """The 95 % intervals of Hits@1 and macro-F1; none without any question."""
    if not compared:
        return {}
    return {
        "hits_at_1": interval([float(hit) for hit, _ in compared]),
        "macro_f1": interval([f1 for _, f1 in compared]),
    }
