"""The entries of a log, wherever they are kept: filtered and counted where they are, laid together by time.

What is asked of all of them is when they were, of which kind they are and their number; the rest is read of those alone
that are shown.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from django.db.models import CharField, F, Q, Sum, Value

from webapp.labelling.adjudication.models import ACCEPTING, AcceptedLabel
from webapp.labelling.projects.models import Assignment, Move, SentBack, State, Task

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from django.db.models import QuerySet

    from webapp.labelling.log.schemas import LogKind, LogWhat
    from webapp.labelling.projects.models import Project

    Key: TypeAlias = tuple[datetime, LogKind, int]
    """When it was, of which kind it is, and its number."""
    Found: TypeAlias = "dict[LogKind, QuerySet[Any]]"

MAX_COUNTED = 10_000
_FEW = 1_000
"""Up to this number of tasks, entries are looked up by task; beyond it, entries are read until there are enough."""
_MAX_NUMBER_LENGTH = 9
"""A longer number is that of no task."""


@dataclass(frozen=True, slots=True)
class LogFilter:
    """Which entries are wanted."""

    person: int | None = None
    """By whom."""
    search: str = ""
    """The number of a task, or words of its question or its id."""
    what: LogWhat | None = None
    since: datetime | None = None
    until: datetime | None = None
    """Before then."""


NO_FILTER = LogFilter()


@dataclass(frozen=True, slots=True)
class _Source:
    """Where entries of one kind are kept."""

    rows: Callable[[Project], QuerySet[Any]]
    at: str
    who: str
    task: str
    """The fields that tell these."""


_SOURCES: dict[LogKind, _Source] = {
    "move": _Source(lambda project: Move.objects.filter(project=project), "at", "who", "assignment__task"),
    "handed_in": _Source(
        lambda project: Assignment.objects.filter(project=project, state=State.SUBMITTED),
        "submitted_at",
        "person",
        "task",
    ),
    "sent_back": _Source(
        lambda project: SentBack.objects.filter(assignment__project=project), "sent_at", "sender", "assignment__task"
    ),
    "accepted": _Source(
        lambda project: AcceptedLabel.objects.filter(project=project, how__in=ACCEPTING), "at", "reviewer", "task"
    ),
    "withdrawn": _Source(
        lambda project: AcceptedLabel.objects.filter(project=project).exclude(how__in=ACCEPTING),
        "at",
        "reviewer",
        "task",
    ),
}


def entries_all(project: Project) -> int:
    """How many entries there are."""
    labels = Assignment.objects.filter(project=project)
    # Moves count from 1 without gaps, so they need not be counted one by one.
    moves = labels.aggregate(all=Sum("last", default=0))["all"]
    others = (_of_kind(kind, project, NO_FILTER).count() for kind in _SOURCES if kind != "move")
    return int(moves) + sum(others)


def entries_count(found: Found) -> int:
    """How many entries were found; beyond `MAX_COUNTED`, that there are more."""
    counted = 0
    for rows in found.values():
        counted += rows.order_by()[: MAX_COUNTED + 1 - counted].count()
        if counted > MAX_COUNTED:
            break
    return counted


def entry_keys(found: Found) -> QuerySet[Any, Key]:
    """The entries that were found, the newest first."""
    rows_of_kinds: list[QuerySet[Any, Key]] = [
        rows.order_by()
        .annotate(when=F(_SOURCES[kind].at), which=Value(kind, CharField()), number_of=F("pk"))
        .values_list("when", "which", "number_of")
        for kind, rows in found.items()
    ]
    first, *others = rows_of_kinds
    together = first.union(*others, all=True) if others else first
    # In the order of the indexes, so that a page does not sort all there is.
    return together.order_by("-when", "-number_of", "-which")


def entries_found(project: Project, wanted: LogFilter) -> Found:
    """The entries that are like this, by their kind; of one kind at least."""
    kinds: list[LogKind] = [kind for kind in _SOURCES if wanted.what == kind] or (
        list(_SOURCES) if wanted.what is None else ["move"]
    )
    found = {kind: _of_kind(kind, project, wanted) for kind in kinds}
    if not wanted.search.strip():
        return found
    tasks = _tasks(project, wanted.search)
    few = list(tasks.values_list("pk", flat=True)[: _FEW + 1])
    if len(few) > _FEW:
        labels = Assignment.objects.filter(project=project, task__in=tasks)
        return {
            kind: rows.filter(assignment__in=labels)
            if kind == "move"
            else rows.filter(**{f"{_SOURCES[kind].task}__in": tasks})
            for kind, rows in found.items()
        }
    few_labels = list(Assignment.objects.filter(task__in=few).order_by().values_list("pk", flat=True))
    return {
        # Without the project, which the labels tell, so that no database goes through all moves of that.
        kind: _narrowed(Move.objects.filter(assignment__in=few_labels), kind, wanted)
        if kind == "move"
        else rows.filter(**{f"{_SOURCES[kind].task}__in": few})
        for kind, rows in found.items()
    }


def _of_kind(kind: LogKind, project: Project, wanted: LogFilter) -> QuerySet[Any]:
    """The entries of a kind, of whatever question."""
    return _narrowed(_SOURCES[kind].rows(project), kind, wanted)


def _narrowed(rows: QuerySet[Any], kind: LogKind, wanted: LogFilter) -> QuerySet[Any]:
    source = _SOURCES[kind]
    if wanted.person is not None:
        rows = rows.filter(**{source.who: wanted.person})
    if wanted.since is not None:
        rows = rows.filter(**{f"{source.at}__gte": wanted.since})
    if wanted.until is not None:
        rows = rows.filter(**{f"{source.at}__lt": wanted.until})
    if kind == "move" and wanted.what not in (None, "moves"):
        # Of no two fields that can be asked for is the name of one within that of the other; "steps" is to find
        # "steps_ended" too.
        rows = rows.filter(fields__contains=wanted.what)
    return rows


def _tasks(project: Project, search: str) -> QuerySet[Task]:
    """The task of a number, or those whose question or id has every word."""
    tasks = Task.objects.filter(project=project).order_by()
    number = search.strip().removeprefix("#")
    if number.isascii() and number.isdigit():
        return tasks.filter(position=int(number)) if len(number) <= _MAX_NUMBER_LENGTH else tasks.none()
    for word in search.split():
        tasks = tasks.filter(Q(question__text__icontains=word) | Q(question__question_id__icontains=word))
    return tasks
