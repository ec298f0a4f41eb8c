"""Routes to start evaluations, watch them, and look at the outcome of each question."""

from typing import Annotated
from uuid import UUID

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from ninja import Query, Router
from ninja import Status as Reply

from webapp.accounts.permissions import Action, may
from webapp.accounts.viewer import asker, viewer
from webapp.evaluations.changing import evaluation_change, evaluation_removal, evaluation_remove
from webapp.evaluations.exports import export_parts
from webapp.evaluations.files.report_file import evaluation_page
from webapp.evaluations.models import Evaluation
from webapp.evaluations.others import predictions_look
from webapp.evaluations.schemas import (
    ComparisonOut,
    EvaluatedQuestionPageOut,
    EvaluatedRunOut,
    EvaluationChangeIn,
    EvaluationDetailOut,
    EvaluationFilter,
    EvaluationIn,
    EvaluationOut,
    EvaluationPageOut,
    ManifestOut,
    PlacedQuestionOut,
    PredictionsLookOut,
    QuestionFilter,
    RemovalOut,
)
from webapp.evaluations.selectors import (
    comparison,
    evaluation_detail,
    evaluation_get,
    evaluation_list,
    evaluation_manifest,
    evaluation_out,
    evaluation_with_gold,
    placed_question,
    question_get,
    question_page,
)
from webapp.evaluations.services import evaluation_cancel, evaluation_create, evaluation_resume
from webapp.evaluations.working.runs import question_run
from webapp.platform.http.errors import ErrorOut
from webapp.platform.http.inputs import Number, PositionInPath
from webapp.platform.http.openapi import file_answer
from webapp.platform.http.streaming import streamed_file

router = Router(tags=["evaluations"])


class ComparedFilter(QuestionFilter):
    """Which questions are wanted, and what else is reported of them."""

    against: UUID | None = None
    """Another evaluation."""


class QuestionQuery(ComparedFilter):
    """Some of the questions that are wanted."""

    offset: Number = 0
    limit: Annotated[int, Query(ge=1, le=200)] = 50


@router.get("", response={200: EvaluationPageOut, 422: ErrorOut}, operation_id="evaluation_list")
def list_(
    request: HttpRequest,
    wanted: Annotated[EvaluationFilter, Query()],
    offset: Number = 0,
    limit: Annotated[int, Query(ge=1, le=100)] = 30,
) -> EvaluationPageOut:
    """The evaluations that meet a filter, newest first."""
    may_manage = may(viewer(request), Action.MANAGE_EVALUATIONS)
    return evaluation_list(wanted=wanted, offset=offset, limit=limit, may_manage=may_manage)


@router.post(
    "",
    response={201: EvaluationOut, 403: ErrorOut, 409: ErrorOut, 422: ErrorOut, 503: ErrorOut},
    operation_id="evaluation_create",
)
def create(request: HttpRequest, response: HttpResponse, payload: EvaluationIn) -> Reply[EvaluationOut]:
    """Start an evaluation."""
    evaluation = evaluation_create(wanted=payload, viewer=viewer(request))
    response["Location"] = f"/evaluations/{evaluation.pk}"
    return Reply(201, evaluation_out(evaluation, may_manage=True))


@router.get(
    "/predictions/{uuid:upload_id}",
    response={200: PredictionsLookOut, 403: ErrorOut, 404: ErrorOut, 422: ErrorOut},
    operation_id="predictions_look",
)
def look(request: HttpRequest, upload_id: UUID) -> PredictionsLookOut:
    """What another system's file predicts first, before it is judged; the file was sent as an upload."""
    return predictions_look(upload_id=upload_id, viewer=viewer(request))


@router.get("/{uuid:evaluation_id}", response={200: EvaluationDetailOut, 404: ErrorOut}, operation_id="evaluation_get")
def get(request: HttpRequest, evaluation_id: UUID) -> EvaluationDetailOut:
    """An evaluation with its figures; while it runs, those of what is judged so far."""
    evaluation = evaluation_get(evaluation_id=evaluation_id)
    return evaluation_detail(evaluation, viewer=viewer(request))


