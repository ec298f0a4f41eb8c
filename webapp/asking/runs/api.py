"""Looking at runs, and stopping them."""

from typing import TYPE_CHECKING, Annotated, Literal, cast
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from ninja import Query, Router
from ninja import Status as Reply

from reasoning.core.options import Stage
from reasoning.core.switches import EngineSwitches
from webapp.accounts.viewer import Viewer, asker, viewer
from webapp.asking.runs.models import ReasoningRun
from webapp.asking.runs.schemas import (
    AnswerPageOut,
    ChangedRunIn,
    DifferenceOut,
    FactPageOut,
    OptionsOut,
    PreviewOut,
    RunEventOut,
    RunOut,
    RunQueriesOut,
    VariantOut,
)
from webapp.asking.runs.selectors import run_answers, run_events, run_facts, run_for_viewer, run_queries
from webapp.asking.runs.services import run_cancel, run_change, run_may_cancel
from webapp.asking.runs.variants import run_difference, run_options, run_preview, run_variants
from webapp.health.readiness import no_worker_reason
from webapp.platform.http.errors import ErrorOut
from webapp.platform.http.inputs import Number, Position
from webapp.platform.http.option_fields import options_recorded
from webapp.platform.http.read_limit import read_allowance_take
from webapp.platform.work.states import Status

if TYPE_CHECKING:
    from reasoning.events import Verdict

router = Router(tags=["runs"])


def run_out(run: ReasoningRun, who: Viewer) -> RunOut:
    """A run as its viewer may see it."""
    switches = EngineSwitches.from_json(run.switches)
    return RunOut(
        id=run.pk,
        question=run.question.text,
        status=Status(run.status),
        graph=run.graph,
        graph_title=run.graph_title,
        graph_version=run.graph_version,
        topic=run.topic or None,
        scorer=run.scorer,
        strategy=run.strategy,
        **options_recorded(switches),
        model_may_answer=switches.model_may_answer,
        created_at=run.created_at,
        started_at=run.started_at,
        finished_at=run.finished_at,
        waits=no_worker_reason(run.waits_in) if run.status == Status.QUEUED else None,
        last_seq=run.last_seq,
        may_cancel=not run.is_over and run_may_cancel(run=run, viewer=who),
        answers=run.answers,
        verdict=cast("Verdict", run.verdict) if run.verdict else None,
        parent=run.parent_id,
        original=run.original_id,
        what_if=run.what_if,
        side_by_side=run.side_by_side_id,
    )


@router.get("/{uuid:run_id}", response={200: RunOut, 403: ErrorOut, 404: ErrorOut}, operation_id="run_get")
def get(request: HttpRequest, run_id: UUID) -> RunOut:
    """A run, for anyone with its link."""
    who = viewer(request)
    return run_out(run_for_viewer(run_id=run_id, viewer=who), who)


@router.get(
    "/{uuid:run_id}/events",
    response={200: list[RunEventOut], 403: ErrorOut, 404: ErrorOut, 422: ErrorOut},
    operation_id="run_events",
)
def events(request: HttpRequest, run_id: UUID, after: Number = 0) -> list[RunEventOut]:
    """The events of a run with a number above ``after``: the same JSON that the socket sends."""
    run = run_for_viewer(run_id=run_id, viewer=viewer(request))
    return run_events(run_id=run.pk, after=after)


@router.get(
    "/{uuid:run_id}/facts",
    response={200: FactPageOut, 403: ErrorOut, 404: ErrorOut, 409: ErrorOut, 422: ErrorOut},
    operation_id="run_facts",
)
def facts(
    request: HttpRequest,
    run_id: UUID,
    position: Position,
    offset: Number = 0,
    limit: Annotated[int, Query(ge=1, le=5000)] = 200,
) -> FactPageOut:
    """Every fact that the step to a position found, also those that its event left out."""
    run = run_for_viewer(run_id=run_id, viewer=viewer(request))
    return run_facts(run=run, position=position, offset=offset, limit=limit)


