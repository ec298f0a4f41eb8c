"""For whom a task is held: no more people than its project's overlap, each for as long as they are at it.

A label that was sent back holds its task without a lease: its maker may not come by for days.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from django.db.models import F, Q

from webapp.labelling.projects.models import Assignment, State, Task
from webapp.platform.http.errors import ProductError
from webapp.platform.work.clock import TOLERANCE

if TYPE_CHECKING:
    from datetime import datetime

    from webapp.labelling.projects.models import Project

LEASE = timedelta(minutes=20)
"""A task of which nothing is heard for so long is given to others."""


def lease_of(assignment: Assignment, now: datetime) -> datetime | None:
    """Until when a task is held from now on; None where it is not, and where it is for as long as it takes."""
    return None if assignment.sent_back or assignment.state != State.OPEN else now + LEASE


def hold(assignment: Assignment) -> None:
    """Hold the task, also after its lease expired, if no other user took it meanwhile.

    Raises:
        ProductError: enough others have it by now.

    """
    if assignment.holds:
        return
    shared = assignment.round == 0
    if shared and not Task.objects.filter(pk=assignment.task_id, free__gt=0).update(free=F("free") - 1):
        message = "Others have taken this task meanwhile. Your draft is kept; go on with the next task."
        raise ProductError(409, "task_taken", message)
    assignment.holds = True


def lapsed_release(project: Project, now: datetime) -> None:
    """Give back the tasks whose lease was not renewed in time; a clock that was set back leaves none held for ever."""
    lapsed = Assignment.objects.filter(project=project, state=State.OPEN, holds=True).filter(
        Q(lease_until__lt=now) | Q(lease_until__gt=now + LEASE + TOLERANCE)
    )
    for assignment in lapsed:
        give_back(assignment)


def give_back(assignment: Assignment) -> None:
    """Give the task back, where it is held."""
    freed = Assignment.objects.filter(pk=assignment.pk, holds=True).update(holds=False, lease_until=None)
    if freed:
        Task.objects.filter(pk=assignment.task_id, round=0).update(free=F("free") + 1)
