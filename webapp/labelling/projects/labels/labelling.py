"""What those who label change: they take tasks, move their drafts, hand labels in, skip and take up again.

A task is never held by more people than its project's overlap. Who begins a task holds it by a lease, which every move
renews; see `webapp.labelling.projects.labels.holding`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from webapp.labelling.projects.draft import Draft, draft_moved
from webapp.labelling.projects.labels.checks import label_faults, label_holds_ensure
from webapp.labelling.projects.labels.handed_in import labels_changed
from webapp.labelling.projects.labels.holding import LEASE, give_back, hold, lapsed_release, lease_of
from webapp.labelling.projects.labels.known_answers import label_answers, score_of
from webapp.labelling.projects.labels.qualification import (
    is_admitted,
    not_passed,
    round_judge,
    round_next,
    round_open_ensure,
)
from webapp.labelling.projects.labels.sending_back import sending_back_answered
from webapp.labelling.projects.models import Assignment, Guideline, Member, Move, Project, Standing, State, Task
from webapp.labelling.projects.roles import labelling_member
from webapp.labelling.projects.schemas import NextOut
from webapp.platform.http.errors import ProductError, room_ensure

if TYPE_CHECKING:
    from datetime import datetime

    from webapp.accounts.viewer import Viewer
    from webapp.labelling.projects.draft import MoveIn
    from webapp.labelling.projects.schemas import MovesIn

MAX_MOVES = 5_000
_IDLE_SHOWN = 15
"""Seconds by which what a browser tells of active time may be more than went by."""


def assignment_next(*, project: Project, viewer: Viewer) -> NextOut:
    """Give an annotator a task: one that was sent back, else one that they hold, else the first that is free and new.

    Raises:
        ProductError: they do not label here.

    """
    member = labelling_member(project, viewer)
    room_ensure()
    now = timezone.now()
    with transaction.atomic():
        # Two who ask at once take turns at the row of the project.
        Project.objects.select_for_update().get(pk=project.pk)
        lapsed_release(project, now)
        if not is_admitted(project, member):
            return _next_of_round(project, member, now)
        mine = Assignment.objects.filter(project=project, person=member.person_id, round=0)
        held = mine.filter(state=State.OPEN, holds=True).order_by("-sent_back", "task__position").first()
        if held is not None:
            return NextOut(task=held.task_id, reason="")
        known = mine.values("task")
        free = Task.objects.filter(project=project, free__gt=0).exclude(pk__in=known)
        task = free.order_by(F("rank").asc(nulls_last=True), "position").first()
        if task is None:
            return NextOut(task=None, reason=_why_none(project, member.person_id))
        Assignment.objects.create(task=task, project=project, person_id=member.person_id, lease_until=now + LEASE)
        Task.objects.filter(pk=task.pk).update(free=F("free") - 1)
    return NextOut(task=task.pk, reason="")


def _next_of_round(project: Project, member: Member, now: datetime) -> NextOut:
    """The next task of an annotator's qualification round, which no one else can take from them."""
    task = None if member.standing == Standing.FAILED else round_next(project, member)
    if task is None:
        return NextOut(task=None, reason=not_passed(project))
    Assignment.objects.update_or_create(
        task=task,
        person_id=member.person_id,
        defaults={"holds": True, "lease_until": now + LEASE, "state": State.OPEN},
        create_defaults={"project": project, "round": task.round, "lease_until": now + LEASE},
    )
    return NextOut(task=task.pk, reason="")


def _why_none(project: Project, person: int) -> str:
    """Why there is no further task, for people."""
    begun = Assignment.objects.filter(project=project, person=person, round=0)
    skipped = begun.filter(state=State.SKIPPED).count()
    lapsed = begun.filter(state=State.OPEN, holds=False).count()
    if skipped or lapsed:
        left = " and ".join(
            each
            for each in (f"{skipped} that you skipped" if skipped else "", f"{lapsed} that you began" if lapsed else "")
            if each
        )
        return f"There is no new task for you. Still open are {left}."
    if Task.objects.filter(project=project, free__gt=0).exists():
        return "You have labelled all tasks that were open to you. Others still have some."
    return "Every task of this project is taken."


def moves_append(*, assignment: Assignment, wanted: MovesIn) -> Assignment:
    """Append moves to the log of a draft. Moves that are known already count once.

    Raises:
        ProductError: other moves came first, a move cannot be read, the task is not open, others have it by now, or the
            log is full.

    """
    room_ensure()
    now = timezone.now()
    with transaction.atomic():
        locked = _locked(assignment)
        known = set(
            locked.moves.filter(move_id__in=[move.id for move in wanted.moves]).values_list("move_id", flat=True)
        )
        new = [move for move in wanted.moves if move.id not in known]
        if not new:
            return locked
        _open_ensure(locked)
        if locked.last != wanted.after + len(wanted.moves) - len(new):
            message = (
                "This draft was moved elsewhere, in another tab or on another machine. Reload it to go on from there; "
                "nothing was overwritten."
            )
            raise ProductError(409, "draft_moved", message, last=locked.last)
        if locked.last + len(new) > MAX_MOVES:
            message = f"A draft takes {MAX_MOVES:,} moves at most. Hand it in or skip the task."
            raise ProductError(409, "too_many_moves", message)
        _append(locked, new, now)
        _count_seconds(locked, wanted.seconds, now)
        locked.lease_until = lease_of(locked, now)
        locked.save()
        _guideline_seen(locked)
    return locked


