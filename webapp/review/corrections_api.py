"""Routes to the corrections of a benchmark that verdicts come to."""

from django.http import HttpRequest, HttpResponse
from ninja import Router
from ninja import Status as Reply

from webapp.accounts.viewer import viewer
from webapp.evaluations.overlays.schemas import OverlayOut
from webapp.evaluations.overlays.selectors import overlay_out
from webapp.evaluations.overlays.site_key import site_signer
from webapp.platform.http.errors import ErrorOut
from webapp.platform.http.openapi import file_answer
from webapp.review.api import Of
from webapp.review.corrections import corrections_file, corrections_keep, corrections_out
from webapp.review.corrections_schemas import ReviewCorrectionsOut

router = Router(tags=["review"])


@router.get(
    "/{of}/corrections",
    response={200: ReviewCorrectionsOut, 403: ErrorOut, 404: ErrorOut, 409: ErrorOut},
    operation_id="review_corrections",
)
def corrections(request: HttpRequest, of: Of) -> ReviewCorrectionsOut:
    """How many cases say that the benchmark is wrong, and what that comes to as corrections of it."""
    return corrections_out(of=of, signer=site_signer(request), viewer=viewer(request))


@router.post(
    "/{of}/corrections",
    response={201: OverlayOut, 403: ErrorOut, 404: ErrorOut, 409: ErrorOut, 503: ErrorOut},
    operation_id="review_corrections_keep",
)
def corrections_kept(request: HttpRequest, of: Of) -> Reply[OverlayOut]:
    """Keep these corrections for the evaluations of the dataset; where the same are kept already, those."""
    return Reply(201, overlay_out(corrections_keep(of=of, signer=site_signer(request), viewer=viewer(request))))


@router.get(
    "/{of}/corrections/file",
    response={403: ErrorOut, 404: ErrorOut, 409: ErrorOut},
    operation_id="review_corrections_file",
    openapi_extra=file_answer("application/json"),
)
def file(request: HttpRequest, of: Of) -> HttpResponse:
    """The same as a file, signed by the site."""
    content = corrections_file(of=of, signer=site_signer(request), viewer=viewer(request))
    headers = {"Content-Disposition": f'attachment; filename="overlay-{of}.json"'}
    return HttpResponse(content, content_type="application/json; charset=utf-8", headers=headers)
