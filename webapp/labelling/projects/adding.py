"""A further question for a project, given to who asks for it: one that another feature found worth labelling."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import transaction
from django.db.models import F, Max
from django.utils import timezone

from webapp.labelling.projects.labels.holding import LEASE
from webapp.labelling.projects.models import Assignment, Member, MemberRole, Project, Standing, Task
from webapp.labelling.projects.roles import Right, labeller, project_may_ensure, unarchived_ensure
from webapp.platform.http.errors import room_ensure

if TYPE_CHECKING:
    from webapp.accounts.viewer import Viewer
    from webapp.datasets.models import Question


def task_add(*, project: Project, question: Question, viewer: Viewer) -> Task:
    """The task of a question in a project, made where there is none, with the viewer as one who labels it.

    Raises:
        ProductError: the viewer does not manage the project, or it was put away.

    """
    person = labeller(viewer)
    project_may_ensure(project, viewer, Right.MANAGE)
    unarchived_ensure(project)
    room_ensure()
    with transaction.atomic():
        locked = Project.objects.select_for_update().get(pk=project.pk)
        task = Task.objects.filter(project=locked, question=question).first()
        if task is None:
            last = locked.tasks.aggregate(last=Max("position"))["last"] or 0
            task = Task.objects.create(project=locked, position=last + 1, question=question, free=locked.overlap)
            Project.objects.filter(pk=locked.pk).update(tasks_total=F("tasks_total") + 1)
        member, _ = Member.objects.get_or_create(
            project=locked, person=person, defaults={"role": MemberRole.MANAGER, "standing": Standing.LET_IN}
        )
        if not member.labels or member.left_at is not None:
            Member.objects.filter(pk=member.pk).update(labels=True, left_at=None)
        if not Assignment.objects.filter(task=task, person=person).exists():
            held = bool(Task.objects.filter(pk=task.pk, free__gt=0).update(free=F("free") - 1))
            lease = timezone.now() + LEASE if held else None
            Assignment.objects.create(
                task=task, project=locked, round=task.round, person=person, holds=held, lease_until=lease
            )
    return task
