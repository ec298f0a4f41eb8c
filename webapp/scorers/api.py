"""The scorers, and training them."""

from uuid import UUID

from django.http import HttpRequest
from ninja import Router
from ninja import Status as Reply

from webapp.accounts.permissions import Action, may
from webapp.accounts.viewer import viewer
from webapp.http.errors import ErrorOut
from webapp.scorers.schemas import ScorerOut, TrainingIn, TrainingOut, TrainingPageOut
from webapp.scorers.selectors import scorer_list, training_get, training_out, training_page
from webapp.scorers.services import training_cancel, training_create, training_resume

router = Router(tags=["scorers"])


@router.get("", response=list[ScorerOut], operation_id="scorer_list")
def list_(request: HttpRequest) -> list[ScorerOut]:
    """All scorers of this site, the default one first."""
    return scorer_list()


@router.get("/trainings", response=TrainingPageOut, operation_id="training_list")
def trainings(request: HttpRequest) -> TrainingPageOut:
    """The last trainings, and what may be trained on."""
    return training_page(may_manage=may(viewer(request), Action.MANAGE_TRAININGS))


@router.post("/trainings", response={201: TrainingOut, 403: ErrorOut, 422: ErrorOut}, operation_id="training_create")
def create(request: HttpRequest, payload: TrainingIn) -> Reply[TrainingOut]:
    """Train a scorer."""
    return Reply(201, training_out(training_create(wanted=payload, viewer=viewer(request))))


@router.post(
    "/trainings/{uuid:training_id}/cancel",
    response={200: TrainingOut, 403: ErrorOut, 404: ErrorOut},
    operation_id="training_cancel",
)
def cancel(request: HttpRequest, training_id: UUID) -> TrainingOut:
    """Stop a training; whole epochs stay."""
    return training_out(training_cancel(training=training_get(training_id=training_id), viewer=viewer(request)))


@router.post(
    "/trainings/{uuid:training_id}/resume",
    response={200: TrainingOut, 403: ErrorOut, 404: ErrorOut, 409: ErrorOut},
    operation_id="training_resume",
)
def resume(request: HttpRequest, training_id: UUID) -> TrainingOut:
    """Go on with a training that was cancelled or failed."""
    return training_out(training_resume(training=training_get(training_id=training_id), viewer=viewer(request)))
