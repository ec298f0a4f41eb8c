"""What is read of graph updates."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kgstore.store import GraphStoreError
from webapp import engine
from webapp.health.readiness import no_worker_reason
from webapp.labelling.adjudication.models import Adjudication, Stand
from webapp.labelling.graph_updates import schemas
from webapp.labelling.graph_updates.models import GraphUpdate
from webapp.labelling.projects.roles import Right, project_may, project_may_ensure
from webapp.platform.work.queues import Queue
from webapp.platform.work.states import OVER, Status

if TYPE_CHECKING:
    from webapp.accounts.viewer import Viewer
    from webapp.labelling.projects.models import Project


def update_out(project: Project, *, viewer: Viewer) -> schemas.GraphUpdateOut:
    """Which version of its graph a project is at, and how far it is on its way to another.

    Raises:
        ProductError: the viewer may not.

    """
    project_may_ensure(project, viewer, Right.REVIEW)
    project.refresh_from_db(fields=["graph_version", "graph_title"])
    loaded, fault = None, ""
    try:
        loaded = engine.graph(project.graph).info().version
    except GraphStoreError as error:
        fault = error.for_people
    item = GraphUpdate.objects.filter(project=project).first()
    return schemas.GraphUpdateOut(
        project=project.pk,
        graph_title=project.graph_title,
        version=project.graph_version,
        loaded=loaded,
        fault=fault,
        accepted=Adjudication.objects.filter(project=project, stand=Stand.ACCEPTED).count(),
        may_update=project_may(project, viewer, Right.MANAGE) and project.archived_at is None,
        work=None if item is None else _work(item),
    )


def _work(item: GraphUpdate) -> schemas.GraphUpdateWorkOut:
    over = item.status in OVER
    return schemas.GraphUpdateWorkOut(
        to_version=item.to_version,
        status=Status(item.status),
        reason=item.reason if over else "",
        waits=None if over else no_worker_reason(Queue.CPU_BACKGROUND) or item.reason or None,
        done=item.done,
        wanted=item.wanted,
        holding=item.holding,
        lapsed=item.lapsed,
        finished_at=item.finished_at,
    )
