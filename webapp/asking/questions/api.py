"""Routes to ask, to list one's questions, and to get examples."""

from typing import Annotated
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from ninja import Query, Router
from ninja import Status as Reply

from webapp.accounts.viewer import asker, viewer
from webapp.asking.questions.examples import examples_of
from webapp.asking.questions.own import own_questions_page, question_erase, question_label, question_star
from webapp.asking.questions.schemas import (
    ErasedOut,
    ExampleOut,
    OwnQuestionOut,
    OwnQuestionPageOut,
    OwnQuestionPatchIn,
    QuestionIn,
    StrategyOut,
)
from webapp.asking.questions.services import question_ask
from webapp.asking.questions.strategies import strategies_offered
from webapp.asking.runs.api import run_out
from webapp.asking.runs.readers import question_readers
from webapp.asking.runs.schemas import RunOut
from webapp.asking.runs.selectors import run_for_viewer, runs_of
from webapp.platform.http.errors import ErrorOut
from webapp.platform.http.inputs import Name, Number

Words = Annotated[str, Query(max_length=1_000)]
router = Router(tags=["runs"])
own_questions = Router(tags=["runs"])
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
        switches=payload.switches,
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
    """The last runs of who is looking, newest first. Runs of others are never listed, so ``mine=0`` lists none."""
    who = viewer(request)
    return [run_out(run, who) for run in (runs_of(viewer=who, limit=limit) if mine else [])]


@own_questions.get("", response={200: OwnQuestionPageOut, 422: ErrorOut}, operation_id="own_question_list")
def own_list(
    request: HttpRequest,
    search: Words = "",
    *,
    starred: bool = False,
    offset: Number = 0,
    limit: Annotated[int, Query(ge=1, le=100)] = 20,
) -> OwnQuestionPageOut:
    """The questions of who is looking, each with the last times it was asked; the last asked first."""
    who = viewer(request)
    page = own_questions_page(viewer=who, search=search, starred=starred, offset=offset, limit=limit)
    return OwnQuestionPageOut(
        questions=[
            OwnQuestionOut(
                question=each.text,
                starred=each.starred,
                may_be_labelled=each.may_be_labelled,
                runs=[run_out(run, who) for run in each.runs],
                runs_total=each.runs_total,
            )
            for each in page.questions
        ],
        total=page.total,
        all=page.all,
        starred=page.starred,
        readers=question_readers(),
    )


@router.patch(
    "/{uuid:run_id}/question",
    response={204: None, 403: ErrorOut, 404: ErrorOut, 409: ErrorOut},
    operation_id="own_question_change",
)
def change(request: HttpRequest, run_id: UUID, payload: OwnQuestionPatchIn) -> Reply[None]:
    """Star the question of a run, and say whether annotators may be given it; or take either back."""
    who = viewer(request)
    run = run_for_viewer(run_id=run_id, viewer=who)
    if payload.may_be_labelled is not None:
        question_label(run=run, viewer=who, allowed=payload.may_be_labelled)
    if payload.starred is not None:
        question_star(run=run, viewer=who, starred=payload.starred)
    return Reply(204, None)


@router.delete(
    "/{uuid:run_id}/question",
    response={200: ErasedOut, 403: ErrorOut, 404: ErrorOut},
    operation_id="own_question_erase",
)
def erase(request: HttpRequest, run_id: UUID) -> ErasedOut:
    """Delete the question of a run, and all runs in which the same person asked it."""
    who = viewer(request)
    return question_erase(run=run_for_viewer(run_id=run_id, viewer=who), viewer=who)


@examples.get("", response={200: list[ExampleOut], 404: ErrorOut}, operation_id="example_list")
def example_list(request: HttpRequest, graph: Name = "") -> list[ExampleOut]:
    """Questions to try on a graph: each of another shape, or made of the graph's commonest relations."""
    return examples_of(graph)


@strategies.get("", response=list[StrategyOut], operation_id="strategy_list")
def strategy_list(request: HttpRequest) -> list[StrategyOut]:
    """The ways to answer questions, the usual one first, and why some cannot run here."""
    return strategies_offered()
