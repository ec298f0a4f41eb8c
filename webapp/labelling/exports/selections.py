"""Which labels of a project are exported. Another choice is one more entry of `SELECTIONS`."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

from webapp.labelling.adjudication.models import Adjudication, Stand
from webapp.labelling.exports.agreements import agreements_of
from webapp.labelling.projects.draft import Draft
from webapp.labelling.projects.labels.prelabels import suggested
from webapp.labelling.projects.models import Assignment, State

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from django.db.models import QuerySet

    from webapp.datasets.models import Question
    from webapp.labelling.exports.people import Named
    from webapp.labelling.projects.models import Project

_AT_ONCE = 200
_Row = TypeVar("_Row", Assignment, Adjudication)


@dataclass(frozen=True)
class LabelWants:
    """What to export of labels besides their content."""

    named: Named
    known: bool
    """The answers that are known, and how right labels are."""
    moves: bool
    """The log of moves."""
    agreement: bool = False
    """How far the labels of a question agree."""


@dataclass(frozen=True)
class SelectedLabel:
    """A label that is exported, wherever it is kept."""

    id: str
    """Unique among those of the project."""
    question: Question
    draft: Draft
    answers: list[str]
    """The terms that it gave on its graph."""
    about: dict[str, Any] = field(default_factory=dict)
    """What else is known of it, besides its draft, as plain values."""
    of_round: bool = False
    """Whether it is of a qualification round."""


@dataclass(frozen=True)
class Selection:
    """A choice of labels."""

    name: str
    title: str
    says: str
    """What they are, in a sentence."""
    labels: Callable[[Project, LabelWants], Iterator[SelectedLabel]]
    """In the order of tasks, never all in memory."""
    count: Callable[[Project], int]


def _handed_in(project: Project) -> QuerySet[Assignment]:
    return Assignment.objects.filter(project=project, state=State.SUBMITTED)


def _all_handed_in(project: Project, wants: LabelWants) -> Iterator[SelectedLabel]:
    rows = _handed_in(project).select_related("task__question", "person").order_by("task__position", "pk")
    if wants.moves:
        rows = rows.prefetch_related("moves__who")
    task, number = None, 0
    for some in _some_at_once(rows.iterator(chunk_size=_AT_ONCE)):
        agreements = agreements_of(project, {row.task_id for row in some}) if wants.agreement else {}
        for row in some:
            number = number + 1 if row.task_id == task else 1
            task = row.task_id
            question = row.task.question
            about = _about(row, wants)
            if wants.agreement:
                about["agreement"] = agreements.get(row.task_id)
            yield SelectedLabel(
                f"{question.question_id}/label-{number}",
                question,
                Draft.model_validate(row.draft),
                row.answers or [],
                about,
                of_round=row.round > 0,
            )


def _some_at_once(rows: Iterator[_Row]) -> Iterator[list[_Row]]:
    while some := list(islice(rows, _AT_ONCE)):
        yield some


def _about(row: Assignment, wants: LabelWants) -> dict[str, Any]:
    about = {
        "round": row.round,
        "who": wants.named(row.person),
        "guideline": row.guideline,
        "seconds": row.seconds,
        "moves": row.last,
        "started_at": row.started_at.isoformat(),
        "submitted_at": None if row.submitted_at is None else row.submitted_at.isoformat(),
        "blind": row.task.blind,
        "suggested": suggested(row.task),
    }
    if wants.known:
        about |= {"known": row.task.known, "score": row.score}
    if wants.moves:
        about["log"] = [
            {
                "number": move.number,
                "who": wants.named(move.who),
                "at": move.at.isoformat(),
                "was": move.was,
                "now": move.now,
                "undoes": move.undoes,
            }
            for move in row.moves.all()
        ]
    return about


def _accepted(project: Project) -> QuerySet[Adjudication]:
    return Adjudication.objects.filter(project=project, stand=Stand.ACCEPTED)


def _all_accepted(project: Project, wants: LabelWants) -> Iterator[SelectedLabel]:
    rows = _accepted(project).select_related("task__question", "accepted__reviewer").order_by("task__position")
    for some in _some_at_once(rows.iterator(chunk_size=_AT_ONCE)):
        agreements = agreements_of(project, {row.task_id for row in some}) if wants.agreement else {}
        for row in some:
            question, accepted = row.task.question, row.accepted
            if accepted is None:
                continue
            about: dict[str, Any] = {
                "how": accepted.how,
                "who": wants.named(accepted.reviewer),
                "accepted_at": accepted.at.isoformat(),
                "comment": accepted.comment,
                "agreement": {
                    **agreements.get(row.task_id, {}),
                    "labels": len(accepted.rests_on),
                    "agreed": row.agreed,
                },
            }
            if wants.known:
                about["known"] = row.task.known
            draft = Draft.model_validate(accepted.draft)
            yield SelectedLabel(question.question_id, question, draft, accepted.answers, about)


_ALL = Selection(
    name="all",
    title="All labels that were handed in",
    says="Each label of each person; a question that three people labelled stands there three times.",
    labels=_all_handed_in,
    count=lambda project: _handed_in(project).count(),
)
ACCEPTED = Selection(
    name="accepted",
    title="Accepted labels",
    says="One label a question: the one that all agree about, or that a reviewer decided for.",
    labels=_all_accepted,
    count=lambda project: _accepted(project).count(),
)
SELECTIONS: dict[str, Selection] = {selection.name: selection for selection in (_ALL, ACCEPTED)}
"""By name."""
