"""Where cases come from: the questions of an evaluation, and runs whose answer a user called wrong."""

from __future__ import annotations

import json
import uuid
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from django.db.models import Q

from reasoning.evaluation.reporting.votes import agreement
from webapp.asking.feedback.models import Feedback, Says
from webapp.asking.runs.models import ReasoningRun
from webapp.evaluations.comparisons.standings import common_questions, questions_judged
from webapp.evaluations.models import EvaluatedQuestion, Evaluation
from webapp.evaluations.questions.traits import confused_relations
from webapp.evaluations.selectors import evaluation_with_gold
from webapp.platform.http.errors import ProductError
from webapp.review.models import Case
from webapp.review.queue import QueuedCase, shape_words, status_words, sureness_words
from webapp.review.verdicts import named

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from django.db.models import QuerySet

    from webapp.accounts.viewer import Viewer

ASKED = "asked"
"""The source of what askers said was wrong."""
Source: TypeAlias = "Evaluation | Literal['asked']"

_COLUMNS = (
    *("position", "question_id", "graph_gap", "right", "f1", "case", "cause", "blamed_stage", "relation", "domain"),
    *("leaves", "hops", "confidence", "dog_class"),
)
_EVALUATIONS_KEPT = 8


def source_named(of: str, viewer: Viewer) -> Source:
    """The source of an address.

    Raises:
        ProductError: there is none, or the gold of its dataset is hidden from the viewer.

    """
    if of == ASKED:
        return "asked"
    try:
        return evaluation_with_gold(evaluation_id=uuid.UUID(of), viewer=viewer)
    except ValueError:
        message = "There are no such cases. Choose an evaluation, or what askers said was wrong."
        raise ProductError(404, "unknown_source", message) from None


def queued_cases(
    source: Source,
    *,
    words: str,
    against: Evaluation | None,
    others: Sequence[Evaluation] = (),
    confused: bool = False,
) -> list[QueuedCase]:
    """All cases of a source that has them in its text; ``against`` is another evaluation of the same questions.

    With ``others``, it is reported how far all of them agree.

    ``confused`` tells which relation was taken for which, for which whole outcomes are read the first time.
    """
    return _asked(words) if source == "asked" else _evaluated(source, words, against, others, confused=confused)


def case_find(source: Source, key: str) -> EvaluatedQuestion | ReasoningRun:
    """What a case is of.

    Raises:
        ProductError: the source has no such case.

    """
    found: EvaluatedQuestion | ReasoningRun | None = None
    if source == "asked":
        if (pk := _uuid(key)) is not None:
            found = _wrong_runs().filter(pk=pk).select_related("question").first()
    elif (position := _position(key)) is not None:
        judged = source.questions.filter(position=position, judged_at__isnull=False)
        found = judged.select_related("evaluation", "dataset_question").first()
    if found is None:
        raise _unknown_case(key)
    return found


def cases_locked(source: Source, keys: Collection[str]) -> list[Case]:
    """The cases of some keys, created if missing; no one else changes them in this transaction.

    Raises:
        ProductError: the source has no such case.

    """
    things: dict[str, uuid.UUID | int]
    if source == "asked":
        runs = _wrong_runs().filter(pk__in=[pk for key in keys if (pk := _uuid(key)) is not None])
        field, things = "run", {str(pk): pk for pk in runs.values_list("pk", flat=True)}
    else:
        positions = [position for key in keys if (position := _position(key)) is not None]
        judged = source.questions.filter(position__in=positions, judged_at__isnull=False).order_by()
        field, things = "question", {str(position): pk for position, pk in judged.values_list("position", "pk")}
    wanted = [things[key] for key in keys if key in things]
    if len(wanted) < len(keys):
        raise _unknown_case(min(key for key in keys if key not in things))
    Case.objects.bulk_create([Case(**{f"{field}_id": pk}) for pk in wanted], ignore_conflicts=True)
    return list(Case.objects.select_for_update().filter(**{f"{field}__in": wanted}).order_by("pk"))


def case_of(thing: EvaluatedQuestion | ReasoningRun) -> Case:
    """The case of a question or run, created if missing."""
    by = {"question": thing} if isinstance(thing, EvaluatedQuestion) else {"run": thing}
    return Case.objects.get_or_create(**by)[0]


def _unknown_case(key: str) -> ProductError:
    return ProductError(404, "unknown_case", "There is no such case. Choose one of the list.", key=key)


