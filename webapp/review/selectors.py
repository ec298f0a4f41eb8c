"""Reads of cases."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from django.db.models import Count
from django.utils import timezone

from reasoning.evaluation.judging.settings import EvaluationSettings
from webapp.accounts.models import Role, User
from webapp.accounts.permissions import Action, may, may_ensure
from webapp.asking.feedback.models import Feedback
from webapp.asking.feedback.models import Says as AskerSays
from webapp.asking.runs.models import ReasoningRun
from webapp.evaluations.models import EvaluatedQuestion, Evaluation
from webapp.review import schemas
from webapp.review.annotation import label_out
from webapp.review.evidence import proposed_of
from webapp.review.models import Case, Entry, View
from webapp.review.queue import find, neighbours, next_open
from webapp.review.sources import ASKED, case_find, queued_cases, source_named
from webapp.review.verdicts import agreement

if TYPE_CHECKING:
    import uuid
    from collections.abc import Sequence

    from django.db.models import QuerySet

    from reasoning.run.diagnosis import DogClass
    from webapp.accounts.viewer import Viewer
    from webapp.evaluations.schemas import Case as ErrorClass
    from webapp.review.queue import Filters, Found, QueuedCase, Sort
    from webapp.review.sources import Source

VALUES_LISTED = 40
"""Maximum of values of a filter that are listed, the most frequent first."""
KEYS_LISTED = 1_000
NAMES_SHOWN = 3
NAMES_OF_ONE = 30
SOURCES_LISTED = 50


def cases_said(together: uuid.UUID) -> int:
    """How many cases something changed that was said at once."""
    return Entry.objects.filter(together=together).count()


def evaluation_title(evaluation: Evaluation) -> str:
    """What a source of cases is called."""
    strategy = EvaluationSettings.from_earlier(evaluation.switches).strategy
    return f"{evaluation.scorer}, {strategy}, {evaluation.dataset}"


def home_out(*, viewer: Viewer) -> schemas.ReviewHomeOut:
    """What there is to review.

    Raises:
        ProductError: the viewer may not.

    """
    may_ensure(viewer, Action.REVIEW_CASES)
    judged = Evaluation.objects.filter(done__gt=0)
    evaluations = list(judged.order_by("-created_at")[:SOURCES_LISTED])
    questions = EvaluatedQuestion.objects.filter(evaluation__in=evaluations, right__isnull=False).order_by()
    wrong = dict(questions.filter(f1__lt=1).values("evaluation").annotate(n=Count("pk")).values_list("evaluation", "n"))
    said = Case.objects.filter(question__evaluation__in=evaluations, question__f1__lt=1).exclude(says="").order_by()
    reviewed = dict(
        said.values("question__evaluation").annotate(n=Count("pk")).values_list("question__evaluation", "n")
    )
    asked = queued_cases("asked", words="", against=None)
    sources = (
        [
            schemas.ReviewSourceOut(
                of=ASKED,
                title="What askers said is wrong",
                note="",
                cases=len(asked),
                reviewed=sum(bool(case.says) for case in asked),
                created_at=None,
            )
        ]
        if asked
        else []
    )
    sources += [
        schemas.ReviewSourceOut(
            of=str(each.pk),
            title=evaluation_title(each),
            note=each.note,
            cases=wrong.get(each.pk, 0),
            reviewed=reviewed.get(each.pk, 0),
            created_at=each.created_at,
        )
        for each in evaluations
    ]
    views = View.objects.select_related("maker").order_by("name")
    return schemas.ReviewHomeOut(
        sources=sources,
        total=judged.count() + bool(asked),
        views=[view_out(each, viewer=viewer) for each in views],
    )


def view_out(view: View, *, viewer: Viewer) -> schemas.ReviewViewOut:
    """A kept filter."""
    own = view.maker_id is not None and viewer.user is not None and view.maker_id == viewer.user.pk
    return schemas.ReviewViewOut(
        id=view.pk,
        name=view.name,
        query=view.query,
        maker="" if view.maker is None else view.maker.display_name,
        may_change=own or may(viewer, Action.MANAGE_PEOPLE),
    )


def reviewers_out(*, viewer: Viewer) -> list[schemas.ReviewerOut]:
    """Everybody who reviews.

    Raises:
        ProductError: the viewer may not.

    """
    may_ensure(viewer, Action.REVIEW_CASES)
    people = User.objects.filter(role__in=(Role.REVIEWER, Role.ADMIN), is_active=True).order_by("username")
    return [schemas.ReviewerOut(username=person.username, name=person.display_name) for person in people]


def case_page(
    *,
    of: str,
    words: str,
    filters: Filters,
    sort: Sort,
    against: Evaluation | None,
    beside: Sequence[Evaluation],
    offset: int,
    limit: int,
    viewer: Viewer,
) -> schemas.CasePageOut:
    """Some of the cases that meet filters, and how many meet each other choice.

    Raises:
        ProductError: the viewer may not, or there is no such source.

    """
    may_ensure(viewer, Action.REVIEW_CASES)
    source = source_named(of, viewer)
    everything = _queued(source, words, filters, against, beside)
    found = find(everything, filters, sort)
    page = found.cases[offset : offset + limit]
    return schemas.CasePageOut(
        title="What askers said is wrong" if source == "asked" else evaluation_title(source),
        note="" if source == "asked" else source.note,
        cases=_rows(source, page, viewer),
        total=len(found.cases),
        all=len(everything),
        facets=_facets(found, filters),
        keys=[case.key for case in found.cases[:KEYS_LISTED]],
    )


def _queued(
    source: Source, words: str, filters: Filters, against: Evaluation | None, others: Sequence[Evaluation]
) -> list[QueuedCase]:
    confused = bool(filters.get("confused"))
    return queued_cases(source, words=words, against=against, others=others, confused=confused)


def case_out(
    *,
    of: str,
    key: str,
    words: str,
    filters: Filters,
    sort: Sort,
    against: Evaluation | None,
    beside: Sequence[Evaluation],
    viewer: Viewer,
) -> schemas.CaseOut:
    """A case, and what comes before and after it among those that meet filters.

    Raises:
        ProductError: the viewer may not, or there is no such case.

    """
    may_ensure(viewer, Action.REVIEW_CASES)
    source = source_named(of, viewer)
    thing = case_find(source, key)
    found = find(_queued(source, words, filters, against, beside), filters, sort)
    place, previous, following = neighbours(found.cases, key)
    placed: dict[str, Any] = {"place": place, "total": len(found.cases), "previous": previous, "next": following}
    placed["next_open"] = next_open(found.cases, key)
    shown = _of_question(thing) if isinstance(thing, EvaluatedQuestion) else _of_run(thing)
    by = {"question": thing} if isinstance(thing, EvaluatedQuestion) else {"run": thing}
    case = Case.objects.select_related("assignee", "reviewer", "held_by", "task__project").filter(**by).first()
    return schemas.CaseOut(key=key, of=of, **shown, **_said(case, viewer), **placed)


def agreement_out(*, of: str, viewer: Viewer) -> schemas.ReviewAgreementOut:
    """How far reviewers agree with what is proposed of the cases of a source.

    Raises:
        ProductError: the viewer may not, or there is no such source.

    """
    may_ensure(viewer, Action.REVIEW_CASES)
    source = source_named(of, viewer)
    said = Case.objects.none() if source == "asked" else Case.objects.filter(question__evaluation=source)
    count, kappa, table = agreement(said.values_list("question__cause", "says", "cause"))
    return schemas.ReviewAgreementOut(
        cases=count,
        kappa=kappa,
        table=[schemas.AgreementCellOut(proposed=first, said=second, cases=cases) for first, second, cases in table],
    )


def _facets(found: Found, filters: Filters) -> list[schemas.FacetOut]:
    facets = []
    for name, counts in found.counts.items():
        # What is chosen stays there to be taken back, though no case has it.
        values = dict(
            [*counts.most_common(VALUES_LISTED), *((value, counts[value]) for value in filters.get(name, ()))]
        )
        listed = [schemas.FacetValueOut(value=value, count=count) for value, count in values.items()]
        if listed:
            facets.append(schemas.FacetOut(name=name, values=listed, total=len(counts)))
    return facets


def _rows(source: Source, page: Sequence[QueuedCase], viewer: Viewer) -> list[schemas.CaseRowOut]:
    keys = [case.key for case in page]
    if source == "asked":
        texts = {
            str(pk): text for pk, text in ReasoningRun.objects.filter(pk__in=keys).values_list("pk", "question__text")
        }
        touched = {str(case.run_id): case for case in _touched().filter(run__pk__in=keys)}
    else:
        rows = source.questions.filter(position__in=keys).values_list("position", "text")
        texts = {str(position): text for position, text in rows}
        cases = _touched().filter(question__evaluation=source, question__position__in=keys).select_related("question")
        touched = {str(case.question.position): case for case in cases if case.question is not None}
    return [_row(case, texts[case.key], touched.get(case.key), viewer) for case in page if case.key in texts]


def _touched() -> QuerySet[Case]:
    return Case.objects.select_related("assignee", "held_by", "reviewer")


def _row(case: QueuedCase, text: str, touched: Case | None, viewer: Viewer) -> schemas.CaseRowOut:
    return schemas.CaseRowOut(
        key=case.key,
        text=text,
        result=case.result,
        error_class=cast("ErrorClass | None", case.error_class or None),
        dog_class=cast("DogClass | None", case.dog_class or None),
        cause=case.cause,
        confidence=case.confidence,
        says=cast("schemas.Says | None", case.says or None),
        said_cause="" if touched is None else touched.cause,
        reviewer="" if touched is None or touched.reviewer is None else touched.reviewer.display_name,
        assignee="" if touched is None or touched.assignee is None else touched.assignee.display_name,
        held_by=_held_by(touched, viewer),
    )


def _held_by(case: Case | None, viewer: Viewer) -> str:
    """Who else is at a case now, by name."""
    if case is None or case.held_by is None or case.held_until is None or case.held_until < timezone.now():
        return ""
    return "" if case.held_by == viewer.user else case.held_by.display_name


def _of_question(row: EvaluatedQuestion) -> dict[str, Any]:
    outcome, evaluation = row.outcome or {}, row.evaluation
    return {
        "position": row.position,
        "text": row.text,
        "question_id": row.question_id,
        "result": "right" if row.f1 == 1 else "partly right" if row.right else "wrong",
        "gold": outcome.get("gold_labels", [])[:NAMES_OF_ONE],
        "gold_total": len(outcome.get("gold", [])),
        "predicted": outcome.get("predicted_labels", [])[:NAMES_OF_ONE],
        "predicted_total": outcome.get("predicted_total", 0),
        "expected": [],
        "scorer": evaluation.scorer,
        "strategy": EvaluationSettings.from_earlier(evaluation.switches).strategy,
        "graph_title": evaluation.graph_title,
        "run": row.run_id,
        "proposed": proposed_of(row),
    }


def _of_run(run: ReasoningRun) -> dict[str, Any]:
    said = Feedback.objects.filter(run=run, current=True, says=AskerSays.WRONG).exclude(expected="")
    nothing = schemas.ProposedOut(
        error_class=None,
        dog_class=None,
        dog_why="",
        cause="",
        stage=None,
        number=None,
        chosen=None,
        wanted=[],
        options=None,
        missing=None,
    )
    return {
        "position": None,
        "text": run.question.text,
        "question_id": "",
        "result": "wrong",
        "gold": [],
        "gold_total": 0,
        "predicted": run.answers,
        "predicted_total": len(run.answers),
        "expected": list(said.order_by("pk").values_list("expected", flat=True)),
        "scorer": run.scorer,
        "strategy": run.strategy,
        "graph_title": run.graph_title,
        "run": run.pk,
        "proposed": nothing,
    }


def _said(case: Case | None, viewer: Viewer) -> dict[str, Any]:
    if case is None:
        nothing = {"says": None, "cause": "", "comment": "", "assignee": "", "reviewer": ""}
        return {**nothing, "history": [], "label": None, "held_by": ""}
    entries = Entry.objects.filter(case=case).select_related("who").order_by("-number")
    people = dict(
        User.objects.filter(
            pk__in=[each.now["assignee_id"] for each in entries if each.now.get("assignee_id")]
        ).values_list("pk", "username")
    )
    return {
        "says": case.says or None,
        "cause": case.cause,
        "comment": case.comment,
        "assignee": "" if case.assignee is None else case.assignee.username,
        "reviewer": "" if case.reviewer is None else case.reviewer.display_name,
        "history": [
            schemas.ReviewEntryOut(
                who="" if each.who is None else each.who.display_name,
                at=each.at,
                says=each.now.get("says"),
                cause=each.now.get("cause"),
                comment=each.now.get("comment"),
                assignee=people.get(each.now["assignee_id"], "") if "assignee_id" in each.now else None,
                undone=each.undoes is not None,
                together=each.together,
            )
            for each in entries
        ],
        "label": label_out(case),
        "held_by": _held_by(case, viewer),
    }
