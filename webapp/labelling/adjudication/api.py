"""Adjudication over HTTP: the tasks to decide, the labels of a task side by side, and what is accepted."""

from typing import Annotated
from uuid import UUID

from django.http import HttpRequest
from ninja import Query, Router

from webapp.accounts.viewer import viewer
from webapp.labelling.adjudication import schemas
from webapp.labelling.adjudication.selectors import adjudication_out, adjudication_page
from webapp.labelling.adjudication.services import adjudication_begin, label_accept, label_withdraw
from webapp.labelling.projects.draft import Draft
from webapp.labelling.projects.labels.preview import decisions_led_to
from webapp.labelling.projects.schemas import DecisionsIn, LedToOut
from webapp.labelling.projects.selectors import project_get
from webapp.platform.http.errors import ErrorOut
from webapp.platform.http.inputs import IdInPath, Number

router = Router(tags=["annotation"])

Limit = Annotated[int, Query(ge=1, le=200)]


@router.get(
    "/projects/{uuid:project_id}/adjudication",
    response={200: schemas.AdjudicationPageOut, 403: ErrorOut, 404: ErrorOut, 422: ErrorOut},
    operation_id="adjudication_list",
)
def tasks(
    request: HttpRequest,
    project_id: UUID,
    stand: schemas.StandName | None = None,
    offset: Number = 0,
    limit: Limit = 50,
) -> schemas.AdjudicationPageOut:
    """Some of the tasks of a project with labels: the open ones first, of them the worst agreed first."""
    who = viewer(request)
    project = project_get(project_id=project_id, viewer=who)
    return adjudication_page(project, viewer=who, stand=stand, offset=offset, limit=limit)


@router.post(
    "/tasks/{task_id}/adjudication",
    response={200: schemas.AdjudicationOut, 403: ErrorOut, 404: ErrorOut, 409: ErrorOut, 503: ErrorOut},
    operation_id="adjudication_begin",
)
def begin(request: HttpRequest, task_id: IdInPath) -> schemas.AdjudicationOut:
    """The labels of a task side by side, and the reviewer's own draft, which is edited like that of a label."""
    who = viewer(request)
    return adjudication_out(adjudication_begin(task_id=task_id, viewer=who), viewer=who)


@router.post(
    "/tasks/{task_id}/adjudication/led-to",
    response={200: LedToOut, 403: ErrorOut, 404: ErrorOut, 409: ErrorOut, 422: ErrorOut, 503: ErrorOut},
    operation_id="adjudication_led_to",
)
def led_to(request: HttpRequest, task_id: IdInPath, payload: DecisionsIn) -> LedToOut:
    """What decisions lead to that are looked at: those of several labels laid over each other."""
    assignment = adjudication_begin(task_id=task_id, viewer=viewer(request))
    return decisions_led_to(assignment, Draft(topic=payload.topic, steps=payload.steps, steps_ended=True))


@router.post(
    "/tasks/{task_id}/adjudication/accept",
    response={200: schemas.AdjudicationOut, 403: ErrorOut, 404: ErrorOut, 409: ErrorOut, 422: ErrorOut, 503: ErrorOut},
    operation_id="adjudication_accept",
)
def accept(request: HttpRequest, task_id: IdInPath, payload: schemas.AcceptLabelIn) -> schemas.AdjudicationOut:
    """Accept the reviewer's draft for the task."""
    who = viewer(request)
    assignment = adjudication_begin(task_id=task_id, viewer=who)
    label_accept(assignment=assignment, last=payload.last, accepted=payload.accepted, comment=payload.comment)
    return adjudication_out(assignment, viewer=who)


@router.post(
    "/tasks/{task_id}/adjudication/withdraw",
    response={200: schemas.AdjudicationOut, 403: ErrorOut, 404: ErrorOut, 409: ErrorOut, 422: ErrorOut, 503: ErrorOut},
    operation_id="adjudication_withdraw",
)
def withdraw(request: HttpRequest, task_id: IdInPath, payload: schemas.WithdrawLabelIn) -> schemas.AdjudicationOut:
    """Withdraw the accepted label of a task, which is to be decided again."""
    who = viewer(request)
    assignment = adjudication_begin(task_id=task_id, viewer=who)
    label_withdraw(task_id=task_id, accepted=payload.accepted, comment=payload.comment, viewer=who)
    return adjudication_out(assignment, viewer=who)