@router.get(
    "/{uuid:run_id}/answers",
    response={200: AnswerPageOut, 403: ErrorOut, 404: ErrorOut, 409: ErrorOut, 422: ErrorOut},
    operation_id="run_answers",
)
def answers(
    request: HttpRequest, run_id: UUID, offset: Number = 0, limit: Annotated[int, Query(ge=1, le=1000)] = 200
) -> AnswerPageOut:
    """Every answer with its proof, also those that the last event left out; none while the run is at work."""
    run = run_for_viewer(run_id=run_id, viewer=viewer(request))
    return run_answers(run=run, offset=offset, limit=limit)


@router.get(
    "/{uuid:run_id}/queries",
    response={200: RunQueriesOut, 403: ErrorOut, 404: ErrorOut, 409: ErrorOut},
    operation_id="run_queries",
)
def queries(request: HttpRequest, run_id: UUID) -> RunQueriesOut:
    """The way to the answers as queries in SPARQL and Cypher."""
    return run_queries(run=run_for_viewer(run_id=run_id, viewer=viewer(request)))


@router.post("/{uuid:run_id}/cancel", response={200: RunOut, 403: ErrorOut, 404: ErrorOut}, operation_id="run_cancel")
def cancel(request: HttpRequest, run_id: UUID) -> RunOut:
    """Stop a run; an ended one stays as it is."""
    who = viewer(request)
    return run_out(run_cancel(run=run_for_viewer(run_id=run_id, viewer=who), viewer=who), who)


@router.post(
    "/{uuid:run_id}/variants",
    response={201: RunOut, 404: ErrorOut, 409: ErrorOut, 422: ErrorOut, 429: ErrorOut, 503: ErrorOut},
    operation_id="variant_create",
)
def change(request: HttpRequest, response: HttpResponse, run_id: UUID, payload: ChangedRunIn) -> Reply[RunOut]:
    """Go on from a run with one decision changed; what came before it is kept and asks no model."""
    who = asker(request)
    run = run_for_viewer(run_id=run_id, viewer=who)
    variant = run_change(run=run, wanted=payload.change, viewer=who, scorer=payload.scorer)
    response["Location"] = f"/runs/{variant.pk}"
    return Reply(201, run_out(variant, who))


@router.get("/{uuid:run_id}/variants", response={200: list[VariantOut], 404: ErrorOut}, operation_id="variant_list")
def variants(request: HttpRequest, run_id: UUID) -> list[VariantOut]:
    """The tree that a run belongs to: the original, and what was decided otherwise; the oldest first."""
    who = viewer(request)
    return run_variants(run=run_for_viewer(run_id=run_id, viewer=who), viewer=who)


@router.get(
    "/{uuid:run_id}/difference",
    response={200: DifferenceOut, 404: ErrorOut, 409: ErrorOut},
    operation_id="variant_difference",
)
def difference(request: HttpRequest, run_id: UUID) -> DifferenceOut:
    """The answers of a variant compared with those of the original run: kept, gained, lost."""
    return run_difference(run=run_for_viewer(run_id=run_id, viewer=viewer(request)))


@router.get(
    "/{uuid:run_id}/options",
    response={200: OptionsOut, 404: ErrorOut, 409: ErrorOut, 422: ErrorOut},
    operation_id="option_list",
)
def options(
    request: HttpRequest, run_id: UUID, stage: Literal["link", "search", "prune", "infer"], number: Number = 0
) -> OptionsOut:
    """Every option of a decision, also those that its event left out; ``number`` counts from 0 within the stage."""
    run = run_for_viewer(run_id=run_id, viewer=viewer(request))
    return run_options(run=run, stage=Stage(stage), number=number)


@router.post(
    "/{uuid:run_id}/preview",
    response={200: PreviewOut, 404: ErrorOut, 409: ErrorOut, 422: ErrorOut, 429: ErrorOut},
    operation_id="variant_preview",
)
def preview(request: HttpRequest, run_id: UUID, payload: ChangedRunIn) -> PreviewOut:
    """What a change would add and take out by itself; nothing is kept, and no model is asked."""
    who = viewer(request)
    read_allowance_take(address=who.address)
    return run_preview(run=run_for_viewer(run_id=run_id, viewer=who), wanted=payload.change)
