"""Labels that a reviewer gives back to who made them: with a comment, which its maker replies to and acts upon."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import transaction

from webapp.labelling.projects.draft import Draft
from webapp.labelling.projects.labels.handed_in import labels_changed
from webapp.labelling.projects.labels.holding import give_back
from webapp.labelling.projects.models import Assignment, Member, Project, SentBack, State
from webapp.labelling.projects.roles import Right, project_may_ensure, unarchived_ensure
from webapp.labelling.projects.schemas import SentBackOut, SentBackTaskOut
from webapp.platform.http.errors import ProductError, room_ensure

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from webapp.accounts.models import User
    from webapp.accounts.viewer import Viewer
    from webapp.labelling.projects.schemas import SendBackIn

_TASKS_SHOWN = 50


def label_send_back(*, project: Project, task_id: int, label_id: int, wanted: SendBackIn, viewer: Viewer) -> None:
    """Give a label that was handed in back to who made it. It holds its task until it is handed in again.

    Raises:
        ProductError: the viewer may not, there is no such label, it is their own or has no annotator, its annotator
            has left the project, or it is not handed in.

    """
    project_may_ensure(project, viewer, Right.REVIEW)
    unarchived_ensure(project)
    room_ensure()
    with transaction.atomic():
        Project.objects.select_for_update().get(pk=project.pk)
        label = Assignment.objects.select_related("person").filter(pk=label_id, task=task_id, project=project).first()
        if label is None:
            raise ProductError(404, "unknown_label", "There is no such label of this task.")
        _sendable_ensure(label, viewer)
        own = Assignment.objects.filter(task=task_id, person=viewer.user, state=State.ADJUDICATING).first()
        SentBack.objects.create(
            assignment=label,
            sender=viewer.user,
            comment=wanted.comment.strip(),
            last=label.last,
            against=own.draft if own is not None and wanted.shows_own else None,
        )
        label.state, label.sent_back = State.OPEN, True
        label.submitted_at = label.answers = label.score = None
        label.save()
        labels_changed(label.task)


def may_send_back(label: Assignment, viewer: Viewer) -> bool:
    """Whether a label is one that a reviewer may send back: handed in, and not their own."""
    return label.state == State.SUBMITTED and label.round == 0 and label.person_id not in (None, _id(viewer))


def _sendable_ensure(label: Assignment, viewer: Viewer) -> None:
    if label.state != State.SUBMITTED:
        message = "This label is not handed in any more: it was sent back, or taken up again. Reload the page."
        raise ProductError(409, "not_handed_in", message)
    if label.round > 0:
        raise ProductError(409, "of_a_round", "A qualification round is judged as it was handed in.")
    if label.person is None:
        raise ProductError(409, "nobodys_label", "The author of this label was deleted.")
    if label.person_id == _id(viewer):
        raise ProductError(409, "own_label", "This label is your own. Take it up again on the page of its task.")
    member = Member.objects.filter(project=label.project_id, person=label.person_id, labels=True, left_at__isnull=True)
    if not member.exists():
        message = f"“{label.person}” does not label in this project any more. Add them again first."
        raise ProductError(409, "labels_no_more", message)


def _id(viewer: Viewer) -> int | None:
    return None if viewer.user is None else viewer.user.pk


def reply_write(*, assignment: Assignment, reply: str) -> SentBackOut:
    """Save the reply of an annotator to the reviewer who sent their label back; it is final once they submit the label.

    Raises:
        ProductError: the label was not sent back, or is handed in again.

    """
    room_ensure()
    with transaction.atomic():
        Project.objects.select_for_update().get(pk=assignment.project_id)
        row = SentBack.objects.select_related("sender").filter(assignment=assignment, answered_at__isnull=True).first()
        if row is None:
            raise ProductError(409, "not_sent_back", "This label is not sent back, or no more. Reload the page.")
        row.reply = reply.strip()
        row.save()
    return _sent_back_out(row)


def sending_back_answered(assignment: Assignment, now: datetime) -> None:
    """Note that a label that was sent back is handed in again; the caller saves it."""
    if assignment.sent_back:
        SentBack.objects.filter(assignment=assignment, answered_at__isnull=True).update(answered_at=now)
        assignment.sent_back = False


def sent_back_release(project: Project, person: int) -> None:
    """Reassign the tasks that were sent back to an annotator who leaves; their drafts stay."""
    for label in Assignment.objects.filter(project=project, person=person, state=State.OPEN, sent_back=True):
        give_back(label)


def sent_back_tasks_out(person: User) -> list[SentBackTaskOut]:
    """The tasks that were sent back to an annotator, the one that waits longest first."""
    waiting = (
        SentBack.objects.filter(
            assignment__person=person,
            assignment__state=State.OPEN,
            assignment__project__archived_at__isnull=True,
            answered_at__isnull=True,
        )
        .select_related("sender", "assignment__project", "assignment__task__question")
        .order_by("pk")
    )
    return [
        SentBackTaskOut(
            id=row.assignment.task_id,
            question=row.assignment.task.question.text,
            question_id=row.assignment.task.question.question_id,
            project_title=row.assignment.project.title,
            told=_sent_back_out(row),
        )
        for row in waiting[:_TASKS_SHOWN]
    ]


def sent_back_of(labels: Iterable[Assignment]) -> Mapping[int, list[SentBackOut]]:
    """How often each of some labels was sent back, by its id, the newest first."""
    entries: dict[int, list[SentBackOut]] = {label.pk: [] for label in labels}
    for row in SentBack.objects.filter(assignment__in=entries).select_related("sender").order_by("-pk"):
        entries[row.assignment_id].append(_sent_back_out(row))
    return entries


def _sent_back_out(row: SentBack) -> SentBackOut:
    return SentBackOut(
        sender="" if row.sender is None else row.sender.display_name,
        comment=row.comment,
        sent_at=row.sent_at,
        reply=row.reply,
        answered_at=row.answered_at,
        against=None if row.against is None else Draft.model_validate(row.against),
    )
