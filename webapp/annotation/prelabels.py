"""Pre-labels: the gold derivation of a question, as it fits the graph of a project, suggested to those who label.

A suggestion is never a label by itself. It is fitted when somebody is first given the task, and then kept.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any, TypedDict

from reasoning.derivation import Derivation
from reasoning.gold.fitting import answer_f1, read_on, replay
from reasoning.run import RunLimits
from webapp.annotation.draft import reading_of
from webapp.annotation.models import Task
from webapp.annotation.schemas import SuggestionOut
from webapp.annotation.told import project_graph

if TYPE_CHECKING:
    from kgstore.store import GraphStore
    from reasoning.datasets.question import BenchmarkQuestion, GoldParse
    from webapp.annotation.models import Project

_LIMITS = RunLimits()


class Prelabel(TypedDict):
    """What is kept of a suggestion."""

    source: str
    """Where it comes from: *webqsp gold*."""
    derivation: dict[str, Any] | None
    """None where the question has no gold derivation that fits the graph."""


def is_blind(project: Project, question: int) -> bool:
    """Whether nothing is suggested for a question of a project; drawn by a hash, so that it is always the same."""
    drawn = hashlib.sha256(f"{project.pk} {question}".encode()).digest()
    return int.from_bytes(drawn[:4], "big") * 100 < project.blind_percent << 32


def suggestion_out(task: Task, project: Project) -> SuggestionOut | None:
    """What is suggested for a task; None for nothing.

    Raises:
        ProductError: the graph is not what it was.

    """
    if task.blind or not project.prelabels:
        return None
    if task.suggestion is None:
        task.suggestion = _prelabel(task, project)
        Task.objects.filter(pk=task.pk, suggestion__isnull=True).update(suggestion=task.suggestion)
    kept: Prelabel = task.suggestion
    if kept["derivation"] is None:
        return None
    reading = reading_of(Derivation.from_json(kept["derivation"]))
    return SuggestionOut(source=kept["source"], **reading.model_dump())


def _prelabel(task: Task, project: Project) -> Prelabel:
    with project_graph(project) as store:
        derivation = fitted_gold(task.question.to_benchmark(), store)
    return Prelabel(
        source=f"{project.dataset.format} gold", derivation=None if derivation is None else derivation.to_json()
    )


def fitted_gold(question: BenchmarkQuestion, store: GraphStore) -> Derivation | None:
    """The gold derivation of a question that fits a graph best; None where none leads to a gold answer there.

    A derivation of a reading whose answers the benchmark does not say fits where it leads anywhere.

    Raises:
        GraphStoreError: the graph cannot be read.

    """
    fits = [(fit, read) for parse in question.parses for fit, read in [_fit(parse, question, store)] if fit > 0]
    best = max(fits, key=lambda each: each[0], default=None)
    return None if best is None else best[1]


def _fit(parse: GoldParse, question: BenchmarkQuestion, store: GraphStore) -> tuple[float, Derivation | None]:
    """How well what a reading's derivation gives fits its answers, by F1, and the derivation in the graph's terms."""
    gold = parse.derivation
    if gold is None or len(gold.steps) > _LIMITS.steps or len(gold.constraints) > _LIMITS.constraints:
        return 0.0, None
    read = read_on(store, gold)
    if read is None:
        return 0.0, None
    given = replay(read, store, topic_may_answer=question.topic_may_answer)
    return (answer_f1(given, parse.answers) if parse.answers else float(bool(given))), read