@router.patch(
    "/{uuid:evaluation_id}",
    response={200: EvaluationDetailOut, 403: ErrorOut, 404: ErrorOut, 422: ErrorOut},
    operation_id="evaluation_change",
)
def change(request: HttpRequest, evaluation_id: UUID, payload: EvaluationChangeIn) -> EvaluationDetailOut:
    """Give an evaluation another note or group, or a star."""
    evaluation, who = evaluation_get(evaluation_id=evaluation_id), viewer(request)
    return evaluation_detail(evaluation_change(evaluation=evaluation, wanted=payload, viewer=who), viewer=who)


@router.delete(
    "/{uuid:evaluation_id}",
    response={204: None, 403: ErrorOut, 404: ErrorOut, 409: ErrorOut},
    operation_id="evaluation_remove",
)
def remove(request: HttpRequest, evaluation_id: UUID) -> Reply[None]:
    """Delete an evaluation with its outcomes."""
    evaluation_remove(evaluation=evaluation_get(evaluation_id=evaluation_id), viewer=viewer(request))
    return Reply(204, None)


@router.get(
    "/{uuid:evaluation_id}/removal",
    response={200: RemovalOut, 403: ErrorOut, 404: ErrorOut},
    operation_id="evaluation_removal",
)
def removal(request: HttpRequest, evaluation_id: UUID) -> RemovalOut:
    """What deleting an evaluation takes with it, and why it cannot be deleted."""
    return evaluation_removal(evaluation=evaluation_get(evaluation_id=evaluation_id), viewer=viewer(request))


@router.get(
    "/{uuid:evaluation_id}/manifest",
    response={200: ManifestOut, 404: ErrorOut},
    operation_id="evaluation_manifest",
)
def manifest(request: HttpRequest, evaluation_id: UUID) -> ManifestOut:
    """What an evaluation was made with, so that it can be made again."""
    return evaluation_manifest(evaluation_get(evaluation_id=evaluation_id))


@router.post(
    "/{uuid:evaluation_id}/cancel",
    response={200: EvaluationDetailOut, 403: ErrorOut, 404: ErrorOut},
    operation_id="evaluation_cancel",
)
def cancel(request: HttpRequest, evaluation_id: UUID) -> EvaluationDetailOut:
    """Stop an evaluation; what was judged stays."""
    evaluation = evaluation_cancel(evaluation=evaluation_get(evaluation_id=evaluation_id), viewer=viewer(request))
    return evaluation_detail(evaluation, viewer=viewer(request))


@router.post(
    "/{uuid:evaluation_id}/resume",
    response={200: EvaluationDetailOut, 403: ErrorOut, 404: ErrorOut, 409: ErrorOut, 503: ErrorOut},
    operation_id="evaluation_resume",
)
def resume(request: HttpRequest, evaluation_id: UUID) -> EvaluationDetailOut:
    """Go on with an evaluation that was cancelled or failed."""
    evaluation = evaluation_resume(evaluation=evaluation_get(evaluation_id=evaluation_id), viewer=viewer(request))
    return evaluation_detail(evaluation, viewer=viewer(request))


@router.get(
    "/{uuid:evaluation_id}/questions",
    response={200: EvaluatedQuestionPageOut, 403: ErrorOut, 404: ErrorOut, 422: ErrorOut},
    operation_id="evaluated_question_list",
)
def questions(
    request: HttpRequest, evaluation_id: UUID, wanted: Annotated[QuestionQuery, Query()]
) -> EvaluatedQuestionPageOut:
    """The questions that meet a filter, and what became of them."""
    return question_page(
        evaluation=evaluation_with_gold(evaluation_id=evaluation_id, viewer=viewer(request)),
        wanted=wanted,
        against=_against(wanted, request),
        offset=wanted.offset,
        limit=wanted.limit,
    )


@router.get(
    "/{uuid:evaluation_id}/questions/{int:position}",
    response={200: PlacedQuestionOut, 403: ErrorOut, 404: ErrorOut, 422: ErrorOut},
    operation_id="evaluated_question_get",
)
def question(
    request: HttpRequest, evaluation_id: UUID, position: PositionInPath, wanted: Annotated[ComparedFilter, Query()]
) -> PlacedQuestionOut:
    """A question, with the one before it and the one after it among those that meet a filter."""
    evaluation = evaluation_with_gold(evaluation_id=evaluation_id, viewer=viewer(request))
    return placed_question(evaluation=evaluation, position=position, wanted=wanted, against=_against(wanted, request))


