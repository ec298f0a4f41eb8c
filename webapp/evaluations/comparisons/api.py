"""Routes to compare evaluations of the same questions, and to look at a part of one evaluation's questions."""

from typing import Annotated
from uuid import UUID

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from ninja import Query, Router

from webapp.accounts.permissions import Action, may
from webapp.accounts.viewer import viewer
from webapp.evaluations.api import ComparedFilter, file_of
from webapp.evaluations.comparisons.next_to_label import next_to_label
from webapp.evaluations.comparisons.schemas import (
    DecisionPairsOut,
    DifferencesOut,
    NextToLabelOut,
    NextToLabelQuery,
    PartOut,
    SinceOut,
)
from webapp.evaluations.comparisons.selectors import decision_pairs, differences, part, since
from webapp.evaluations.comparisons.standings import agreement_table, standings, standings_table
from webapp.evaluations.comparisons.standings_schemas import StandingsOut
from webapp.evaluations.models import Evaluation
from webapp.evaluations.selectors import evaluation_get, evaluation_with_gold
from webapp.platform.http.errors import ErrorOut, ProductError
from webapp.platform.http.inputs import PositionInPath
from webapp.platform.http.openapi import file_answer
from webapp.platform.http.streaming import streamed_table

router = Router(tags=["evaluations"])

MAX_COMPARED = 12
Several = Annotated[list[UUID], Query(alias="id", min_length=2, max_length=MAX_COMPARED)]


@router.get(
    "/differences",
    response={200: DifferencesOut, 404: ErrorOut, 422: ErrorOut},
    operation_id="evaluation_differences",
)
def list_(request: HttpRequest, ids: Several) -> DifferencesOut:
    """Several evaluations over the questions that all have judged, each compared with the first."""
    return differences(_several(ids), may_manage=may(viewer(request), Action.MANAGE_EVALUATIONS))


@router.get(
    "/standings", response={200: StandingsOut, 404: ErrorOut, 422: ErrorOut}, operation_id="evaluation_standings"
)
def standings_(request: HttpRequest, ids: Several) -> StandingsOut:
    """Several evaluations over the questions that all have judged: figures with intervals, and how far they agree."""
    return standings(_several(ids), may_manage=may(viewer(request), Action.MANAGE_EVALUATIONS))


@router.get(
    "/standings.json",
    response={404: ErrorOut, 422: ErrorOut},
    operation_id="evaluation_standings_json",
    openapi_extra=file_answer("application/json"),
)
def standings_json(request: HttpRequest, ids: Several) -> HttpResponse:
    """The same as a file."""
    figures = standings(_several(ids), may_manage=may(viewer(request), Action.MANAGE_EVALUATIONS))
    return file_of(figures.model_dump_json(indent=2), "evaluations-side-by-side.json", "application/json")


@router.get(
    "/standings.csv",
    response={404: ErrorOut, 422: ErrorOut},
    operation_id="evaluation_standings_csv",
    openapi_extra=file_answer("text/csv"),
)
def standings_csv(request: HttpRequest, ids: Several) -> StreamingHttpResponse:
    """Their figures as a table: a row for each evaluation."""
    figures = standings(_several(ids), may_manage=may(viewer(request), Action.MANAGE_EVALUATIONS))
    return streamed_table(standings_table(figures), name="evaluations-side-by-side.csv")


@router.get(
    "/agreement.csv",
    response={403: ErrorOut, 404: ErrorOut, 422: ErrorOut},
    operation_id="evaluation_agreement_csv",
    openapi_extra=file_answer("text/csv"),
)
def agreement_csv(request: HttpRequest, ids: Several) -> HttpResponse:
    """How far several evaluations agree, as a table: a row for each question that all have judged."""
    return file_of(agreement_table(_several_with_gold(ids, request)), "evaluations-agreement.csv", "text/csv")


@router.get("/{uuid:evaluation_id}/since", response={200: SinceOut, 404: ErrorOut}, operation_id="evaluation_since")
def since_(request: HttpRequest, evaluation_id: UUID) -> SinceOut:
    """How an evaluation differs from the last one before it that asked some of the same questions."""
    may_manage = may(viewer(request), Action.MANAGE_EVALUATIONS)
    return since(evaluation_get(evaluation_id=evaluation_id), may_manage=may_manage)


@router.get(
    "/{uuid:evaluation_id}/label-next",
    response={200: NextToLabelOut, 403: ErrorOut, 404: ErrorOut, 409: ErrorOut, 422: ErrorOut},
    operation_id="evaluation_label_next",
)
def label_next(
    request: HttpRequest, evaluation_id: UUID, wanted: Annotated[NextToLabelQuery, Query()]
) -> NextToLabelOut:
    """An evaluation's questions in the order in which to label them."""
    return next_to_label(
        evaluation_with_gold(evaluation_id=evaluation_id, viewer=viewer(request)),
        by=wanted.by,
        against=None
        if wanted.against is None
        else evaluation_with_gold(evaluation_id=wanted.against, viewer=viewer(request)),
        limit=wanted.limit,
        viewer=viewer(request),
    )


@router.get(
    "/{uuid:evaluation_id}/part",
    response={200: PartOut, 403: ErrorOut, 404: ErrorOut, 422: ErrorOut},
    operation_id="evaluation_part",
)
def part_(request: HttpRequest, evaluation_id: UUID, wanted: Annotated[ComparedFilter, Query()]) -> PartOut:
    """The figures of the questions that meet a filter, with intervals."""
    against = (
        None if wanted.against is None else evaluation_with_gold(evaluation_id=wanted.against, viewer=viewer(request))
    )
    return part(evaluation_with_gold(evaluation_id=evaluation_id, viewer=viewer(request)), wanted, against)


@router.get(
    "/{uuid:evaluation_id}/against/{uuid:other_id}/decisions/{int:position}",
    response={200: DecisionPairsOut, 403: ErrorOut, 404: ErrorOut},
    operation_id="evaluation_decision_pairs",
)
def decisions(request: HttpRequest, evaluation_id: UUID, other_id: UUID, position: PositionInPath) -> DecisionPairsOut:
    """A question, decision by decision, in two evaluations."""
    return decision_pairs(
        evaluation_with_gold(evaluation_id=evaluation_id, viewer=viewer(request)),
        evaluation_with_gold(evaluation_id=other_id, viewer=viewer(request)),
        position=position,
    )


def _several(ids: list[UUID]) -> list[Evaluation]:
    return [evaluation_get(evaluation_id=each) for each in _distinct(ids)]


def _several_with_gold(ids: list[UUID], request: HttpRequest) -> list[Evaluation]:
    return [evaluation_with_gold(evaluation_id=each, viewer=viewer(request)) for each in _distinct(ids)]


def _distinct(ids: list[UUID]) -> list[UUID]:
    distinct = list(dict.fromkeys(ids))
    if len(distinct) == 1:
        raise ProductError(422, "same_evaluation", "These are one and the same evaluation. Choose another one as well.")
    return distinct
