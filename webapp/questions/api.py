"""Asking, and questions to try."""

from django.http import HttpRequest, HttpResponse
from ninja import Router
from ninja import Status as Reply

from webapp.accounts.viewer import asker
from webapp.errors import ErrorOut
from webapp.inputs import Name
from webapp.questions.examples import examples_of
from webapp.questions.schemas import ExampleOut, QuestionIn
from webapp.questions.services import question_ask
from webapp.runs.api import router as runs
from webapp.runs.api import run_out
from webapp.runs.schemas import RunOut

examples = Router(tags=["runs"])


# Among the routes of runs: of two routers at one address, only the first would be asked.
@runs.post(
    "",
    response={201: RunOut, 403: ErrorOut, 422: ErrorOut, 429: ErrorOut, 503: ErrorOut},
    operation_id="run_create",
)
def create(request: HttpRequest, response: HttpResponse, payload: QuestionIn) -> Reply[RunOut]:
    """Ask a question."""
    who = asker(request)
    run = question_ask(
        text=payload.question, viewer=who, graph=payload.graph, topic=payload.topic, scorer=payload.scorer
    )
    response["Location"] = f"/runs/{run.pk}"
    return Reply(201, run_out(run, who))


@examples.get("", response=list[ExampleOut], operation_id="example_list")
def example_list(request: HttpRequest, graph: Name = "") -> list[ExampleOut]:
    """Questions to try on a graph, each of another shape."""
    return examples_of(graph)
