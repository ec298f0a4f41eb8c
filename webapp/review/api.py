"""Routes to review cases: the queue, a case, verdicts, and filters that are shared."""

from typing import Annotated, Any, Literal
from uuid import UUID

from django.http import HttpRequest
from ninja import Path, Query, Router, Schema
from ninja import Status as Reply
from pydantic import Field

from webapp.accounts.permissions import Action, may_ensure
from webapp.accounts.viewer import viewer
from webapp.evaluations.comparisons.api import MAX_COMPARED
from webapp.evaluations.models import EvaluatedQuestion, Evaluation
from webapp.evaluations.selectors import evaluation_get
from webapp.platform.http.errors import ErrorOut, ProductError
from webapp.platform.http.inputs import MAX_NAME_LENGTH, Number
from webapp.review import schemas
from webapp.review.annotation import annotation_choices, case_to_annotation
from webapp.review.evidence import laid_over_out
from webapp.review.facets import facets_asked, with_facets
from webapp.review.selectors import (
    agreement_out,
    case_out,
    case_page,
    cases_said,
    home_out,
    reviewers_out,
    view_out,
)
from webapp.review.services import (
    case_hold,
    case_release,
    entries_undo,
    verdicts_record,
    view_keep,
    view_remove,
)
from webapp.review.sources import case_find, source_named

router = Router(tags=["review"])
"""Error cases: what is proposed, and what reviewers say."""

Of = Annotated[str, Path(max_length=MAX_NAME_LENGTH)]
Key = Annotated[str, Path(max_length=MAX_NAME_LENGTH)]


@with_facets
class CaseFilter(Schema):
    """Which cases are wanted; of each list any value, nothing to leave a choice open."""

    search: str = Field(default="", max_length=300)
    """Words of the question, or of its id."""
    against: UUID | None = None
    """Another evaluation of the same questions."""
    beside: list[UUID] = Field(default_factory=list, max_length=MAX_COMPARED - 1)
    """Evaluations of the same questions, by whose agreement cases are found."""
    sort: Literal["surest", "worst", "given"] = "surest"
    """The surest of the wrong ones first, by F1, or as they came."""

    def asked(self) -> dict[str, Any]:
        """The same for selectors."""
        return {
            "words": self.search,
            "filters": facets_asked(self),
            "sort": self.sort,
            "against": _against(self.against),
            "beside": [evaluation_get(evaluation_id=each) for each in dict.fromkeys(self.beside)],
        }


class CaseQuery(CaseFilter):
    """Some of the cases that are wanted."""

    offset: Number = 0
    limit: Annotated[int, Query(ge=1, le=200)] = 50


@router.get("", response={200: schemas.ReviewHomeOut, 403: ErrorOut}, operation_id="review_home")
def home(request: HttpRequest) -> schemas.ReviewHomeOut:
    """What there is to review, and the filters that reviewers share."""
    return home_out(viewer=viewer(request))


@router.get("/reviewers", response={200: list[schemas.ReviewerOut], 403: ErrorOut}, operation_id="reviewer_list")
def reviewers(request: HttpRequest) -> list[schemas.ReviewerOut]:
    """Everybody who reviews."""
    return reviewers_out(viewer=viewer(request))


@router.post(
    "/views",
    response={201: schemas.ReviewViewOut, 403: ErrorOut, 409: ErrorOut, 422: ErrorOut, 503: ErrorOut},
    operation_id="review_view_keep",
)
def view_kept(request: HttpRequest, payload: schemas.ViewIn) -> Reply[schemas.ReviewViewOut]:
    """Keep a filter for everybody who reviews."""
    who = viewer(request)
    return Reply(201, view_out(view_keep(wanted=payload, viewer=who), viewer=who))


@router.post(
    "/views/{uuid:view_id}/remove",
    response={200: schemas.ReviewHomeOut, 403: ErrorOut, 404: ErrorOut},
    operation_id="review_view_remove",
)
def view_removed(request: HttpRequest, view_id: UUID) -> schemas.ReviewHomeOut:
    """Remove a kept filter."""
    who = viewer(request)
    view_remove(view_id=view_id, viewer=who)
    return home_out(viewer=who)


@router.post(
    "/undo/{uuid:together}",
    response={200: schemas.UndoneOut, 403: ErrorOut, 404: ErrorOut, 409: ErrorOut, 503: ErrorOut},
    operation_id="review_undo",
)
def undo(request: HttpRequest, together: UUID) -> schemas.UndoneOut:
    """Take back what one said at once, of one case or of many."""
    return schemas.UndoneOut(cases=entries_undo(together=together, viewer=viewer(request)))


@router.get(
    "/{of}/cases",
    response={200: schemas.CasePageOut, 403: ErrorOut, 404: ErrorOut, 422: ErrorOut},
    operation_id="case_list",
)
def cases(request: HttpRequest, of: Of, wanted: Annotated[CaseQuery, Query()]) -> schemas.CasePageOut:
    """The cases that meet filters; ``of`` is an evaluation's id, or ``asked`` for what askers said is wrong."""
    return case_page(of=of, **wanted.asked(), offset=wanted.offset, limit=wanted.limit, viewer=viewer(request))


