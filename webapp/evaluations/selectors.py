"""Reads of evaluations."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypedDict, cast

from django.db.models import (
    Avg,
    Case,
    Count,
    Exists,
    F,
    FloatField,
    Func,
    OuterRef,
    Q,
    QuerySet,
    TextField,
    Value,
    When,
)
from django.db.models.fields.json import KT
from django.db.models.functions import Cast

from reasoning.evaluation.judging.outcome import Outcome
from reasoning.evaluation.judging.settings import EvaluationSettings
from reasoning.evaluation.predictions.written_predictions import prediction_notes, predictions_json
from reasoning.evaluation.reporting.full_report import full_figures
from reasoning.evaluation.reporting.report import csv_rows
from reasoning.events import UNANSWERED
from webapp import engine
from webapp.accounts.permissions import Action, may
from webapp.asking.runs.selectors import stage_events
from webapp.datasets.gold import gold_ensure, gold_hidden
from webapp.evaluations.models import EvaluatedQuestion, Evaluation, JudgedDecisions
from webapp.evaluations.questions.traits import with_traits
from webapp.evaluations.schemas import (
    BinOut,
    ComparedOut,
    ComparisonOut,
    EvaluatedQuestionOut,
    EvaluatedQuestionPageOut,
    EvaluationDetailOut,
    EvaluationFilter,
    EvaluationOut,
    EvaluationPageOut,
    FiguresOut,
    JudgedPredictionsOut,
    LabelOut,
    ManifestOut,
    PlacedQuestionOut,
    QuestionFilter,
    RefusedQuestionOut,
    SeenInTrainingOut,
    SwitchesIn,
)
from webapp.health.readiness import no_worker_reason
from webapp.platform.http.errors import ProductError
from webapp.platform.http.heavy_reads import kept_read
from webapp.platform.work.queues import Queue

if TYPE_CHECKING:
    import uuid
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from django.db.backends.base.base import BaseDatabaseWrapper
    from django.db.models.sql.compiler import SQLCompiler

    from reasoning.datasets.question import ComparedBy
    from reasoning.evaluation.judging.cases import Case as ErrorCase
    from reasoning.evaluation.judging.outcome import Verdict
    from reasoning.evaluation.judging.settings import Topics
    from reasoning.run.diagnosis import DogClass
    from webapp.accounts.viewer import Viewer
    from webapp.evaluations.schemas import Order

NAMES_SHOWN = 3
"""Maximum of answers of a question in a list."""
NAMES_OF_ONE = 30
"""Maximum of answers of a question that is shown alone."""
LABEL_VALUES = 60
"""A label with more values tells questions apart rather than sorting them, and is no filter."""
F1_BOUNDS = (0.0, 1e-9, 0.25, 0.5, 0.75, 1.0)
"""Where the bins of F1 begin: nothing right and all right have one each."""
_ROWS_AT_ONCE = 100
_COMPARISONS_KEPT = 256
"""The number of comparisons whose figures a process keeps."""
_LABELS_KEPT = 256
"""Number of evaluations whose labels a process caches, as they are polled."""


class _Sums(TypedDict):
    right: float | None
    """The share of right answers; None where nothing was judged, like the next."""
    f1: float | None


class _Label(Func):
    """The value of a label by its exact name; written as a path of JSON, ``0`` and ``a"b`` would be no names."""

    template = "(%(expressions)s)"
    arg_joiner = " ->> "
    arity = 2
    output_field: TextField[str, str] = TextField()

    def as_sqlite(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper, **_: Any) -> tuple[str, Any]:
        """The same where ``->>`` takes a path."""
        template = "(SELECT each_label.value FROM json_each(%(expressions)s)"
        joiner = ") AS each_label WHERE each_label.key = "
        return self.as_sql(compiler, connection, template=template, arg_joiner=joiner)


def evaluation_get(*, evaluation_id: uuid.UUID) -> Evaluation:
    """The evaluation; everybody may look.

    Raises:
        ProductError: there is none.

    """
    evaluation = Evaluation.objects.select_related("starter", "snapshot").filter(pk=evaluation_id).first()
    if evaluation is None:
        raise ProductError(404, "unknown_evaluation", "There is no such evaluation. Choose one of the list.")
    return evaluation


def evaluation_with_gold(*, evaluation_id: uuid.UUID, viewer: Viewer) -> Evaluation:
    """The evaluation, for a viewer who may see the outcomes of single questions, which reveal their answers.

    Raises:
        ProductError: there is none, or the gold of its dataset is hidden from them.

    """
    evaluation = evaluation_get(evaluation_id=evaluation_id)
    gold_ensure(viewer=viewer, name=evaluation.dataset, dataset=evaluation.snapshot)
    return evaluation