def _append(assignment: Assignment, moves: list[MoveIn], now: datetime) -> None:
    draft = Draft.model_validate(assignment.draft)
    rows = []
    for move in moves:
        draft = draft_moved(draft, move)
        assignment.last += 1
        if move.undoes is not None and move.undoes >= assignment.last:
            raise ProductError(422, "unreadable_move", f"There is no move {move.undoes} yet to take back.")
        rows.append(
            Move.of(
                assignment,
                number=assignment.last,
                move_id=move.id,
                who=assignment.person,
                was=move.was.model_dump(mode="json", exclude_unset=True),
                now=move.now.model_dump(mode="json", exclude_unset=True),
                undoes=move.undoes,
            )
        )
    Move.objects.bulk_create(rows)
    assignment.draft = draft.model_dump(mode="json")
    assignment.flagged = draft.flagged
    assignment.moved_at = now


def assignment_present(*, assignment: Assignment, seconds: int) -> Assignment:
    """Renew the lease of a task that an annotator still has open, and count their active time.

    Raises:
        ProductError: the task is open and others have it by now.

    """
    now = timezone.now()
    with transaction.atomic():
        locked = _locked(assignment)
        if locked.state == State.OPEN:
            hold(locked)
            locked.lease_until = lease_of(locked, now)
        _count_seconds(locked, seconds, now)
        locked.save()
        _guideline_seen(locked)
    return locked


def assignment_submit(*, assignment: Assignment) -> Assignment:
    """Hand a label in.

    Raises:
        ProductError: it cannot be handed in as it stands, or the task is not open any more.

    """
    faults = label_faults(assignment)
    answers = [] if faults else label_answers(assignment)
    score = None if faults else score_of(assignment)
    now = timezone.now()
    with transaction.atomic():
        locked = _locked(assignment)
        if locked.state == State.SUBMITTED:
            return locked
        _label_ensure(locked)
        _open_ensure(locked)
        if locked.last != assignment.last:
            raise ProductError(409, "draft_moved", "This draft was moved elsewhere meanwhile. Reload it.")
        label_holds_ensure(faults)
        locked.state, locked.lease_until, locked.submitted_at = State.SUBMITTED, None, now
        locked.answers, locked.score = answers, score
        sending_back_answered(locked, now)
        locked.save()
        round_judge(locked)
        labels_changed(locked.task)
    return locked


def assignment_skip(*, assignment: Assignment) -> Assignment:
    """Leave a task to others; the draft stays.

    Raises:
        ProductError: the label is handed in, or the task is one of a qualification round.

    """
    if assignment.round > 0:
        message = (
            "A question of the qualification round cannot be left to others. If it cannot be answered, say so as the "
            "kind of your label."
        )
        raise ProductError(409, "not_to_be_skipped", message)
    with transaction.atomic():
        locked = _locked(assignment)
        _label_ensure(locked)
        if locked.state == State.SUBMITTED:
            raise ProductError(409, "handed_in", "This label is handed in. Take it up again first.")
        give_back(locked)
        locked.holds, locked.lease_until, locked.state = False, None, State.SKIPPED
        locked.save()
    return locked


def assignment_reopen(*, assignment: Assignment) -> Assignment:
    """Take up a task again that one skipped, handed in, or that lapsed.

    Raises:
        ProductError: enough others have it by now, or its qualification round is complete.

    """
    with transaction.atomic():
        locked = _locked(assignment)
        _label_ensure(locked)
        round_open_ensure(locked)
        hold(locked)
        locked.state = State.OPEN
        locked.lease_until = lease_of(locked, timezone.now())
        was_handed_in = locked.submitted_at is not None
        locked.submitted_at = locked.answers = locked.score = None
        locked.save()
        if was_handed_in:
            labels_changed(locked.task)
    return locked


def _locked(assignment: Assignment) -> Assignment:
    """The row as it is now, kept from others to the end of the transaction."""
    Project.objects.select_for_update().get(pk=assignment.project_id)
    return Assignment.objects.select_related("task__question", "task__project", "project", "person").get(
        pk=assignment.pk
    )


def _open_ensure(assignment: Assignment) -> None:
    if assignment.state == State.SUBMITTED:
        raise ProductError(409, "handed_in", "This label is handed in. Take it up again first.")
    if assignment.state == State.SKIPPED:
        raise ProductError(409, "skipped", "You have skipped this task. Take it up again first.")
    if assignment.state == State.OPEN:
        hold(assignment)


def _label_ensure(assignment: Assignment) -> None:
    if assignment.state == State.ADJUDICATING:
        raise ProductError(409, "adjudicated", "This is what you accept as a reviewer, and no label of your own.")


def _count_seconds(assignment: Assignment, seconds: int, now: datetime) -> None:
    """Count active time, but not more than went by."""
    since = assignment.timed_at or assignment.started_at
    passed = max(0, int((now - since).total_seconds())) + _IDLE_SHOWN
    assignment.seconds += min(seconds, passed)
    assignment.timed_at = now


def _guideline_seen(assignment: Assignment) -> None:
    """Record which version of the guideline an annotator had on the page."""
    newest = Guideline.objects.filter(project=assignment.project_id).order_by("-version").first()
    if newest is None:
        return
    Member.objects.filter(project=assignment.project_id, person=assignment.person_id).update(
        guideline_seen=newest.version
    )
    Assignment.objects.filter(pk=assignment.pk).update(guideline=newest.version)
