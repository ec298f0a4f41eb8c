"""Routes to ask, to list one's questions, and to get examples."""

from typing import Annotated

from django.http import HttpRequest, HttpResponse
from ninja import Query, Router
from ninja import Status as Reply

from webapp.accounts.viewer import asker, viewer
from webapp.http.errors import ErrorOut
from webapp.http.inputs import Name
from webapp.questions.examples import examples_of
from webapp.questions.schemas import ExampleOut, QuestionIn, StrategyOut
from webapp.questions.services import question_ask
from webapp.questions.strategies import strategies_offered
from webapp.runs.api import run_out
from webapp.runs.schemas import RunOut
from webapp.runs.selectors import runs_of

router = Router(tags=["runs"])
examples = Router(tags=["runs"])
strategies = Router(tags=["runs"])


@router.post(
    "",
    response={201: RunOut, 403: ErrorOut, 422: ErrorOut, 429: ErrorOut, 503: ErrorOut},
    operation_id="run_create",
)
def create(request: HttpRequest, response: HttpResponse, payload: QuestionIn) -> Reply[RunOut]:
    """Ask a question."""
    who = asker(request)
    run = question_ask(
        text=payload.question,
        viewer=who,
        graph=payload.graph,
        topic=payload.topic,
        scorer=payload.scorer,
        strategy=payload.strategy,
        width=payload.width,
        model_may_answer=payload.model_may_answer,
    )
    response["Location"] = f"/runs/{run.pk}"
    return Reply(201, run_out(run, who))


@router.get("", response={200: list[RunOut], 422: ErrorOut}, operation_id="run_list")
def own(
    request: HttpRequest,
    *,
    mine: Annotated[bool, Query()] = True,
    limit: Annotated[int, Query(ge=1, le=100)] = 10,
) -> list[RunOut]:
    """The last runs of who is looking, newest first. Nobody else's are ever listed, so ``mine=0`` lists none."""
    who = viewer(request)
    return [run_out(run, who) for run in (runs_of(viewer=who, limit=limit) if mine else [])]


@examples.get("", response=list[ExampleOut], operation_id="example_list")
def example_list(request: HttpRequest, graph: Name = "") -> list[ExampleOut]:
    """Questions to try on a graph, each of another shape."""
    return examples_of(graph)


@strategies.get("", response=list[StrategyOut], operation_id="strategy_list")
def strategy_list(request: HttpRequest) -> list[StrategyOut]:
    """The ways to answer questions, the usual one first, and why some cannot run here."""
    return strategies_offered()
