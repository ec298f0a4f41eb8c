"""Saying whether an answer is right; for reviewers, reading what people said."""

import csv
import io
from typing import Annotated, Literal
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from ninja import Query, Router
from ninja import Status as Reply

from webapp.accounts.viewer import asker, viewer
from webapp.asking.feedback.models import Says
from webapp.asking.feedback.schemas import FeedbackIn, FeedbackPageOut, OwnFeedbackOut
from webapp.asking.feedback.selectors import feedback_of, feedback_page, feedback_table
from webapp.asking.feedback.services import feedback_give, feedback_withdraw
from webapp.asking.runs.selectors import run_for_viewer
from webapp.platform.http.errors import ErrorOut
from webapp.platform.http.inputs import Number
from webapp.platform.http.openapi import file_answer

of_run = Router(tags=["feedback"])
router = Router(tags=["feedback"])

SaysFilter = Annotated[Literal["right", "wrong"] | None, Query()]
Words = Annotated[str, Query(max_length=1_000)]


@of_run.get(
    "/{uuid:run_id}/feedback",
    response={200: OwnFeedbackOut, 403: ErrorOut, 404: ErrorOut},
    operation_id="own_feedback_get",
)
def get(request: HttpRequest, run_id: UUID) -> OwnFeedbackOut:
    """What who is looking says of a run's answer."""
    who = viewer(request)
    return OwnFeedbackOut(feedback=feedback_of(run=run_for_viewer(run_id=run_id, viewer=who), viewer=who))


@of_run.put(
    "/{uuid:run_id}/feedback",
    response={200: OwnFeedbackOut, 403: ErrorOut, 404: ErrorOut, 409: ErrorOut, 422: ErrorOut},
    operation_id="own_feedback_give",
)
def give(request: HttpRequest, run_id: UUID, payload: FeedbackIn) -> OwnFeedbackOut:
    """Say whether a run's answer is right, and what it should be; each person has one say, and may change it."""
    who = asker(request)
    run = run_for_viewer(run_id=run_id, viewer=who)
    feedback_give(run=run, viewer=who, says=Says(payload.says), expected=payload.expected)
    return OwnFeedbackOut(feedback=feedback_of(run=run, viewer=who))


@of_run.delete(
    "/{uuid:run_id}/feedback", response={204: None, 403: ErrorOut, 404: ErrorOut}, operation_id="own_feedback_withdraw"
)
def withdraw(request: HttpRequest, run_id: UUID) -> Reply[None]:
    """Take back what one said."""
    who = viewer(request)
    feedback_withdraw(run=run_for_viewer(run_id=run_id, viewer=who), viewer=who)
    return Reply(204, None)


@router.get("", response={200: FeedbackPageOut, 403: ErrorOut, 422: ErrorOut}, operation_id="feedback_list")
def list_(
    request: HttpRequest,
    says: SaysFilter = None,
    search: Words = "",
    *,
    corrected: bool = False,
    offset: Number = 0,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> FeedbackPageOut:
    """What people say of answers, the newest first."""
    return feedback_page(
        viewer=viewer(request), says=says, corrected=corrected, search=search, offset=offset, limit=limit
    )


@router.get(
    "/feedback.csv",
    response={403: ErrorOut, 422: ErrorOut},
    operation_id="feedback_csv",
    openapi_extra=file_answer("text/csv"),
)
def table(
    request: HttpRequest, says: SaysFilter = None, search: Words = "", *, corrected: bool = False
) -> HttpResponse:
    """What people say of answers, as a table."""
    text = io.StringIO()
    rows = feedback_table(viewer=viewer(request), says=says, corrected=corrected, search=search)
    csv.writer(text).writerows(rows)
    return HttpResponse(
        text.getvalue(),
        content_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": 'attachment; filename="feedback.csv"'},
    )
