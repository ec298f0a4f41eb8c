"""What is read of feedback: one's own, and for reviewers everybody's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, cast

from django.db.models import Count, Exists, OuterRef, Q

from reasoning.evaluation.reporting.cells import cell
from webapp.accounts.permissions import Action, may_ensure
from webapp.asking.feedback.models import Feedback, Says
from webapp.asking.feedback.schemas import FeedbackOut, FeedbackPageOut, GivenFeedbackOut
from webapp.asking.runs.models import ReasoningRun
from webapp.platform.work.states import Status

if TYPE_CHECKING:
    from collections.abc import Iterator

    from django.db.models import QuerySet

    from reasoning.events import Verdict
    from webapp.accounts.viewer import Viewer

_ROWS_AT_ONCE = 500
COLUMNS = (
    "said_at",
    "says",
    "expected",
    "who",
    "question",
    "answers",
    "verdict",
    "graph",
    "graph_version",
    "scorer",
    "strategy",
    "run",
)


def feedback_by(*, viewer: Viewer) -> QuerySet[Feedback]:
    """What the viewer says now: by their account, and by their browser's session before they signed in."""
    own = Q()
    if viewer.user is not None:
        own |= Q(person=viewer.user)
    if viewer.visitor is not None:
        own |= Q(visitor=viewer.visitor)
    return Feedback.objects.filter(own, current=True) if own else Feedback.objects.none()


def feedback_of(*, run: ReasoningRun, viewer: Viewer) -> FeedbackOut | None:
    """What the viewer says of a run's answer; None where nothing."""
    said = feedback_by(viewer=viewer).filter(run=run).exclude(says=Says.WITHDRAWN).first()
    if said is None:
        return None
    return FeedbackOut(says=_says(said), expected=said.expected, said_at=said.said_at)


def runs_confirmed() -> QuerySet[ReasoningRun]:
    """The runs whose answer a user with an account calls right, and no one calls wrong."""
    said = _current().filter(run=OuterRef("pk"))
    right, wrong = said.filter(says=Says.RIGHT, person__isnull=False), said.filter(says=Says.WRONG)
    return ReasoningRun.objects.filter(Exists(right), ~Exists(wrong), status=Status.SUCCEEDED)


def feedback_page(
    *, viewer: Viewer, says: str | None, corrected: bool, search: str, offset: int, limit: int
) -> FeedbackPageOut:
    """Some of what people say of answers, the newest first.

    ``corrected`` is for what tells what an answer should be; every word of ``search`` stands in it or in the question.

    Raises:
        ProductError: the viewer may not.

    """
    found = _found(viewer, says=says, corrected=corrected, search=search)
    counted = _current().aggregate(
        right=Count("pk", filter=Q(says=Says.RIGHT)), wrong=Count("pk", filter=Q(says=Says.WRONG))
    )
    return FeedbackPageOut(
        feedback=[_given(row) for row in found[offset : offset + limit]], total=found.count(), **counted
    )


def feedback_table(*, viewer: Viewer, says: str | None, corrected: bool, search: str) -> Iterator[list[str]]:
    """What people say of answers as the rows of a table, the first of which is its head.

    Raises:
        ProductError: the viewer may not.

    """
    found = _found(viewer, says=says, corrected=corrected, search=search)
    yield list(COLUMNS)
    for row in found.iterator(_ROWS_AT_ONCE):
        given = _given(row)
        values = (
            given.said_at.isoformat(),
            given.says,
            given.expected,
            given.who or "a visitor",
            given.question,
            "; ".join(given.answers),
            given.verdict or "",
            row.run.graph,
            row.run.graph_version,
            given.scorer,
            given.strategy,
            given.run,
        )
        yield [cell(value) for value in values]


def _current() -> QuerySet[Feedback]:
    return Feedback.objects.filter(current=True).exclude(says=Says.WITHDRAWN)


def _found(viewer: Viewer, *, says: str | None, corrected: bool, search: str) -> QuerySet[Feedback]:
    may_ensure(viewer, Action.READ_QUESTIONS)
    found = _current()
    if says is not None:
        found = found.filter(says=says)
    if corrected:
        found = found.exclude(expected="")
    for word in search.split():
        found = found.filter(Q(run__question__text__icontains=word) | Q(expected__icontains=word))
    return found.select_related("run__question", "person").order_by("-pk")


def _says(row: Feedback) -> Literal["right", "wrong"]:
    return cast("Literal['right', 'wrong']", row.says)


def _given(row: Feedback) -> GivenFeedbackOut:
    run = row.run
    return GivenFeedbackOut(
        id=row.pk,
        says=_says(row),
        expected=row.expected,
        said_at=row.said_at,
        who="" if row.person is None else row.person.display_name,
        run=run.pk,
        question=run.question.text,
        graph_title=run.graph_title,
        scorer=run.scorer,
        strategy=run.strategy,
        answers=run.answers,
        verdict=cast("Verdict", run.verdict) if run.verdict else None,
    )
