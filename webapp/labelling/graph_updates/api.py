"""Graph updates over HTTP, for who reviews or manages a project."""

from uuid import UUID

from django.http import HttpRequest
from ninja import Router

from webapp.accounts.viewer import viewer
from webapp.labelling.graph_updates import schemas
from webapp.labelling.graph_updates.selectors import update_out
from webapp.labelling.graph_updates.services import update_begin, update_cancel
from webapp.labelling.projects.selectors import project_get
from webapp.platform.http.errors import ErrorOut

router = Router(tags=["annotation"])


@router.get(
    "/{uuid:project_id}/graph",
    response={200: schemas.GraphUpdateOut, 403: ErrorOut, 404: ErrorOut},
    operation_id="graph_update_get",
)
def update(request: HttpRequest, project_id: UUID) -> schemas.GraphUpdateOut:
    """Which version of its graph a project is at, and which one is loaded."""
    who = viewer(request)
    return update_out(project_get(project_id=project_id, viewer=who), viewer=who)


@router.post(
    "/{uuid:project_id}/graph",
    response={200: schemas.GraphUpdateOut, 403: ErrorOut, 404: ErrorOut, 409: ErrorOut, 503: ErrorOut},
    operation_id="graph_update_begin",
)
def begin(request: HttpRequest, project_id: UUID) -> schemas.GraphUpdateOut:
    """Let a worker take a project to the version that is loaded, and check what was accepted; a stopped one goes on."""
    who = viewer(request)
    project = project_get(project_id=project_id, viewer=who)
    update_begin(project=project, viewer=who)
    return update_out(project, viewer=who)


@router.post(
    "/{uuid:project_id}/graph/cancel",
    response={200: schemas.GraphUpdateOut, 403: ErrorOut, 404: ErrorOut},
    operation_id="graph_update_cancel",
)
def cancel(request: HttpRequest, project_id: UUID) -> schemas.GraphUpdateOut:
    """Stop that worker; what it looked at stays, for when it goes on."""
    who = viewer(request)
    project = project_get(project_id=project_id, viewer=who)
    update_cancel(project=project, viewer=who)
    return update_out(project, viewer=who)
