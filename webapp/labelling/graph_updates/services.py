"""Taking a project to the version of its graph that is loaded now is begun, stopped and let go on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import transaction
from django.db.models import Q

from kgstore.store import GraphStoreError
from webapp import engine
from webapp.accounts.audit import audited
from webapp.accounts.models import Audited
from webapp.labelling.adjudication.settle import project_settle
from webapp.labelling.graph_updates.models import GraphUpdate
from webapp.labelling.projects.models import Project, Task
from webapp.labelling.projects.roles import Right, project_may_ensure, unarchived_ensure
from webapp.platform.http.errors import ProductError, graph_error, room_ensure
from webapp.platform.work.state_machine import StateMachine
from webapp.platform.work.states import OVER, Status

if TYPE_CHECKING:
    from django.db.models import QuerySet

    from webapp.accounts.viewer import Viewer

TASK = "graph_updates.update"
"""The Celery task that works one off. Messages in the broker bear it, so it never changes."""

updates = StateMachine(
    GraphUpdate.objects,
    TASK,
    given_up="The worker stopped {times} times at one question. See its log, then let it go on.",
    disk_full="The disk of this site is full. What was looked at is kept. Free space, then let it go on.",
    broke="Checking the labels broke. See the worker's log, then let it go on.",
)


def tasks_concerned(project: Project) -> QuerySet[Task]:
    """The tasks of which the graph says something that is kept, in their order."""
    kept = Q(adjudication__isnull=False) | Q(known__isnull=False)
    return Task.objects.filter(kept, project=project).order_by("position")


def update_begin(*, project: Project, viewer: Viewer) -> None:
    """Let a worker take a project to the version of its graph that is loaded now.

    One that is at it goes on; so does one that was stopped or failed, unless the graph was loaded again since.

    Raises:
        ProductError: the viewer may not, the project is put away, its graph is as it was, or cannot be read.

    """
    project_may_ensure(project, viewer, Right.MANAGE)
    unarchived_ensure(project)
    room_ensure()
    try:
        version = engine.graph(project.graph).info().version
    except GraphStoreError as error:
        raise graph_error(error, status=409) from error
    # The sample project's labels have no annotator.
    project_settle(project)
    with transaction.atomic():
        item = GraphUpdate.objects.select_for_update().filter(project=project).first()
        if item is not None and item.status not in OVER:
            return
        broken_off = item is not None and item.status != Status.SUCCEEDED
        if version == project.graph_version and not broken_off:
            message = f"“{project}” is at the version of “{project.graph_title}” that is loaded. Nothing is to be done."
            raise ProductError(409, "graph_is_newest", message)
        if item is None:
            item = GraphUpdate(project=project)
        if not broken_off or item.to_version != version:
            item.from_version, item.to_version = project.graph_version, version
            item.wanted, item.done, item.position = tasks_concerned(project).count(), 0, 0
            item.holding, item.lapsed = 0, 0
        item.starter = viewer.user
        updates.begin(item)
        audited(viewer, Audited.PROJECT_CHANGED, project, after=f"graph version {version[:12]}")


def update_cancel(*, project: Project, viewer: Viewer) -> None:
    """Stop it; what was looked at stays, for when it goes on. An ended one stays as it is.

    Raises:
        ProductError: the viewer may not, or nothing was ever begun.

    """
    project_may_ensure(project, viewer, Right.MANAGE)
    item = GraphUpdate.objects.filter(project=project).first()
    if item is None:
        message = "The update of this project to another version of its graph has not been started."
        raise ProductError(404, "no_graph_update", message)
    updates.close(item.pk, Status.CANCELLED)
