"""What a worker does to take a project to the version of its graph that is loaded now, a task at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import transaction
from django.db.models import F, Q

from webapp import engine
from webapp.labelling.graph_updates.checking import task_taken_along
from webapp.labelling.graph_updates.services import tasks_concerned, updates
from webapp.labelling.projects.models import Project
from webapp.platform.work.lease import ClaimLostError
from webapp.platform.work.states import Status
from webapp.platform.work.worker import worker_of

if TYPE_CHECKING:
    from kgstore.store import GraphInfo, GraphStore
    from webapp.labelling.graph_updates.models import GraphUpdate
    from webapp.labelling.projects.models import Task
    from webapp.platform.work.turn import Turn

WAS_LOADED_AGAIN = "The graph was loaded again meanwhile. Begin again, with the version that is loaded now."


@worker_of(updates)
def update_work(turn: Turn[GraphUpdate]) -> None:
    """Take a project along, going on where another worker stopped.

    No one can label or accept with the graph while the project is at another version, so each task is settled as it is
    looked at, and the project goes over at the end.
    """
    item = turn.item
    while (store := engine.graph(item.project.graph)).info().version == item.to_version:
        task = _next(item)
        if task is None:
            _finish(item, store.info())
            return
        turn.check()
        _take_along(item, task, store)
    updates.fail(item, WAS_LOADED_AGAIN)


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
        # Workers that died during earlier tasks do not count for later ones.
        if not updates.held(item).update(position=task.position, done=F("done") + 1, attempts=1, **counted):
            raise ClaimLostError
    item.position = task.position
