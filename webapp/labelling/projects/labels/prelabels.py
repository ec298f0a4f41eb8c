"""Pre-labels: a derivation that is suggested to those who label, which is never a label by itself.

The dataset's gold derivation of a question is fitted to the graph of a project when the task is first given to an
annotator, and then kept. What a model decides is there before, see
`webapp.labelling.projects.labels.suggesting_worker`; a task that an annotator opens earlier stays without a suggestion,
so that all who label it see the same.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any, NotRequired, TypedDict

from django.db import transaction
from django.db.models import F

from reasoning.core.derivation import Derivation
from reasoning.gold.fitting import answer_f1, read_with_answers
from reasoning.run.run import RunLimits
from webapp.labelling.projects.draft import reading_of
from webapp.labelling.projects.labels.preview import project_graph
from webapp.labelling.projects.models import Suggesting, Suggests, Task
from webapp.labelling.projects.schemas import SuggestionOut

if TYPE_CHECKING:
    from kgstore.store import GraphStore
    from reasoning.datasets.question import BenchmarkQuestion, GoldParse
    from webapp.labelling.projects.models import Project

_LIMITS = RunLimits()


class Prelabel(TypedDict):
    """What is kept of a suggestion."""

    source: str
    """Where it comes from: *webqsp gold*, *encoder, READS*; empty if an annotator opened the task before a model
    did."""
    derivation: dict[str, Any] | None
    """None where the question has no gold derivation that fits the graph, or a model came to no answer."""
    reason: NotRequired[str]
    """What a model came to: a `reasoning.labels.suggesting.Suggested.reason`."""


LATE = Prelabel(source="", derivation=None)
"""For a task that an annotator opened before a model did."""


def is_blind(project: Project, question: int) -> bool:
    """Whether nothing is suggested for a question of a project; drawn by a hash, so that it is always the same."""
    drawn = hashlib.sha256(f"{project.pk} {question}".encode()).digest()
    return int.from_bytes(drawn[:4], "big") * 100 < project.blind_percent << 32


def suggestion_out(task: Task, project: Project) -> SuggestionOut | None:
    """What is suggested for a task; None for nothing.

    Raises:
        ProductError: the graph is not what it was.

    """
    if task.blind or project.suggests == Suggests.NOTHING:
        return None
    if task.suggestion is None:
        _keep(task, project)
    kept: Prelabel | None = task.suggestion
    if kept is None or kept["derivation"] is None:
        return None
    reading = reading_of(Derivation.from_json(kept["derivation"]))
    return SuggestionOut(source=kept["source"], **reading.model_dump())


def suggested(task: Task) -> Prelabel | None:
    """What those who label a task were shown, or that there was nothing to show; None where nothing was tried."""
    kept: Prelabel | None = task.suggestion
    return None if task.blind or kept is None or not kept["source"] else kept


def _keep(task: Task, project: Project) -> None:
    """Keep what is suggested for a task from now on, or that nothing is; where a worker came first, its word counts."""
    suggests_model = project.suggests == Suggests.MODEL
    kept = LATE if suggests_model else _prelabel(task, project)
    with transaction.atomic():
        is_first = Task.objects.filter(pk=task.pk, suggestion__isnull=True).update(suggestion=kept)
        if is_first and suggests_model:
            Suggesting.objects.filter(project=project).update(late=F("late") + 1)
    task.refresh_from_db(fields=["suggestion"])


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
    found = read_with_answers(store, gold, topic_may_answer=question.topic_may_answer)
    if found is None:
        return 0.0, None
    read, given = found
    return (answer_f1(given, parse.answers) if parse.answers else float(bool(given))), read
