"""Error causes of answers, and their classes of DoG, for those that were judged before these were recorded."""

from __future__ import annotations

from collections import Counter
from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

from django.db.models import Q

from reasoning.core.boundary import UnforeseenError, one_question
from reasoning.datasets.question import BenchmarkQuestion
from reasoning.evaluation.judging.judging import blamed, error_class
from reasoning.evaluation.judging.outcome import Outcome
from reasoning.evaluation.judging.rows import RowGraphs
from reasoning.evaluation.judging.settings import EvaluationSettings
from reasoning.evaluation.reporting.report import dog_figures
from reasoning.strategies.registry import DIAGNOSED
from webapp import engine
from webapp.evaluations.exports import exports_remove, exports_write
from webapp.evaluations.models import EvaluatedQuestion, Evaluation
from webapp.evaluations.questions.question_selection import own_graphs
from webapp.evaluations.selectors import evaluation_graph_changed, outcome_with_events
from webapp.platform.disk import room_check

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from django.db.models import QuerySet

    from kgstore.store import GraphStore
    from reasoning.run.diagnosis import DogClass

_ROWS_AT_ONCE = 200


@dataclass(slots=True)
class CausesRecorded:
    """What came of an evaluation."""

    questions: int = 0
    """The number of questions that were checked."""
    causes: int = 0
    """The number that now have an error cause."""
    dog_classes: int = 0
    """The number that now have a class of DoG."""
    broke: int = 0
    """The number that failed unexpectedly: the log says how, and they are unchanged."""
    cannot: str = ""
    """Why there are none; empty where there are."""


_NO_CAUSE = ~Q(outcome__has_key="blame")
_NO_CLASS = Q(evaluation__switches__strategy__in=DIAGNOSED) & ~Q(outcome__has_key="dog")


def questions_without_causes(evaluation: Evaluation) -> QuerySet[EvaluatedQuestion]:
    """The questions that were judged before error causes, or classes of DoG, were recorded."""
    return evaluation.questions.filter(_NO_CAUSE | _NO_CLASS, judged_at__isnull=False)


def evaluations_without_causes() -> QuerySet[Evaluation]:
    """The evaluations that are over and have such questions, the oldest first."""
    judged = EvaluatedQuestion.objects.filter(_NO_CAUSE | _NO_CLASS, judged_at__isnull=False)
    over = Evaluation.objects.filter(finished_at__isnull=False)
    return over.filter(pk__in=judged.values("evaluation")).order_by("created_at")


def evaluation_backfill_causes(
    evaluation: Evaluation, *, progress: Callable[[int], None] = lambda _: None
) -> CausesRecorded:
    """Record the error causes of a finished evaluation, question by question; what is recorded stays if it is stopped.

    For DoG, record its error classes too. ``progress`` is called with the number of questions that were looked
    at since.

    Raises:
        DatasetError, GraphLoadError: the questions' own graphs cannot be had.
        GraphStoreError: the graph cannot be read.
        NoRoomError: the disk is nearly full.

    """
    found = CausesRecorded()
    if evaluation.finished_at is None:
        return replace(found, cannot="It is running. Wait until it has ended.")
    if changed := evaluation_graph_changed(evaluation):
        return replace(found, cannot=changed)
    settings = EvaluationSettings.from_json(evaluation.switches)
    graph = nullcontext(engine.graph(evaluation.graph)) if evaluation.graph else RowGraphs(own_graphs(evaluation))
    exports_remove(evaluation.pk)
    with graph as store:
        for rows in _some_at_once(evaluation):
            room_check()
            for row in rows:
                try:
                    with one_question(row.question_id):
                        outcome = _record_cause(row, store, settings)
                    found.causes += outcome.blame is not None
                    found.dog_classes += outcome.dog is not None
                except UnforeseenError:
                    found.broke += 1
            found.questions += len(rows)
            progress(len(rows))
    _sum_up(evaluation)
    if evaluation.done == evaluation.total:
        exports_write(evaluation)
    return found


def _some_at_once(evaluation: Evaluation) -> Iterator[list[EvaluatedQuestion]]:
    """The rows, some at a time: nothing stays open in the database while one is worked on."""
    after = 0
    without_causes = (
        questions_without_causes(evaluation).order_by("position").only("position", "question_id", "gold", "outcome")
    )
    while rows := list(without_causes.filter(position__gt=after)[:_ROWS_AT_ONCE]):
        yield rows
        after = rows[-1].position


def _record_cause(row: EvaluatedQuestion, graph: GraphStore | RowGraphs, settings: EvaluationSettings) -> Outcome:
    """Record the error cause of one answer, and its class of DoG if DoG answered."""
    document, question = row.outcome or {}, BenchmarkQuestion.from_json(row.gold)
    outcome = outcome_with_events(row) if settings.has_error_classes else Outcome.from_json(document)
    if "blame" not in document:
        outcome = replace(outcome, blame=blamed(outcome, question, graph))
    if settings.has_error_classes:
        outcome = replace(outcome, dog=error_class(outcome, question, graph, settings))
    cause, error = outcome.blame, outcome.dog
    EvaluatedQuestion.objects.filter(pk=row.pk).update(
        outcome={
            **document,
            "blame": None if cause is None else cause.to_json(),
            "dog": None if error is None else error.to_json(),
        },
        cause="" if cause is None else cause.cause.value,
        blamed_stage="" if cause is None or cause.stage is None else cause.stage.value,
        dog_class="" if error is None else error.name,
    )
    return outcome


def _sum_up(evaluation: Evaluation) -> None:
    """Count the causes and the DoG error classes in the figures again."""
    figures = Evaluation.objects.values_list("figures", flat=True).get(pk=evaluation.pk)
    if figures is None:
        return
    rows = evaluation.questions.exclude(cause="").order_by("position")
    causes = dict(Counter(rows.values_list("cause", flat=True)).most_common())
    dog = _of_dog(evaluation)
    Evaluation.objects.filter(pk=evaluation.pk).update(figures={**figures, "causes": causes, "dog": dog})


def _of_dog(evaluation: Evaluation) -> dict[str, Any] | None:
    judged = evaluation.questions.filter(judged_at__isnull=False)
    classes = judged.exclude(dog_class="").order_by("position").values_list("dog_class", flat=True)
    hits = judged.filter(outcome__hit_first=True).count()
    return dog_figures(Counter(cast("Iterable[DogClass]", classes)), hits=hits, questions=judged.count())