def _evaluated(
    evaluation: Evaluation, words: str, against: Evaluation | None, others: Sequence[Evaluation], *, confused: bool
) -> list[QueuedCase]:
    causes = json.dumps((evaluation.figures or {}).get("causes"), sort_keys=True)
    rows = _judged(evaluation.pk, evaluation.done, causes)
    if words.split():
        having = _having(evaluation, words)
        rows = [row for row in rows if row.case.place in having]
    cases = [row.case for row in rows]
    at = {case.place: index for index, case in enumerate(cases)}
    touched = Case.objects.filter(question__evaluation=evaluation).exclude(last=0).order_by()
    for position, says, cause, assignee in touched.values_list(
        "question__position", "says", "cause", "assignee__username"
    ):
        if (index := at.get(position)) is not None:
            case = cases[index]
            cases[index] = case._replace(
                status=status_words(says), says=says, named=named(case.cause, says, cause), assignee=assignee or ""
            )
    if against is not None:
        there = against.questions.filter(right__isnull=False).order_by()
        theirs = {name: bool(right) for name, right in there.values_list("question_id", "right")}
        cases = [
            case._replace(other=_compared(right=case.result != "wrong", other=theirs.get(row.question_id)))
            for case, row in zip(cases, rows, strict=True)
        ]
    if others:
        agreed = _agreement([evaluation, *others])
        cases = [
            case._replace(agreement=agreed.get(row.question_id, "")) for case, row in zip(cases, rows, strict=True)
        ]
    if confused:
        pairs = confused_relations(evaluation)
        cases = [
            case._replace(confused="" if row.gap else pairs.get(case.place, ""))
            for case, row in zip(cases, rows, strict=True)
        ]
    return cases


def _agreement(evaluations: Sequence[Evaluation]) -> Mapping[str, str]:
    """How far evaluations agree on each question that all have judged, by its id in the dataset."""
    judged = [questions_judged(each.pk, each.done) for each in dict.fromkeys(evaluations)]
    if len(judged) < 2:  # noqa: PLR2004 - agreement needs two
        return {}
    return {id_: agreement([held[id_].answered for held in judged]).value for id_ in common_questions(judged)}


class _Judged(NamedTuple):
    """A judged question, before anybody said anything of it."""

    question_id: str
    gap: bool
    case: QueuedCase


@lru_cache(maxsize=_EVALUATIONS_KEPT)
def _judged(evaluation_id: uuid.UUID, _done: int, _causes: str) -> Sequence[_Judged]:
    """What is kept is read again once more questions are done, or causes were recorded."""
    rows = EvaluatedQuestion.objects.filter(evaluation=evaluation_id, right__isnull=False).order_by("position")
    return [_judged_of(*row) for row in rows.values_list(*_COLUMNS)]


def _judged_of(
    position: int,
    question_id: str,
    gap: bool | None,  # noqa: FBT001 - as above
    right: bool,  # noqa: FBT001 - as above
    f1: float,
    error_class: str,
    cause: str,
    stage: str,
    relation: str,
    domain: str,
    leaves: int | None,
    hops: int | None,
    confidence: float | None,
    dog_class: str,
) -> _Judged:
    case = QueuedCase(
        key=str(position),
        place=position,
        result="right" if f1 == 1 else "partly right" if right else "wrong",
        error_class=error_class,
        dog_class=dog_class,
        cause=cause,
        stage=stage,
        relation=relation,
        domain=domain,
        shape=shape_words(leaves, hops),
        sureness=sureness_words(confidence),
        confidence=confidence,
        f1=f1,
    )
    return _Judged(question_id, bool(gap), case)


def _having(evaluation: Evaluation, words: str) -> set[int]:
    """The positions of the questions that have all words in their text or id."""
    found = evaluation.questions.filter(right__isnull=False).order_by()
    for word in words.split():
        found = found.filter(Q(text__icontains=word) | Q(question_id__icontains=word))
    return set(found.values_list("position", flat=True))


def _compared(*, right: bool, other: bool | None) -> str:
    if other is None:
        return ""
    if right == other:
        return "both right" if right else "both wrong"
    return "right here only" if right else "right there only"


def _wrong_runs() -> QuerySet[ReasoningRun]:
    said = Feedback.objects.filter(current=True, says=Says.WRONG).values("run")
    return ReasoningRun.objects.filter(pk__in=said)


def _asked(words: str) -> list[QueuedCase]:
    found = _wrong_runs()
    for word in words.split():
        found = found.filter(question__text__icontains=word)
    columns = ("pk", "review__says", "review__cause", "review__assignee__username")
    rows = enumerate(found.order_by("-created_at").values_list(*columns), start=1)
    return [
        QueuedCase(
            *(str(pk), place, "wrong"),
            status=status_words(says or ""),
            says=says or "",
            named=named("", says or "", cause or ""),
            assignee=assignee or "",
        )
        for place, (pk, says, cause, assignee) in rows
    ]


def _uuid(key: str) -> uuid.UUID | None:
    try:
        return uuid.UUID(key)
    except ValueError:
        return None


def _position(key: str) -> int | None:
    return int(key) if key.isascii() and key.isdigit() and len(key) < len(str(2**31)) else None
