"""Agreement of those who labelled the same questions of a project, for who reviews or manages it."""

from typing import Annotated
from uuid import UUID

from django.http import HttpRequest
from ninja import Query, Router

from webapp.accounts.viewer import viewer
from webapp.labelling.agreement import schemas
from webapp.labelling.agreement.selectors import agreement_out, agreement_task_page
from webapp.labelling.agreement.services import agreement_begin, agreement_cancel
from webapp.labelling.projects.selectors import project_get
from webapp.platform.http.errors import ErrorOut
from webapp.platform.http.inputs import Number

router = Router(tags=["annotation"])

Limit = Annotated[int, Query(ge=1, le=200)]


@router.get(
    "/{uuid:project_id}/agreement",
    response={200: schemas.AgreementOut, 403: ErrorOut, 404: ErrorOut},
    operation_id="agreement_get",
)
def agreement(request: HttpRequest, project_id: UUID) -> schemas.AgreementOut:
    """How far people agree: of up to 400 labelled questions as of now, of more as a worker last found."""
    who = viewer(request)
    return agreement_out(project_get(project_id=project_id, viewer=who), viewer=who)


@router.get(
    "/{uuid:project_id}/agreement/tasks",
    response={200: schemas.AgreementTaskPageOut, 403: ErrorOut, 404: ErrorOut, 422: ErrorOut},
    operation_id="agreement_task_list",
)
def tasks(
    request: HttpRequest, project_id: UUID, *, differing: bool = False, offset: Number = 0, limit: Limit = 50
) -> schemas.AgreementTaskPageOut:
    """Some of the tasks with two labels or more, the worst agreement first."""
    who = viewer(request)
    project = project_get(project_id=project_id, viewer=who)
    return agreement_task_page(project, viewer=who, differing=differing, offset=offset, limit=limit)


@router.post(
    "/{uuid:project_id}/agreement",
    response={200: schemas.AgreementOut, 403: ErrorOut, 404: ErrorOut, 409: ErrorOut, 503: ErrorOut},
    operation_id="agreement_begin",
)
def begin(request: HttpRequest, project_id: UUID) -> schemas.AgreementOut:
    """Let a worker compare the labels of more than 400 questions; one that was stopped goes on."""
    who = viewer(request)
    project = project_get(project_id=project_id, viewer=who)
    agreement_begin(project=project, viewer=who)
    return agreement_out(project, viewer=who)


@router.post(
    "/{uuid:project_id}/agreement/cancel",
    response={200: schemas.AgreementOut, 403: ErrorOut, 404: ErrorOut},
    operation_id="agreement_cancel",
)
def cancel(request: HttpRequest, project_id: UUID) -> schemas.AgreementOut:
    """Stop that worker; what it compared stays, for when it goes on."""
    who = viewer(request)
    project = project_get(project_id=project_id, viewer=who)
    agreement_cancel(project=project, viewer=who)
    return agreement_out(project, viewer=who)
