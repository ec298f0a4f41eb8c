"""Comparing the labels of a large project is begun, stopped and let go on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import transaction

from webapp.labelling.agreement.models import AgreementWork
from webapp.labelling.agreement.stamp import stamp_of, tasks_labelled
from webapp.labelling.projects.roles import Right, project_may_ensure
from webapp.platform.http.errors import ProductError, room_ensure
from webapp.platform.work.state_machine import StateMachine
from webapp.platform.work.states import OVER, Status

if TYPE_CHECKING:
    from webapp.accounts.viewer import Viewer
    from webapp.labelling.projects.models import Project

TASK = "agreement.compare"
"""The Celery task that works one off. Messages in the broker bear it, so it never changes."""
AT_ONCE = 400
"""Maximum of tasks that are compared within a request; those of larger projects in the background."""

agreements = StateMachine(
    AgreementWork.objects,
    TASK,
    given_up="The worker stopped {times} times while it compared labels. See its log, then let it go on.",
    disk_full="The disk of this site is full. What was compared is kept. Free space, then let it go on.",
    broke="Comparing broke. See the worker's log, then let it go on.",
)


def agreement_begin(*, project: Project, viewer: Viewer) -> None:
    """Let a worker compare the labels of a large project.

    One that is at it goes on; so does one that was stopped or failed, unless other labels came in since.

    Raises:
        ProductError: the viewer may not, or the project is small, so that its page computes all of it.

    """
    project_may_ensure(project, viewer, Right.REVIEW)
    room_ensure()
    wanted = tasks_labelled(project)
    if wanted <= AT_ONCE:
        message = f"The agreement of {AT_ONCE:,} questions or fewer is always up to date; open the page."
        raise ProductError(409, "computed_at_once", message)
    stamp = stamp_of(project)
    with transaction.atomic():
        item = AgreementWork.objects.select_for_update().filter(project=project).first()
        if item is None:
            item = AgreementWork(project=project)
        elif item.status not in OVER:
            return
        if item.status == Status.SUCCEEDED or item.stamp != stamp:
            item.turn += 1
            item.stamp, item.wanted, item.done, item.position = stamp, wanted, 0, 0
        agreements.begin(item)
        item.tasks.exclude(turn__in=(item.turn, item.found_turn)).delete()


def agreement_cancel(*, project: Project, viewer: Viewer) -> None:
    """Stop comparing; what was compared stays, for when it goes on. An ended one stays as it is.

    Raises:
        ProductError: the viewer may not, or nothing was ever begun.

    """
    project_may_ensure(project, viewer, Right.REVIEW)
    item = AgreementWork.objects.filter(project=project).first()
    if item is None:
        raise ProductError(
            404, "no_agreement_work", "The comparison of the labels of this project has not been started."
        )
    agreements.close(item.pk, Status.CANCELLED)
