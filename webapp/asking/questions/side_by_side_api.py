"""Routes to ask a question in several ways at once, and to look at them side by side."""

from uuid import UUID

from django.http import HttpRequest, HttpResponse
from ninja import Router
from ninja import Status as Reply

from webapp.accounts.viewer import asker, viewer
from webapp.asking.questions.side_by_side import question_ask_side_by_side, side_by_side_out
from webapp.asking.questions.side_by_side_schemas import SideBySideIn, SideBySideOut
from webapp.asking.runs.selectors import side_by_side_for_viewer
from webapp.asking.runs.services import runs_cancel
from webapp.platform.http.errors import ErrorOut

router = Router(tags=["runs"])


@router.post(
    "",
    response={201: SideBySideOut, 403: ErrorOut, 422: ErrorOut, 429: ErrorOut, 503: ErrorOut},
    operation_id="side_by_side_create",
)
def create(request: HttpRequest, response: HttpResponse, payload: SideBySideIn) -> Reply[SideBySideOut]:
    """Ask a question in several ways at once; each way is a run of its own."""
    who = asker(request)
    together = question_ask_side_by_side(wanted=payload, viewer=who)
    response["Location"] = f"/side-by-side/{together.pk}"
    return Reply(201, side_by_side_out(together, who))


@router.get(
    "/{uuid:side_by_side_id}",
    response={200: SideBySideOut, 401: ErrorOut, 403: ErrorOut, 404: ErrorOut},
    operation_id="side_by_side_get",
)
def get(request: HttpRequest, side_by_side_id: UUID) -> SideBySideOut:
    """The runs of a question side by side, for anyone with its link: their state, and where they agree and differ."""
    who = viewer(request)
    return side_by_side_out(side_by_side_for_viewer(id_=side_by_side_id, viewer=who), who)


@router.post(
    "/{uuid:side_by_side_id}/cancel",
    response={200: SideBySideOut, 401: ErrorOut, 403: ErrorOut, 404: ErrorOut},
    operation_id="side_by_side_cancel",
)
def cancel(request: HttpRequest, side_by_side_id: UUID) -> SideBySideOut:
    """Stop those of the runs that are at work."""
    who = viewer(request)
    together = side_by_side_for_viewer(id_=side_by_side_id, viewer=who)
    runs_cancel(together=together, viewer=who)
    return side_by_side_out(together, who)
