"""The scorers, and training them."""

from uuid import UUID

from django.http import HttpRequest, HttpResponse
from ninja import Router
from ninja import Status as Reply

from webapp.accounts.permissions import Action, may
from webapp.accounts.viewer import viewer
from webapp.models.trainings.efficiency import efficiency_page
from webapp.models.trainings.schemas import (
    EfficiencyPageOut,
    RecipeIn,
    RecipeOut,
    ScorerOut,
    TrainingIn,
    TrainingOut,
    TrainingPageOut,
)
from webapp.models.trainings.selectors import (
    recipe_text,
    recipes,
    scorer_list,
    training_get,
    training_out,
    training_page,
)
from webapp.models.trainings.services import (
    recipe_remove,
    recipe_send,
    training_cancel,
    training_create,
    training_resume,
)
from webapp.platform.http.errors import ErrorOut
from webapp.platform.http.inputs import NameInPath
from webapp.platform.http.openapi import file_answer

router = Router(tags=["scorers"])


@router.get("", response=list[ScorerOut], operation_id="scorer_list")
def list_(request: HttpRequest) -> list[ScorerOut]:
    """All scorers of this site, the default one first."""
    return scorer_list()


@router.get("/trainings", response=TrainingPageOut, operation_id="training_list")
def trainings(request: HttpRequest) -> TrainingPageOut:
    """The last trainings, and what may be trained on."""
    return training_page(may_manage=may(viewer(request), Action.MANAGE_TRAININGS))


@router.post(
    "/trainings",
    response={201: TrainingOut, 403: ErrorOut, 404: ErrorOut, 422: ErrorOut},
    operation_id="training_create",
)
def create(request: HttpRequest, payload: TrainingIn) -> Reply[TrainingOut]:
    """Train a scorer."""
    return Reply(201, training_out(training_create(wanted=payload, viewer=viewer(request))))


@router.get("/data-efficiency", response=EfficiencyPageOut, operation_id="data_efficiency")
def data_efficiency(request: HttpRequest) -> EfficiencyPageOut:
    """How often each stage decides rightly against the share of the training data, as it was measured on this site."""
    return efficiency_page()


@router.get("/recipes", response=list[RecipeOut], operation_id="recipe_list")
def recipe_list(request: HttpRequest) -> list[RecipeOut]:
    """What a scorer may be trained on."""
    return recipes()


@router.post(
    "/recipes", response={201: list[RecipeOut], 403: ErrorOut, 422: ErrorOut, 503: ErrorOut}, operation_id="recipe_send"
)
def recipe_send_(request: HttpRequest, payload: RecipeIn) -> Reply[list[RecipeOut]]:
    """Keep a recipe for trainings of this site. Of one that is none, the error tells the line and the key."""
    recipe_send(wanted=payload, viewer=viewer(request))
    return Reply(201, recipes())


@router.get(
    "/recipes/{name}.toml",
    response={404: ErrorOut},
    operation_id="recipe_file",
    openapi_extra=file_answer("application/toml"),
)
def recipe_file(request: HttpRequest, name: NameInPath) -> HttpResponse:
    """The file of a recipe."""
    return HttpResponse(
        recipe_text(name=name),
        content_type="application/toml; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{name}.toml"'},
    )


@router.delete("/recipes/{name}", response={204: None, 403: ErrorOut, 404: ErrorOut}, operation_id="recipe_remove")
def recipe_remove_(request: HttpRequest, name: NameInPath) -> Reply[None]:
    """Remove a recipe that was sent."""
    recipe_remove(name=name, viewer=viewer(request))
    return Reply(204, None)


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
