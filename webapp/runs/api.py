"""Looking at runs, and stopping them."""

from typing import TYPE_CHECKING, Annotated, cast
from uuid import UUID

from django.http import HttpRequest
from ninja import Query, Router

from reasoning.switches import EngineSwitches
from webapp import engine
from webapp.accounts.viewer import Viewer, viewer
from webapp.health.readiness import no_worker_reason
from webapp.http.errors import ErrorOut
from webapp.http.inputs import Number, Position
from webapp.runs.models import ReasoningRun
from webapp.runs.schemas import FactPageOut, RunEventOut, RunOut, RunQueriesOut
from webapp.runs.selectors import run_events, run_facts, run_for_viewer, run_queries
from webapp.runs.services import run_cancel, run_may_cancel
from webapp.work.states import Status

if TYPE_CHECKING:
    from reasoning.events import Verdict

router = Router(tags=["runs"])


def run_out(run: ReasoningRun, who: Viewer) -> RunOut:
    """A run as its viewer may see it."""
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
        width=EngineSwitches(**run.switches).width,
        created_at=run.created_at,
        started_at=run.started_at,
        finished_at=run.finished_at,
        waits=no_worker_reason(engine.queue_of(run.scorer)) if run.status == Status.QUEUED else None,
        last_seq=run.last_seq,
        may_cancel=not run.is_over and run_may_cancel(run=run, viewer=who),
        answers=run.answers,
        verdict=cast("Verdict", run.verdict) if run.verdict else None,
    )


@router.get("/{uuid:run_id}", response={200: RunOut, 403: ErrorOut, 404: ErrorOut}, operation_id="run_get")
def get(request: HttpRequest, run_id: UUID) -> RunOut:
    """A run, for whoever has its link."""
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
    limit: Annotated[int, Query(ge=1, le=1000)] = 200,
) -> FactPageOut:
    """Every fact that the step to a position found, also those that its event left out."""
    run = run_for_viewer(run_id=run_id, viewer=viewer(request))
    return run_facts(run=run, position=position, offset=offset, limit=limit)


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
    """Stop a run; one that is over stays as it is."""
    who = viewer(request)
    return run_out(run_cancel(run=run_for_viewer(run_id=run_id, viewer=who), viewer=who), who)
