"""Routes to keep corrections of a dataset, and to look at evaluations under them."""

from typing import Annotated
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from ninja import Query, Router
from ninja import Status as Reply

from webapp.accounts.permissions import Action, may
from webapp.accounts.viewer import asker, viewer
from webapp.evaluations.overlays.schemas import OverlaidOut, OverlaidQuestionOut, OverlayIn, OverlayListOut, OverlayOut
from webapp.evaluations.overlays.selectors import (
    none_because,
    overlaid_out,
    overlaid_questions,
    overlay_get,
    overlay_gold_ensure,
    overlay_of_evaluation,
    overlay_out,
    overlays_of,
)
from webapp.evaluations.overlays.services import MAX_BYTES, overlaid_begin, overlay_keep, overlay_remove
from webapp.evaluations.selectors import evaluation_get, evaluation_with_gold
from webapp.platform.http.errors import ErrorOut
from webapp.platform.http.inputs import Position
from webapp.platform.http.openapi import file_answer

router = Router(tags=["evaluations"])
of_evaluation = Router(tags=["evaluations"])


@of_evaluation.get(
    "/{uuid:evaluation_id}/overlays", response={200: OverlayListOut, 404: ErrorOut}, operation_id="overlay_list"
)
def list_(request: HttpRequest, evaluation_id: UUID) -> OverlayListOut:
    """The kept corrections of the dataset that an evaluation asks, newest first."""
    evaluation = evaluation_get(evaluation_id=evaluation_id)
    return OverlayListOut(
        overlays=[overlay_out(each) for each in overlays_of(evaluation)],
        none_because=none_because(evaluation),
        may_manage=may(viewer(request), Action.MANAGE_EVALUATIONS),
        most_bytes=MAX_BYTES,
    )


@of_evaluation.post(
    "/{uuid:evaluation_id}/overlays",
    response={
        201: OverlayOut,
        403: ErrorOut,
        404: ErrorOut,
        409: ErrorOut,
        413: ErrorOut,
        422: ErrorOut,
        503: ErrorOut,
    },
    operation_id="overlay_keep",
)
def keep(request: HttpRequest, evaluation_id: UUID, payload: OverlayIn) -> Reply[OverlayOut]:
    """Keep a signed file of corrections that was sent; the same file is kept once."""
    evaluation = evaluation_get(evaluation_id=evaluation_id)
    return Reply(
        201, overlay_out(overlay_keep(evaluation=evaluation, upload_id=payload.upload, viewer=viewer(request)))
    )


@of_evaluation.get(
    "/{uuid:evaluation_id}/overlays/{uuid:overlay_id}",
    response={200: OverlaidOut, 404: ErrorOut},
    operation_id="overlaid_get",
)
def overlaid(request: HttpRequest, evaluation_id: UUID, overlay_id: UUID) -> OverlaidOut:
    """The figures of an evaluation under corrections, as far as they are judged."""
    evaluation = evaluation_get(evaluation_id=evaluation_id)
    return overlaid_out(
        evaluation=evaluation, overlay=overlay_of_evaluation(evaluation=evaluation, overlay_id=overlay_id)
    )


@of_evaluation.post(
    "/{uuid:evaluation_id}/overlays/{uuid:overlay_id}",
    response={200: OverlaidOut, 404: ErrorOut, 409: ErrorOut, 429: ErrorOut, 503: ErrorOut},
    operation_id="overlaid_begin",
)
def begin(request: HttpRequest, evaluation_id: UUID, overlay_id: UUID) -> OverlaidOut:
    """Let a worker judge the answers of an evaluation under corrections, unless that is done or under way."""
    evaluation = evaluation_get(evaluation_id=evaluation_id)
    overlay = overlay_of_evaluation(evaluation=evaluation, overlay_id=overlay_id)
    overlaid_begin(evaluation=evaluation, overlay=overlay, viewer=asker(request))
    return overlaid_out(evaluation=evaluation, overlay=overlay)


@of_evaluation.get(
    "/{uuid:evaluation_id}/overlays/{uuid:overlay_id}/questions",
    response={200: list[OverlaidQuestionOut], 403: ErrorOut, 404: ErrorOut, 422: ErrorOut},
    operation_id="overlaid_question_list",
)
def questions(
    request: HttpRequest,
    evaluation_id: UUID,
    overlay_id: UUID,
    at: Annotated[list[Position], Query(max_length=200)],
) -> list[OverlaidQuestionOut]:
    """Which of the questions at some positions are corrected, and what that came to."""
    evaluation = evaluation_with_gold(evaluation_id=evaluation_id, viewer=viewer(request))
    overlay = overlay_of_evaluation(evaluation=evaluation, overlay_id=overlay_id)
    return overlaid_questions(evaluation=evaluation, overlay=overlay, positions=at)


@router.get(
    "/{uuid:overlay_id}/file",
    response={403: ErrorOut, 404: ErrorOut},
    operation_id="overlay_file",
    openapi_extra=file_answer("application/json"),
)
def file(request: HttpRequest, overlay_id: UUID) -> HttpResponse:
    """The signed file, as it was sent."""
    overlay = overlay_get(overlay_id=overlay_id)
    overlay_gold_ensure(overlay=overlay, viewer=viewer(request))
    headers = {"Content-Disposition": f'attachment; filename="overlay-{overlay_id}.json"'}
    return HttpResponse(overlay.file, content_type="application/json; charset=utf-8", headers=headers)


@router.delete("/{uuid:overlay_id}", response={204: None, 403: ErrorOut, 404: ErrorOut}, operation_id="overlay_remove")
def remove(request: HttpRequest, overlay_id: UUID) -> Reply[None]:
    """Remove kept corrections, and the figures under them."""
    overlay_remove(overlay=overlay_get(overlay_id=overlay_id), viewer=viewer(request))
    return Reply(204, None)
