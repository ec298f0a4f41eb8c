"""Routes to compare evaluations of the same questions, and to look at a part of one evaluation's questions."""

from typing import Annotated
from uuid import UUID

from django.http import HttpRequest
from ninja import Query, Router

from webapp.accounts.permissions import Action, may
from webapp.accounts.viewer import viewer
from webapp.comparisons.next_to_label import next_to_label
from webapp.comparisons.schemas import (
    DecisionPairsOut,
    DifferencesOut,
    NextToLabelOut,
    NextToLabelQuery,
    PartOut,
    SinceOut,
)
from webapp.comparisons.selectors import decision_pairs, differences, part, since
from webapp.evaluations.api import ComparedFilter
from webapp.evaluations.selectors import evaluation_get
from webapp.http.errors import ErrorOut
from webapp.http.inputs import PositionInPath

router = Router(tags=["evaluations"])

MOST_COMPARED = 8


@router.get(
    "/differences",
    response={200: DifferencesOut, 404: ErrorOut, 422: ErrorOut},
    operation_id="evaluation_differences",
)
def list_(
    request: HttpRequest,
    ids: Annotated[list[UUID], Query(alias="id", min_length=2, max_length=MOST_COMPARED)],
) -> DifferencesOut:
    """Several evaluations over the questions that all have judged, each of the others beside the first."""
    return differences(
        [evaluation_get(evaluation_id=each) for each in dict.fromkeys(ids)],
        may_manage=may(viewer(request), Action.MANAGE_EVALUATIONS),
    )


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
        evaluation_get(evaluation_id=evaluation_id),
        by=wanted.by,
        against=None if wanted.against is None else evaluation_get(evaluation_id=wanted.against),
        limit=wanted.limit,
        viewer=viewer(request),
    )


@router.get(
    "/{uuid:evaluation_id}/part",
    response={200: PartOut, 404: ErrorOut, 422: ErrorOut},
    operation_id="evaluation_part",
)
def part_(request: HttpRequest, evaluation_id: UUID, wanted: Annotated[ComparedFilter, Query()]) -> PartOut:
    """The figures of the questions that meet a filter, with intervals."""
    against = None if wanted.against is None else evaluation_get(evaluation_id=wanted.against)
    return part(evaluation_get(evaluation_id=evaluation_id), wanted, against)


@router.get(
    "/{uuid:evaluation_id}/against/{uuid:other_id}/decisions/{int:position}",
    response={200: DecisionPairsOut, 404: ErrorOut},
    operation_id="evaluation_decision_pairs",
)
def decisions(request: HttpRequest, evaluation_id: UUID, other_id: UUID, position: PositionInPath) -> DecisionPairsOut:
    """A question, decision by decision, in two evaluations."""
    return decision_pairs(
        evaluation_get(evaluation_id=evaluation_id), evaluation_get(evaluation_id=other_id), position=position
    )