def evaluation_list(*, wanted: EvaluationFilter, offset: int, limit: int, may_manage: bool) -> EvaluationPageOut:
    """The evaluations that meet a filter, newest first."""
    everything = Evaluation.objects.select_related("starter", "snapshot")
    found = _found(everything, wanted)
    page = list(found.order_by("-created_at")[offset : offset + limit])
    sums = _sums(page)
    return EvaluationPageOut(
        evaluations=[EvaluationOut(**_row(each, sums[each.pk], may_manage=may_manage)) for each in page],
        total=found.count(),
        all=everything.count(),
        datasets=_distinct("dataset"),
        groups=_distinct("group"),
        may_manage=may_manage,
    )


def evaluation_manifest(evaluation: Evaluation) -> ManifestOut:
    """What an evaluation was made with.

    Raises:
        ProductError: it did not begin yet, or was made before manifests were kept.

    """
    if evaluation.manifest is None:
        message = "It is not known what this evaluation was made with: it did not begin yet, or is an old one."
        raise ProductError(404, "no_manifest", message)
    return ManifestOut(**{"resumed": [], **evaluation.manifest, "predictions": _predictions(evaluation)})


def evaluation_out(evaluation: Evaluation, *, may_manage: bool) -> EvaluationOut:
    """An evaluation as a row of the list."""
    return EvaluationOut(**_row(evaluation, _sums([evaluation])[evaluation.pk], may_manage=may_manage))


def evaluation_detail(evaluation: Evaluation, *, viewer: Viewer) -> EvaluationDetailOut:
    """An evaluation with its figures."""
    may_manage = may(viewer, Action.MANAGE_EVALUATIONS)
    return EvaluationDetailOut(
        **_row(evaluation, _sums([evaluation])[evaluation.pk], may_manage=may_manage),
        gold_hidden=gold_hidden(viewer=viewer, name=evaluation.dataset, dataset=evaluation.snapshot),
        predictions=_predictions(evaluation),
        has_manifest=evaluation.manifest is not None,
        figures=None if evaluation.figures is None else FiguresOut.model_validate(evaluation.figures),
        figures_of=evaluation.figures_of,
        left_out=evaluation.left_out,
        refused=[RefusedQuestionOut(**each) for each in evaluation.refused],
        seen_in_training=None
        if evaluation.seen_in_training is None
        else SeenInTrainingOut(**evaluation.seen_in_training),
        fingerprint=evaluation.fingerprint,
        compared_by=cast("ComparedBy | None", evaluation.compared_by or None),
        labels=[] if evaluation.total is None else list(_labels(evaluation.pk)),
        f1_bins=_f1_bins(evaluation),
    )


def _predictions(evaluation: Evaluation) -> JudgedPredictionsOut | None:
    if evaluation.predictions is None:
        return None
    shown = {"questions": None, "matched": None, "repeated": None, "fields": [], **evaluation.predictions}
    matched, fields = shown["matched"], shown["fields"]
    notes = []
    if matched is not None and evaluation.total is not None:
        f1 = None if evaluation.figures is None else evaluation.figures["all"]["macro_f1"]
        notes = prediction_notes(fields, asked=evaluation.total, matched=matched, f1=f1)
    return JudgedPredictionsOut(**shown, notes=notes)


def _found(everything: QuerySet[Evaluation], wanted: EvaluationFilter) -> QuerySet[Evaluation]:
    found = everything
    for name in ("dataset", "group"):
        if value := getattr(wanted, name):
            found = found.filter(**{name: value})
    if wanted.starred:
        found = found.filter(starred=True)
    for word in wanted.search.split():
        places = [f"{name}__icontains" for name in ("note", "scorer", "dataset", "graph_title", "group")]
        met = Q(switches__strategy__icontains=word)
        for place in places:
            met |= Q(**{place: word})
        found = found.filter(met)
    return found


def _distinct(name: str) -> list[str]:
    """The values of a column that are not empty, in order."""
    values = Evaluation.objects.exclude(**{name: ""}).order_by(name).values_list(name, flat=True).distinct()
    return list(values)


def evaluation_figures(*, evaluation: Evaluation) -> tuple[dict[str, Any], int]:
    """The figures of what was judged so far, and of how many outcomes they are."""
    outcomes = list(_outcomes(evaluation))
    return full_figures(outcomes, topics=_topics(evaluation), graph=evaluation.graph_title), len(outcomes)


