"""Routes of pipelines from labels to a judged model, of the pinned questions, and of the default model."""

from uuid import UUID

from django.http import HttpRequest, HttpResponse
from ninja import Router
from ninja import Status as Reply

from webapp import engine
from webapp.accounts.permissions import Action, may_ensure
from webapp.accounts.viewer import Viewer, viewer
from webapp.models.pipelines.defaults import default_make, default_put_back, verdict
from webapp.models.pipelines.held_out import held_out_pin
from webapp.models.pipelines.models import Pipeline
from webapp.models.pipelines.schemas import (
    DefaultIn,
    DefaultOut,
    HeldOutIn,
    HeldOutOut,
    LearningPageOut,
    PipelineDetailOut,
    PipelineIn,
    ReviewIn,
    VerdictOut,
    WaysToTeachOut,
)
from webapp.models.pipelines.selectors import (
    default_out,
    held_out_out,
    learning_page,
    pipeline_detail,
    pipeline_get,
    ways_to_teach,
)
from webapp.models.pipelines.services import pipeline_create, pipeline_resume, pipeline_review, pipeline_stop
from webapp.platform.http.errors import ErrorOut
from webapp.platform.work.states import Status

router = Router(tags=["learning"])


@router.get("", response={200: LearningPageOut, 403: ErrorOut}, operation_id="learning_page")
def page(request: HttpRequest) -> LearningPageOut:
    """The last pipelines, what they are judged by, and the default model."""
    return learning_page(viewer=viewer(request))


@router.get("/ways", response={200: WaysToTeachOut, 403: ErrorOut}, operation_id="learning_ways")
def ways(request: HttpRequest) -> WaysToTeachOut:
    """What a pipeline may be started with."""
    return ways_to_teach(viewer=viewer(request))


@router.post(
    "/chains",
    response={201: PipelineDetailOut, 403: ErrorOut, 409: ErrorOut, 422: ErrorOut, 503: ErrorOut},
    operation_id="chain_create",
)
def create(request: HttpRequest, response: HttpResponse, payload: PipelineIn) -> Reply[PipelineDetailOut]:
    """Start a pipeline: snapshot, train, evaluate, compare, one after the other."""
    who = viewer(request)
    pipeline = pipeline_create(wanted=payload, viewer=who)
    response["Location"] = f"/learning/{pipeline.pk}"
    return Reply(201, _detail(pipeline, who))


@router.get(
    "/chains/{uuid:chain_id}", response={200: PipelineDetailOut, 403: ErrorOut, 404: ErrorOut}, operation_id="chain_get"
)
def get(request: HttpRequest, chain_id: UUID) -> PipelineDetailOut:
    """A pipeline with all that is known of its parts."""
    who = viewer(request)
    return _detail(pipeline_get(chain_id=chain_id, viewer=who), who)


@router.post(
    "/chains/{uuid:chain_id}/stop",
    response={200: PipelineDetailOut, 403: ErrorOut, 404: ErrorOut},
    operation_id="chain_stop",
)
def stop(request: HttpRequest, chain_id: UUID) -> PipelineDetailOut:
    """Stop a pipeline and the work of its step; what is done stays."""
    who = viewer(request)
    return _detail(pipeline_stop(pipeline=pipeline_get(chain_id=chain_id, viewer=who), viewer=who), who)


@router.post(
    "/chains/{uuid:chain_id}/resume",
    response={200: PipelineDetailOut, 403: ErrorOut, 404: ErrorOut, 409: ErrorOut, 503: ErrorOut},
    operation_id="chain_resume",
)
def resume(request: HttpRequest, chain_id: UUID) -> PipelineDetailOut:
    """Go on with a pipeline that was stopped or failed, at its step."""
    who = viewer(request)
    return _detail(pipeline_resume(pipeline=pipeline_get(chain_id=chain_id, viewer=who), viewer=who), who)


@router.post(
    "/chains/{uuid:chain_id}/review",
    response={200: PipelineDetailOut, 403: ErrorOut, 404: ErrorOut, 409: ErrorOut},
    operation_id="chain_review",
)
def review(request: HttpRequest, chain_id: UUID, payload: ReviewIn) -> PipelineDetailOut:
    """Say that one looked at what became of a pipeline."""
    who = viewer(request)
    pipeline = pipeline_get(chain_id=chain_id, viewer=who)
    return _detail(pipeline_review(pipeline=pipeline, note=payload.note, viewer=who), who)


@router.post(
    "/held-out",
    response={201: HeldOutOut, 403: ErrorOut, 409: ErrorOut, 422: ErrorOut, 503: ErrorOut},
    operation_id="held_out_pin",
)
def pin(request: HttpRequest, payload: HeldOutIn) -> Reply[HeldOutOut]:
    """Pin the questions by which models are judged, and which never train from now on."""
    return Reply(201, held_out_out(held_out_pin(wanted=payload, viewer=viewer(request))))


@router.get("/default", response={200: list[VerdictOut], 403: ErrorOut}, operation_id="default_verdicts")
def verdicts(request: HttpRequest) -> list[VerdictOut]:
    """Of every model, whether it may become the default, and why."""
    may_ensure(viewer(request), Action.MANAGE_PROJECTS)
    return [verdict(name) for name in engine.scorer_names()]


@router.post(
    "/default", response={200: DefaultOut, 403: ErrorOut, 409: ErrorOut, 422: ErrorOut}, operation_id="default_make"
)
def make(request: HttpRequest, payload: DefaultIn) -> DefaultOut:
    """Make a model the default; one that is worse by the pinned questions is refused."""
    default_make(scorer=payload.scorer, viewer=viewer(request))
    return default_out()


@router.post("/default/back", response={200: DefaultOut, 403: ErrorOut, 409: ErrorOut}, operation_id="default_put_back")
def put_back(request: HttpRequest) -> DefaultOut:
    """Put back what was the default before the last change."""
    default_put_back(viewer=viewer(request))
    return default_out()


def _detail(pipeline: Pipeline, who: Viewer) -> PipelineDetailOut:
    judged = verdict(pipeline.name) if pipeline.status == Status.SUCCEEDED else None
    return pipeline_detail(pipeline, verdict=judged, viewer=who)
