"""The labels of a project's tasks, compared: with the graph where it is needed, and still there."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache, lru_cache
from itertools import groupby
from typing import TYPE_CHECKING

from pydantic import TypeAdapter

from reasoning.agreement.compared import ComparedLabel, canonical
from reasoning.agreement.pairs import compare_all
from reasoning.agreement.project import ProjectAgreement, summarise
from reasoning.agreement.questions import LabelSaid, QuestionAgreement
from reasoning.agreement.suggested import SuggestionBias, suggestion_bias
from reasoning.core.derivation import Derivation
from reasoning.labels.gold_subgraph import gold_subgraph
from webapp import engine
from webapp.labelling.agreement.stamp import labels_of
from webapp.labelling.projects.draft import Draft, decided_of, facts_of
from webapp.labelling.projects.labels.known_answers import known_answers, rightness
from webapp.labelling.projects.labels.prelabels import fitted_gold, suggested
from webapp.labelling.projects.models import Suggests

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence
    from datetime import datetime

    from kgstore.store import GraphStore
    from reasoning.agreement.pairs import SubgraphOf
    from webapp.labelling.projects.labels.known_answers import Known
    from webapp.labelling.projects.models import Assignment, Project, Task

_GIVES_ANSWERS = frozenset({"derivation", "facts", "answers", "ambiguous", "unanswerable"})
"""A question that cannot be answered has no answers, which is something said of them."""
_NAMES_TOPIC = frozenset({"derivation", "facts", "answers", "unanswerable"})


@dataclass(frozen=True, slots=True)
class Found:
    """All figures of a project."""

    project: ProjectAgreement
    bias: SuggestionBias | None
    """None where nothing is suggested in the project."""
    graph_fault: str
    """Why facts were not read off the graph, in words; empty where they were."""


FOUND = TypeAdapter(Found)
AGREEMENT = TypeAdapter(QuestionAgreement)
"""What is kept of either, as JSON and back."""


@dataclass(frozen=True, slots=True)
class TaskCompared:
    """A task with its labels, compared."""

    task: int
    position: int
    agreement: QuestionAgreement


def graph_of(project: Project) -> tuple[GraphStore | None, str]:
    """The graph of a project; None where it is not what it was when the project was made, and why then, in words.

    Raises:
        GraphStoreError: it is gone, or cannot be read.

    """
    store = engine.graph(project.graph)
    if store.info().version == project.graph_version:
        return store, ""
    return None, f"The graph “{project.graph_title}” was loaded again since this project was made, so it was not read."


def compare_labels(
    project: Project,
    store: GraphStore | None,
    *,
    after: int = 0,
    most: int | None = None,
    tasks: Collection[int] | None = None,
) -> Iterator[TaskCompared]:
    """The tasks of a project that have labels, in their order, those after a position, ``most`` at most.

    ``tasks`` are the ids of those that are wanted; all where it is None.

    Raises:
        GraphStoreError: the graph cannot be read.

    """
    rows = labels_of(project) if tasks is None else labels_of(project).filter(task__in=tasks)
    if most is not None:
        few = (
            rows.filter(task__position__gt=after).order_by("task__position").values("task__position").distinct()[:most]
        )
        rows = rows.filter(task__position__in=[row["task__position"] for row in few])
    rows = rows.select_related("task__question", "project__dataset").order_by("task__position", "person", "pk")
    for _, same in groupby(rows, key=lambda row: row.task_id):
        labels = list(same)
        task = labels[0].task
        key = (task.pk, "" if store is None else project.graph_version, *(_which(row) for row in labels))
        yield TaskCompared(task.pk, task.position, _compared(_Labelled(key, project, task, labels, store)))


def found_of(questions: Sequence[QuestionAgreement], project: Project, graph_fault: str) -> Found:
    """All figures of questions whose labels were compared."""
    bias = None if project.suggests == Suggests.NOTHING else suggestion_bias(questions)
    return Found(summarise(questions), bias, graph_fault)


@dataclass(frozen=True, slots=True)
class _Labelled:
    """A task to be compared. Two are equal where the same people handed the same labels in."""

    key: tuple[object, ...]
    project: Project = field(compare=False)
    task: Task = field(compare=False)
    rows: Sequence[Assignment] = field(compare=False)
    store: GraphStore | None = field(compare=False)


def _which(row: Assignment) -> tuple[int, int | None, datetime | None]:
    return row.pk, row.person_id, row.submitted_at


@lru_cache(maxsize=2_000)
def _compared(labelled: _Labelled) -> QuestionAgreement:
    """Compare the labels of a task. The last ones are kept, so that one label more does not cost all again."""
    project, task, rows, store = labelled.project, labelled.task, labelled.rows, labelled.store
    drafts = [Draft.model_validate(row.draft) for row in rows]
    labels = [_label(row, draft) for row, draft in zip(rows, drafts, strict=True)]
    shown, suggestion, known = _suggestion(project, task, store)
    said = tuple(
        LabelSaid(
            label.who,
            label.kind,
            label.topic,
            None if label.answers is None else tuple(sorted(label.answers)),
            label.seconds,
            None if suggestion is None else label.derivation is not None and canonical(label.derivation) == suggestion,
            None if known is None or store is None else _rightness(row, draft, known, store),
        )
        for row, label, draft in zip(rows, labels, drafts, strict=True)
    )
    return QuestionAgreement(said, compare_all(labels, _subgraphs(store)), shown)


def _subgraphs(store: GraphStore | None) -> SubgraphOf | None:
    """Reads the gold subgraph of a derivation off the graph, once for each."""
    return None if store is None else cache(lambda derivation: frozenset(gold_subgraph(derivation, store)))


def _suggestion(project: Project, task: Task, store: GraphStore | None) -> tuple[bool | None, str | None, Known | None]:
    """Whether a suggestion was seen; what it is, or would be; and the answers that are known."""
    if project.suggests == Suggests.NOTHING:
        return None, None, None
    kept = suggested(task)
    seen = None if kept is None or kept["derivation"] is None else Derivation.from_json(kept["derivation"])
    if seen is None and not task.blind:
        return None, None, None
    question = task.question.to_benchmark()
    # Blind questions have no suggestion of a model.
    if task.blind and project.suggests == Suggests.DATASET and store is not None:
        seen = fitted_gold(question, store)
    known = None if store is None else known_answers(question, project.dataset.format, store)
    return not task.blind, None if seen is None else canonical(seen), known


def _rightness(row: Assignment, draft: Draft, known: Known, store: GraphStore) -> float:
    """How right a label is; the graph is read only for kinds whose kept answers do not tell."""
    if row.score is not None:
        return row.score
    if draft.kind == "derivation":
        # They were found as it was handed in, however many they are, and count as if they had been marked.
        draft = draft.model_copy(update={"kind": "answers", "marked": row.answers or []})
    return rightness(draft, known, row.task.question.to_benchmark(), store)


def _label(row: Assignment, draft: Draft) -> ComparedLabel:
    return ComparedLabel(
        who=row.person_id,
        kind=draft.kind,
        topic=draft.topic if draft.kind in _NAMES_TOPIC else None,
        answers=frozenset(row.answers or []) if draft.kind in _GIVES_ANSWERS else None,
        derivation=decided_of(draft).derivation if draft.kind == "derivation" else None,
        facts=frozenset(facts_of(draft)) if draft.kind == "facts" else None,
        seconds=row.seconds,
    )