def evaluation_graph_changed(evaluation: Evaluation) -> str:
    """What to say where the graph is not the one that the evaluation began with."""
    if not evaluation.graph:
        return ""
    if engine.graph(evaluation.graph).info().version == evaluation.graph_version:
        return ""
    return f"The graph “{evaluation.graph_title}” was loaded again since this began. Start a new evaluation."


def outcome_table(evaluation: Evaluation) -> Iterator[list[str]]:
    """What was judged so far as the rows of a table, the first of which is its head."""
    return csv_rows(_outcomes(evaluation), topics=_topics(evaluation), graph=evaluation.graph_title)


def outcome_predictions(evaluation: Evaluation) -> Iterator[str]:
    """What was predicted so far, as the parts of one JSON document."""
    return predictions_json(_outcomes(evaluation))


def outcome_documents(evaluation: Evaluation) -> Iterator[dict[str, Any]]:
    """What was judged so far as JSON, in the order of the dataset."""
    judged = evaluation.questions.filter(judged_at__isnull=False).order_by("position")
    last = -1
    # No query stays open between two parts: a slow download would block the database.
    while rows := list(judged.filter(position__gt=last).values_list("position", "outcome")[:_ROWS_AT_ONCE]):
        yield from (outcome for _, outcome in rows if outcome is not None)
        last = rows[-1][0]


def question_page(
    *, evaluation: Evaluation, wanted: QuestionFilter, against: Evaluation | None, offset: int, limit: int
) -> EvaluatedQuestionPageOut:
    """Some of the questions that meet a filter, with their outcomes in another evaluation."""
    found = questions_filtered(evaluation, wanted, against)
    rows = list(_ordered(found, wanted.order)[offset : offset + limit])
    others = _judged_by(against, rows)
    return EvaluatedQuestionPageOut(
        questions=[_question_out(row, others.get(row.question_id), NAMES_SHOWN) for row in rows],
        total=found.count(),
        all=evaluation.questions.count(),
    )


def placed_question(
    *, evaluation: Evaluation, position: int, wanted: QuestionFilter, against: Evaluation | None
) -> PlacedQuestionOut:
    """A question with its neighbours among those that meet a filter, in the order of the filter.

    Raises:
        ProductError: there is none at this position.

    """
    row = question_get(evaluation=evaluation, position=position)
    other = _judged_by(against, [row]).get(row.question_id)
    found = list(
        _ordered(questions_filtered(evaluation, wanted, against), wanted.order).values_list("position", flat=True)
    )
    index = found.index(position) if position in found else None
    return PlacedQuestionOut(
        question=_question_out(row, other, NAMES_OF_ONE),
        place=None if index is None else index + 1,
        total=len(found),
        previous=found[index - 1] if index else None,
        next=None if index is None or index + 1 == len(found) else found[index + 1],
    )


def question_get(*, evaluation: Evaluation, position: int) -> EvaluatedQuestion:
    """A question of an evaluation.

    Raises:
        ProductError: there is none at this position.

    """
    question = evaluation.questions.select_related("run").filter(position=position).first()
    if question is None:
        message = f"This evaluation has no question {position}. Choose one of the list."
        raise ProductError(404, "unknown_question", message, position=position)
    return question


def outcome_with_events(row: EvaluatedQuestion) -> Outcome:
    """The outcome of a judged question, with the events of its run as far as they were kept."""
    kept = JudgedDecisions.objects.filter(question=row).first()
    shown = () if kept is None else tuple(stage_events(kept.events))
    return replace(Outcome.from_json(row.outcome or {}), emitted=shown)


def questions_filtered(
    evaluation: Evaluation, wanted: QuestionFilter, against: Evaluation | None
) -> QuerySet[EvaluatedQuestion]:
    """The questions of an evaluation that meet a filter, with their outcomes in another evaluation."""
    found = with_traits(evaluation.questions.all(), evaluation, wanted)
    exact = {
        "case": wanted.case,
        "dog_class": wanted.dog_class,
        "right": wanted.right,
        "verdict": wanted.verdict if wanted.verdict != "unanswered" else None,
        "verdict__in": sorted(UNANSWERED) if wanted.verdict == "unanswered" else None,
        "leaves": wanted.leaves,
        "hops": wanted.hops,
        "graph_gap": wanted.graph_gap,
        "answerable": wanted.answerable,
        "seen": wanted.seen,
        "f1__gte": wanted.f1_from,
        "f1__lt": wanted.f1_below,
    }
    found = found.filter(**{name: value for name, value in exact.items() if value is not None})
    if wanted.label:
        name, _, value = wanted.label.partition("=")
        found = found.annotate(label=_Label("labels", Cast(Value(name), TextField()))).filter(label=value)
    if words := wanted.search.strip():
        found = found.filter(Q(text__icontains=words) | Q(question_id__icontains=words))
    if against is not None and wanted.changed is not None:
        same = against.questions.filter(question_id=OuterRef("question_id"), judged_at__isnull=False)
        only_this = Q(Exists(same.filter(right=False)), right=True)
        only_other = Q(Exists(same.filter(right=True)), right=False)
        other_answers = same.annotate(predicted=KT("outcome__predicted")).exclude(predicted=OuterRef("predicted"))
        answers = Q(Exists(other_answers))
        found = found.annotate(predicted=KT("outcome__predicted"))
        chosen = {"only_this": only_this, "only_other": only_other, "any": only_this | only_other, "answers": answers}
        found = found.filter(chosen[wanted.changed])
    return found


def comparison(*, first: Evaluation, second: Evaluation, viewer: Viewer) -> ComparisonOut:
    """Two evaluations over the questions that both have judged."""
    return ComparisonOut(
        first=evaluation_detail(first, viewer=viewer),
        second=evaluation_detail(second, viewer=viewer),
        **_compared_figures(first.judged_key, second.judged_key),
    )


@kept_read(most=_COMPARISONS_KEPT)
def _compared_figures(first_key: tuple[uuid.UUID, int], second_key: tuple[uuid.UUID, int]) -> dict[str, Any]:
    """The counts and shares of `ComparisonOut`."""
    first, second = (EvaluatedQuestion.objects.filter(evaluation=key[0]).order_by() for key in (first_key, second_key))
    same = second.filter(question_id=OuterRef("question_id"), judged_at__isnull=False)
    common = first.filter(Exists(same), judged_at__isnull=False)
    mirrored = second.filter(
        Exists(first.filter(question_id=OuterRef("question_id"), judged_at__isnull=False)),
        judged_at__isnull=False,
    )
    there, not_there = Q(Exists(same.filter(right=True))), Q(Exists(same.filter(right=False)))
    counts = common.aggregate(
        common=Count("pk"),
        both_right=Count("pk", filter=there & Q(right=True)),
        both_wrong=Count("pk", filter=not_there & Q(right=False)),
        only_first=Count("pk", filter=not_there & Q(right=True)),
        only_second=Count("pk", filter=there & Q(right=False)),
    )
    shares = {
        f"{name}_{figure}": value
        for name, rows in (("first", common), ("second", mirrored))
        for figure, value in rows.aggregate(right=_share_right(), f1=Avg("f1")).items()
    }
    return {**counts, **shares}


def _outcomes(evaluation: Evaluation) -> Iterator[Outcome]:
    for document in outcome_documents(evaluation):
        yield Outcome.from_json(document)


def _topics(evaluation: Evaluation) -> Topics:
    return EvaluationSettings.from_earlier(evaluation.switches).topics


def _sums(evaluations: Sequence[Evaluation]) -> dict[uuid.UUID, _Sums]:
    """The shares of each evaluation so far, by one query for all of them, which reads an index and no row."""
    judged = EvaluatedQuestion.objects.filter(evaluation__in=evaluations, right__isnull=False).order_by()
    found = judged.values("evaluation").annotate(share=_share_right(), mean=Avg("f1"))
    sums = {each.pk: _Sums(right=None, f1=None) for each in evaluations}
    sums.update((row["evaluation"], _Sums(right=row["share"], f1=row["mean"])) for row in found)
    return sums


def _row(evaluation: Evaluation, sums: _Sums, *, may_manage: bool) -> dict[str, Any]:
    return {
        "id": evaluation.pk,
        "note": evaluation.note,
        "group": evaluation.group,
        "starred": evaluation.starred,
        "dataset": evaluation.dataset,
        "snapshot": evaluation.snapshot_id,
        "version": None if evaluation.snapshot is None else evaluation.snapshot.version,
        "format": evaluation.format,
        "split": evaluation.split,
        "limit": evaluation.limit,
        "graph": evaluation.graph,
        "graph_title": evaluation.graph_title,
        "graph_version": evaluation.graph_version,
        "scorer": evaluation.scorer,
        "other_system": evaluation.predictions is not None,
        "settings": SwitchesIn(**EvaluationSettings.from_earlier(evaluation.switches).to_json()),
        "status": evaluation.status,
        "reason": evaluation.reason if evaluation.is_over else "",
        "waits": None if evaluation.is_over else _waits(evaluation),
        "total": evaluation.total,
        "done": evaluation.done,
        **sums,
        "starter": None if evaluation.starter is None else evaluation.starter.display_name,
        "created_at": evaluation.created_at,
        "started_at": evaluation.started_at,
        "finished_at": evaluation.finished_at,
        "may_manage": may_manage,
    }


def _waits(evaluation: Evaluation) -> str | None:
    return no_worker_reason(Queue(evaluation.queue)) or evaluation.reason or None


def _share_right() -> Avg:
    return Avg(Case(When(right=True, then=Value(1.0)), default=Value(0.0), output_field=FloatField()))


@lru_cache(maxsize=_LABELS_KEPT)
def _labels(evaluation_id: uuid.UUID) -> tuple[LabelOut, ...]:
    """The labels that sort the questions into a few kinds. They never change once the dataset was read."""
    kinds: dict[str, set[str]] = {}
    rows = EvaluatedQuestion.objects.filter(evaluation=evaluation_id).values_list("labels", flat=True)
    for labels in rows.iterator(_ROWS_AT_ONCE):
        for name, value in labels.items():
            kinds.setdefault(name, set()).add(value)
    return tuple(LabelOut(name=name, values=sorted(held)) for name, held in kinds.items() if len(held) <= LABEL_VALUES)


def _f1_bins(evaluation: Evaluation) -> list[BinOut]:
    bounds = list(pairwise((*F1_BOUNDS, None)))
    counts = evaluation.questions.aggregate(
        **{
            str(number): Count("pk", filter=Q(f1__gte=low) if high is None else Q(f1__gte=low, f1__lt=high))
            for number, (low, high) in enumerate(bounds)
        }
    )
    return [
        BinOut(f1_from=low or 0.0, f1_below=high, questions=counts[str(number)])
        for number, (low, high) in enumerate(bounds)
    ]


def _ordered(found: QuerySet[EvaluatedQuestion], order: Order) -> QuerySet[EvaluatedQuestion]:
    if order == "position":
        return found.order_by("position")
    if order == "worst":
        return found.order_by(F("f1").asc(nulls_last=True), "position")
    if order == "slowest":
        return found.order_by(F("seconds").desc(nulls_last=True), "position")
    spent = Cast(KT(f"outcome__stage_seconds__{order}"), FloatField())
    return found.annotate(spent=spent).order_by(F("spent").desc(nulls_last=True), "position")


def _judged_by(evaluation: Evaluation | None, rows: Iterable[EvaluatedQuestion]) -> dict[str, EvaluatedQuestion]:
    """What another evaluation made of the same questions, by their ids."""
    if evaluation is None:
        return {}
    same = evaluation.questions.filter(question_id__in=[row.question_id for row in rows], judged_at__isnull=False)
    return {other.question_id: other for other in same}


def _question_out(row: EvaluatedQuestion, other: EvaluatedQuestion | None, names: int) -> EvaluatedQuestionOut:
    outcome = row.outcome or {}
    return EvaluatedQuestionOut(
        position=row.position,
        question_id=row.question_id,
        text=row.text,
        labels=row.labels,
        judged=row.judged_at is not None,
        verdict=cast("Verdict | None", row.verdict or None),
        reason=outcome.get("reason", ""),
        case=cast("ErrorCase | None", row.case or None),
        dog_class=cast("DogClass | None", row.dog_class or None),
        dog_why=(outcome.get("dog") or {}).get("why", ""),
        right=row.right,
        f1=row.f1,
        seconds=row.seconds,
        leaves=row.leaves,
        hops=row.hops,
        graph_gap=row.graph_gap,
        topic_right=outcome.get("topic_right"),
        predicted=outcome.get("predicted_labels", [])[:names],
        predicted_total=outcome.get("predicted_total", 0),
        counted=_counted(outcome),
        gold=outcome.get("gold_labels", [])[:names],
        gold_total=len(outcome.get("gold", [])),
        seen=row.seen,
        run=row.run_id,
        other=None if other is None else _compared(other),
    )


def _compared(row: EvaluatedQuestion) -> ComparedOut:
    outcome = row.outcome or {}
    return ComparedOut(
        right=bool(row.right),
        case=cast("ErrorCase | None", row.case or None),
        f1=row.f1 or 0.0,
        predicted=outcome.get("predicted_labels", [])[:NAMES_SHOWN],
        predicted_total=outcome.get("predicted_total", 0),
        counted=_counted(outcome),
    )


def _counted(outcome: Mapping[str, Any]) -> bool:
    """Whether a run counted its answers; outcomes of earlier versions say nothing of it."""
    return bool((outcome.get("derivation") or {}).get("counted", False))