@router.get(
    "/{of}/agreement",
    response={200: schemas.ReviewAgreementOut, 403: ErrorOut, 404: ErrorOut},
    operation_id="review_agreement",
)
def agreement(request: HttpRequest, of: Of) -> schemas.ReviewAgreementOut:
    """How far reviewers agree with what is proposed."""
    return agreement_out(of=of, viewer=viewer(request))


@router.post(
    "/{of}/verdicts",
    response={200: schemas.SaidOut, 403: ErrorOut, 404: ErrorOut, 422: ErrorOut, 503: ErrorOut},
    operation_id="verdict_say_all",
)
def verdicts(request: HttpRequest, of: Of, payload: schemas.CasesVerdictIn) -> schemas.SaidOut:
    """Say the same of several cases."""
    together = verdicts_record(
        source=source_named(of, viewer(request)), keys=payload.keys, wanted=payload, viewer=viewer(request)
    )
    return schemas.SaidOut(together=together, cases=cases_said(together))


@router.get(
    "/{of}/cases/{key}",
    response={200: schemas.CaseOut, 403: ErrorOut, 404: ErrorOut, 422: ErrorOut},
    operation_id="case_get",
)
def case(request: HttpRequest, of: Of, key: Key, wanted: Annotated[CaseFilter, Query()]) -> schemas.CaseOut:
    """A case, with what is proposed and said, and the ones before and after it among those that meet filters."""
    return case_out(of=of, key=key, **wanted.asked(), viewer=viewer(request))


@router.post(
    "/{of}/cases/{key}/verdict",
    response={200: schemas.SaidOut, 403: ErrorOut, 404: ErrorOut, 422: ErrorOut, 503: ErrorOut},
    operation_id="verdict_say",
)
def verdict(request: HttpRequest, of: Of, key: Key, payload: schemas.VerdictIn) -> schemas.SaidOut:
    """Record the cause, write a comment, or assign the case to a reviewer."""
    together = verdicts_record(
        source=source_named(of, viewer(request)), keys=[key], wanted=payload, viewer=viewer(request)
    )
    return schemas.SaidOut(together=together, cases=cases_said(together))


@router.post(
    "/{of}/cases/{key}/hold", response={200: schemas.HeldOut, 403: ErrorOut, 404: ErrorOut}, operation_id="case_hold"
)
def hold(request: HttpRequest, of: Of, key: Key) -> schemas.HeldOut:
    """Say that one has a case open; others see it for five minutes, unless it is said again."""
    who = viewer(request)
    held = case_hold(source=source_named(of, who), key=key, viewer=who)
    other = held.held_by is not None and held.held_by != who.user
    return schemas.HeldOut(by="" if not other or held.held_by is None else held.held_by.display_name)


@router.post(
    "/{of}/cases/{key}/release",
    response={200: schemas.HeldOut, 403: ErrorOut, 404: ErrorOut},
    operation_id="case_release",
)
def release(request: HttpRequest, of: Of, key: Key) -> schemas.HeldOut:
    """Say that one has closed a case."""
    case_release(source=source_named(of, viewer(request)), key=key, viewer=viewer(request))
    return schemas.HeldOut(by="")


@router.get(
    "/{of}/cases/{key}/laid-over",
    response={200: schemas.LaidOverOut, 403: ErrorOut, 404: ErrorOut, 409: ErrorOut},
    operation_id="case_laid_over",
)
def laid_over(request: HttpRequest, of: Of, key: Key) -> schemas.LaidOverOut:
    """Gold and prediction as one structure, with what both have and what one has alone."""
    may_ensure(viewer(request), Action.REVIEW_CASES)
    thing = case_find(source_named(of, viewer(request)), key)
    if not isinstance(thing, EvaluatedQuestion):
        message = "This question has no corrected derivation yet."
        raise ProductError(409, "no_gold_derivation", message)
    return laid_over_out(thing)


@router.get(
    "/{of}/cases/{key}/annotation",
    response={200: list[schemas.AnnotationChoiceOut], 403: ErrorOut, 404: ErrorOut},
    operation_id="case_annotation_choices",
)
def choices(request: HttpRequest, of: Of, key: Key) -> list[schemas.AnnotationChoiceOut]:
    """The projects that a case can be labelled in."""
    return annotation_choices(source=source_named(of, viewer(request)), key=key, viewer=viewer(request))


@router.post(
    "/{of}/cases/{key}/annotation",
    response={
        200: schemas.SentToAnnotationOut,
        403: ErrorOut,
        404: ErrorOut,
        409: ErrorOut,
        422: ErrorOut,
        503: ErrorOut,
    },
    operation_id="case_to_annotation",
)
def to_annotation(
    request: HttpRequest, of: Of, key: Key, payload: schemas.ToAnnotationIn
) -> schemas.SentToAnnotationOut:
    """Have a case labelled, in a project that is offered or in a new one."""
    task = case_to_annotation(
        source=source_named(of, viewer(request)), key=key, project_id=payload.project, viewer=viewer(request)
    )
    return schemas.SentToAnnotationOut(task=task.pk, project=task.project_id)


def _against(evaluation: UUID | None) -> Evaluation | None:
    return None if evaluation is None else evaluation_get(evaluation_id=evaluation)
