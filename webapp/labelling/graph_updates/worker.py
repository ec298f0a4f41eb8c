"""What a worker does to take a project to the version of its graph that is loaded now, a task at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import transaction
from django.db.models import F, Q

from webapp import engine
from webapp.labelling.graph_updates.checking import task_taken_along
from webapp.labelling.graph_updates.services import tasks_concerned, updates
from webapp.labelling.projects.models import Project
from webapp.platform.disk import room_check
from webapp.platform.work.lease import ClaimLostError
from webapp.platform.work.states import Status
from webapp.platform.work.turn import HandedBackError, turn_at

if TYPE_CHECKING:
    import uuid
    from collections.abc import Callable

    from kgstore.store import GraphInfo, GraphStore
    from webapp.labelling.graph_updates.models import GraphUpdate
    from webapp.labelling.projects.models import Task

DISK_FULL = "The disk of this site is full. What was looked at is kept. Free space, then let it go on."
BROKE = "Checking the labels broke. See the worker's log, then let it go on."
ANEW = "The graph was loaded anew meanwhile. Begin again, with the version that is loaded now."


def update_work(*, update_id: uuid.UUID, stopping: Callable[[], bool] = lambda: False) -> None:
    """Take a project along, going on where another worker stopped; safe to call at any time by many.

    Nobody can label or accept over the graph while the project is at another version, so each task is settled as it is
    looked at, and the project goes over at the end.
    """
    item = updates.claim(update_id)
    if item is None:
        return
    with turn_at(updates, item, disk_full=DISK_FULL, broke=BROKE) as lost:
        _work(item, lost, stopping)


def _work(item: GraphUpdate, lost: Callable[[], bool], stopping: Callable[[], bool]) -> None:
    """Look at what is left, then let the project go over.

    Raises:
        ClaimLostError: it was stopped, or another worker is at it.
        GraphStoreError: the graph cannot be read.
        HandedBackError: the worker is to stop.
        NoRoomError: the disk is nearly full.

    """
    while (store := engine.graph(item.project.graph)).info().version == item.to_version:
        task = _next(item)
        if task is None:
            _finish(item, store.info())
            return
        if stopping():
            raise HandedBackError
        if lost():
            raise ClaimLostError
        room_check()
        _take_along(item, task, store)
    updates.fail(item, ANEW)


def _finish(item: GraphUpdate, info: GraphInfo) -> None:
    with transaction.atomic():
        if updates.close(item.pk, Status.SUCCEEDED, only=Q(claim=item.claim)):
            Project.objects.filter(pk=item.project_id).update(graph_version=info.version, graph_title=info.title)


def _next(item: GraphUpdate) -> Task | None:
    rows = tasks_concerned(item.project).filter(position__gt=item.position)
    return rows.select_related("project__dataset", "question").first()


def _take_along(item: GraphUpdate, task: Task, store: GraphStore) -> None:
    with transaction.atomic():
        Project.objects.select_for_update().get(pk=item.project_id)
        holds = task_taken_along(task, store)
        counted = {} if holds is None else {"holding": F("holding") + 1} if holds else {"lapsed": F("lapsed") + 1}
        # Whoever died over earlier tasks does not count for later ones.
        if not updates.held(item).update(position=task.position, done=F("done") + 1, attempts=1, **counted):
            raise ClaimLostError
    item.position = task.position