@router.post(
    "/{uuid:evaluation_id}/questions/{int:position}/run",
    response={200: EvaluatedRunOut, 403: ErrorOut, 404: ErrorOut, 409: ErrorOut, 429: ErrorOut, 503: ErrorOut},
    operation_id="evaluated_question_run",
)
def run(request: HttpRequest, evaluation_id: UUID, position: PositionInPath) -> EvaluatedRunOut:
    """The run that shows how a question was answered; made when it is first asked for."""
    evaluation = evaluation_with_gold(evaluation_id=evaluation_id, viewer=viewer(request))
    question = question_get(evaluation=evaluation, position=position)
    return EvaluatedRunOut(run=question_run(question=question, viewer=asker(request)).pk)


@router.get(
    "/{uuid:evaluation_id}/against/{uuid:other_id}",
    response={200: ComparisonOut, 404: ErrorOut},
    operation_id="evaluation_compare",
)
def compare(request: HttpRequest, evaluation_id: UUID, other_id: UUID) -> ComparisonOut:
    """Two evaluations side by side, over the questions that both have judged."""
    return comparison(
        first=evaluation_get(evaluation_id=evaluation_id),
        second=evaluation_get(evaluation_id=other_id),
        viewer=viewer(request),
    )


@router.get(
    "/{uuid:evaluation_id}/results.jsonl",
    response={403: ErrorOut, 404: ErrorOut},
    operation_id="evaluation_json_lines",
    openapi_extra=file_answer("application/jsonl"),
)
def json_lines(request: HttpRequest, evaluation_id: UUID) -> StreamingHttpResponse:
    """What became of each judged question: one JSON object a line."""
    evaluation = evaluation_with_gold(evaluation_id=evaluation_id, viewer=viewer(request))
    parts = export_parts(evaluation, "results.jsonl")
    return streamed_file(parts, name=f"evaluation-{evaluation_id}.jsonl", media_type="application/jsonl")


@router.get(
    "/{uuid:evaluation_id}/results.csv",
    response={403: ErrorOut, 404: ErrorOut},
    operation_id="evaluation_csv",
    openapi_extra=file_answer("text/csv"),
)
def table(request: HttpRequest, evaluation_id: UUID) -> StreamingHttpResponse:
    """What became of each judged question, as a table."""
    evaluation = evaluation_with_gold(evaluation_id=evaluation_id, viewer=viewer(request))
    parts = export_parts(evaluation, "results.csv")
    return streamed_file(parts, name=f"evaluation-{evaluation_id}.csv", media_type="text/csv")


@router.get(
    "/{uuid:evaluation_id}/predictions.json",
    response={403: ErrorOut, 404: ErrorOut},
    operation_id="evaluation_predictions",
    openapi_extra=file_answer("application/json"),
)
def predictions(request: HttpRequest, evaluation_id: UUID) -> StreamingHttpResponse:
    """What was predicted for each judged question: its id, and its answers with ids and names."""
    evaluation = evaluation_with_gold(evaluation_id=evaluation_id, viewer=viewer(request))
    parts = export_parts(evaluation, "predictions.json")
    return streamed_file(parts, name=f"evaluation-{evaluation_id}-predictions.json", media_type="application/json")


@router.get(
    "/{uuid:evaluation_id}/report.html",
    response={404: ErrorOut, 409: ErrorOut},
    operation_id="evaluation_report",
    openapi_extra=file_answer("text/html"),
)
def report(request: HttpRequest, evaluation_id: UUID) -> HttpResponse:
    """The report of an evaluation as one page that needs no network."""
    evaluation = evaluation_get(evaluation_id=evaluation_id)
    return file_of(evaluation_page(evaluation), f"evaluation-{evaluation_id}.html", "text/html")


def _against(wanted: ComparedFilter, request: HttpRequest) -> Evaluation | None:
    if wanted.against is None:
        return None
    return evaluation_with_gold(evaluation_id=wanted.against, viewer=viewer(request))


def file_of(content: str, name: str, kind: str) -> HttpResponse:
    """A file to be kept under a name."""
    return HttpResponse(
        content,
        content_type=f"{kind}; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )
