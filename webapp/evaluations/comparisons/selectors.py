"""Reads of what differs between evaluations of the same questions, and of parts of an evaluation's questions."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import zip_longest
from statistics import fmean
from typing import TYPE_CHECKING

from pydantic import TypeAdapter

from reasoning.evaluation.judging.settings import EvaluationSettings
from reasoning.evaluation.reporting.intervals import interval, paired_interval
from reasoning.evaluation.reporting.slices import FEWEST
from reasoning.events import StageEvent
from reasoning.narration.replay import decisions_made
from reasoning.strategies.registry import STRATEGIES
from webapp.evaluations.comparisons.schemas import (
    ChosenOut,
    DecisionPairOut,
    DecisionPairsOut,
    DifferenceColumnOut,
    DifferenceFromOut,
    DifferencesOut,
    MeanDifferenceOut,
    PartOut,
    SinceOut,
)
from webapp.evaluations.figure_schemas import IntervalOut
from webapp.evaluations.models import EvaluatedQuestion, Evaluation, JudgedDecisions
from webapp.evaluations.selectors import evaluation_out, question_get, questions_filtered
from webapp.platform.http.errors import ProductError
from webapp.platform.http.heavy_reads import kept_read

if TYPE_CHECKING:
    import uuid
    from collections.abc import Mapping, Sequence

    from reasoning.events import OptionRecord
    from reasoning.narration.replay import Made
    from webapp.evaluations.schemas import QuestionFilter

_LOOKED_BACK = 20
"""Number of earlier evaluations that are searched for the last one with some of the same questions."""
_KEPT = 256
"""The number of comparisons whose figures a process keeps."""
_EVENT: TypeAdapter[StageEvent] = TypeAdapter(StageEvent)
_OPERATORS = {"min": "the smallest", "max": "the largest", "kind": "of the kind"}


@dataclass(frozen=True, slots=True)
class _Judged:
    right: bool
    f1: float
    predicted: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Column:
    """The figures of one of several evaluations, as in `DifferenceColumnOut`."""

    right: float | None
    f1: float | None
    difference: DifferenceFromOut | None


def differences(evaluations: Sequence[Evaluation], *, may_manage: bool) -> DifferencesOut:
    """Several evaluations over the questions that all have judged, each compared with the first."""
    common, columns = _columns(*(evaluation.judged_key for evaluation in evaluations))
    return DifferencesOut(
        common=common,
        columns=[
            DifferenceColumnOut(
                evaluation=evaluation_out(evaluation, may_manage=may_manage),
                right=column.right,
                f1=column.f1,
                difference=column.difference,
            )
            for evaluation, column in zip(evaluations, columns, strict=True)
        ],
    )


@kept_read(most=_KEPT)
def _columns(*judged_keys: tuple[uuid.UUID, int]) -> tuple[int, Sequence[_Column]]:
    """The number of questions that all evaluations have judged, and each evaluation's figures over them."""
    judged = [_judged(evaluation_id) for evaluation_id, _ in judged_keys]
    common = sorted(set[str]().union(*judged).intersection(*judged))
    first = judged[0]
    return len(common), [
        _Column(
            right=_mean([each[name].right for name in common]),
            f1=_mean([each[name].f1 for name in common]),
            difference=None if each is first or not common else _difference(first, each, common),
        )
        for each in judged
    ]


def since(evaluation: Evaluation, *, may_manage: bool) -> SinceOut:
    """How an evaluation differs from the last one of the dataset before it that judged some of the same questions.

    One that asked the same graph by the same strategy is taken before any other.
    """
    before = Evaluation.objects.select_related("starter", "snapshot").filter(
        dataset=evaluation.dataset, created_at__lt=evaluation.created_at, done__gt=0
    )
    looked_at = list(before.order_by("-created_at")[:_LOOKED_BACK]) if evaluation.done else []
    for earlier in sorted(looked_at, key=lambda each: not _asks_the_same(each, evaluation)):
        common, (_, column) = _columns(earlier.judged_key, evaluation.judged_key)
        if (difference := column.difference) is not None:
            same = _asks_the_same(earlier, evaluation)
            return SinceOut(
                earlier=evaluation_out(earlier, may_manage=may_manage),
                common=common,
                difference=difference,
                same=same,
                worse=[name for name in ("right", "f1") if same and _fell(getattr(difference, name))],
            )
    return SinceOut(earlier=None, common=0, difference=None, same=False, worse=[])


def _asks_the_same(one: Evaluation, other: Evaluation) -> bool:
    """Whether two evaluations asked the same graph by the same strategy and its options, with the same topics."""
    settings = [EvaluationSettings.from_earlier(each.switches) for each in (one, other)]
    asked = [
        (each.strategy, [each[option] for option in STRATEGIES[each.strategy].options], each.topics)
        for each in settings
    ]
    return one.graph == other.graph and asked[0] == asked[1]


def _fell(mean: MeanDifferenceOut) -> bool:
    return mean.interval.high < 0


@dataclass(frozen=True, slots=True)
class UnseenDifference:
    """Two evaluations by the questions that both judged and neither model has learned from."""

    common: Sequence[str]
    """Their ids in the dataset, sorted."""
    seen: int
    """The number of questions judged by both that are left out, as a model learned from them."""
    after: Mapping[str, _Judged]
    difference: DifferenceFromOut | None
    """None without any question in common."""
    fixed: Sequence[str]
    """The ids of those that were wrong before and are right now."""
    broken: Sequence[str]
    """The other way round."""


def unseen_difference(before: Evaluation, after: Evaluation) -> UnseenDifference:
    """How a later evaluation differs from an earlier one where neither model has seen the question in training."""
    old, new = _judged(before.pk), _judged(after.pk)
    seen = {
        name
        for evaluation in (before, after)
        for name in evaluation.questions.filter(seen=True).order_by().values_list("question_id", flat=True)
    }
    both = sorted(old.keys() & new.keys())
    common = [name for name in both if name not in seen]
    return UnseenDifference(
        common=common,
        seen=len(both) - len(common),
        after=new,
        difference=_difference(old, new, common) if common else None,
        fixed=[name for name in common if new[name].right and not old[name].right],
        broken=[name for name in common if old[name].right and not new[name].right],
    )


def mean_with_interval(values: Sequence[float]) -> tuple[float | None, IntervalOut | None]:
    """The mean of some values and its 95 % interval; None without any."""
    return _mean(values), _interval(interval(values)) if values else None


def part(evaluation: Evaluation, wanted: QuestionFilter, against: Evaluation | None) -> PartOut:
    """The figures of the questions that meet a filter, with intervals."""
    found = questions_filtered(evaluation, wanted, against)
    judged = list(found.filter(judged_at__isnull=False).order_by("position").values_list("right", "f1"))
    right, f1 = [float(bool(hit)) for hit, _ in judged], [float(value or 0) for _, value in judged]
    return PartOut(
        questions=found.count(),
        judged=len(judged),
        right=_mean(right),
        right_interval=_interval(interval(right)) if right else None,
        f1=_mean(f1),
        f1_interval=_interval(interval(f1)) if f1 else None,
        fewest=FEWEST,
    )


def decision_pairs(first: Evaluation, second: Evaluation, *, position: int) -> DecisionPairsOut:
    """A question in two evaluations, decision by decision.

    Raises:
        ProductError: there is no such question, or the second did not judge it.

    """
    question = question_get(evaluation=first, position=position)
    other = second.questions.filter(question_id=question.question_id, judged_at__isnull=False).first()
    if other is None:
        message = "The other evaluation has not judged this question. Choose another one."
        raise ProductError(404, "unknown_question", message, position=position)
    kept = {row.question_id: row.events for row in JudgedDecisions.objects.filter(question__in=[question, other])}
    made = [decisions_made(map(_EVENT.validate_python, kept.get(row.pk, []))) for row in (question, other)]
    pairs = [_pair(one, two) for one, two in zip_longest(*made)]
    return DecisionPairsOut(
        decisions=pairs,
        first_different=next((index for index, pair in enumerate(pairs) if not pair.same), None),
        kept_in_first=question.pk in kept,
        kept_in_second=other.pk in kept,
        position=question.position,
        other_position=other.position,
    )


def _judged(evaluation_id: uuid.UUID) -> Mapping[str, _Judged]:
    """What became of each judged question, by its id in the dataset."""
    rows = EvaluatedQuestion.objects.filter(evaluation=evaluation_id, judged_at__isnull=False).order_by()
    return {
        name: _Judged(bool(right), f1 or 0.0, tuple(predicted or ()))
        for name, right, f1, predicted in rows.values_list("question_id", "right", "f1", "outcome__predicted")
    }


def _difference(
    before: Mapping[str, _Judged], after: Mapping[str, _Judged], common: Sequence[str]
) -> DifferenceFromOut:
    pairs = [(before[name], after[name]) for name in common]
    return DifferenceFromOut(
        right=_paired([float(old.right) for old, _ in pairs], [float(new.right) for _, new in pairs]),
        f1=_paired([old.f1 for old, _ in pairs], [new.f1 for _, new in pairs]),
        fixed=sum(new.right and not old.right for old, new in pairs),
        broken=sum(old.right and not new.right for old, new in pairs),
        changed=sum(old.predicted != new.predicted for old, new in pairs),
    )


def _paired(before: Sequence[float], after: Sequence[float]) -> MeanDifferenceOut:
    old, new = fmean(before), fmean(after)
    return MeanDifferenceOut(
        before=old, after=new, difference=new - old, interval=_interval(paired_interval(before, after))
    )


def _interval(bounds: tuple[float, float]) -> IntervalOut:
    low, high = bounds
    return IntervalOut(low=low, high=high)


def _mean(values: Sequence[float]) -> float | None:
    return fmean(values) if values else None


def _pair(one: Made | None, two: Made | None) -> DecisionPairOut:
    """A decision of each, or of one alone."""
    made = one or two
    if made is None:
        raise ValueError("a pair of no decision")
    return DecisionPairOut(
        stage=str(made.stage),
        number=made.number,
        first=None if one is None else _chosen(one),
        second=None if two is None else _chosen(two),
        same=one is not None and two is not None and (one.stage, one.choice) == (two.stage, two.choice),
    )


def _chosen(made: Made) -> ChosenOut:
    if made.record is None:
        return ChosenOut(words="given", detail=str(made.choice), probability=None)
    chosen = next(option for option in made.record.options if option.index == made.record.chosen)
    words, detail = _words(chosen)
    return ChosenOut(words=words, detail=detail, probability=made.record.probability)


def _words(option: OptionRecord) -> tuple[str, str]:
    match option.kind:
        case "topic":
            return option.term.label, option.term.id
        case "step":
            return option.relation.label, f"{option.relation.id}, from node {option.position}"
        case "constraint":
            condition = option.constraint
            ranks = condition.operator in _OPERATORS
            place = ", place" if ranks and condition.target is not None else ""
            target = "" if condition.target is None else f"{place} {condition.target.label}"
            return f"{_OPERATORS.get(condition.operator, condition.operator)}{target}", f"node {condition.position}"
        case "answer":
            return f"the answer is node {option.position}", ""
        case _:
            return "nothing more", ""
