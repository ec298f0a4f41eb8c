"""Causes of answers that were judged before it was told what was to blame: proposed from what is kept of them."""

from __future__ import annotations

from collections import Counter
from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from reasoning.boundary import UnforeseenError, one_question
from reasoning.datasets.question import BenchmarkQuestion
from reasoning.evaluation.judging import blamed
from reasoning.evaluation.outcome import Outcome
from reasoning.evaluation.rows import RowGraphs
from webapp import engine
from webapp.disk import room_check
from webapp.evaluations.models import EvaluatedQuestion, Evaluation
from webapp.evaluations.question_selection import own_graphs
from webapp.evaluations.selectors import evaluation_graph_changed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from django.db.models import QuerySet

    from kgstore.store import GraphStore

_ROWS_AT_ONCE = 200


@dataclass(slots=True)
class CausesTold:
    """What came of an evaluation."""

    questions: int = 0
    """So many were looked at."""
    causes: int = 0
    """Of so many it is told now what was to blame."""
    broke: int = 0
    """So many broke in a way that nobody foresaw: the log says how, and they stay as they were."""
    cannot: str = ""
    """Why none can be told; empty where they can."""


def untold_questions(evaluation: Evaluation) -> QuerySet[EvaluatedQuestion]:
    """The questions that were judged before it was told what was to blame."""
    return evaluation.questions.filter(judged_at__isnull=False).exclude(outcome__has_key="blame")


def untold_evaluations() -> QuerySet[Evaluation]:
    """The evaluations that are over and have such questions, the oldest first."""
    judged = EvaluatedQuestion.objects.filter(judged_at__isnull=False).exclude(outcome__has_key="blame")
    over = Evaluation.objects.filter(finished_at__isnull=False)
    return over.filter(pk__in=judged.values("evaluation")).order_by("created_at")


def causes_tell(evaluation: Evaluation, *, told: Callable[[int], None] = lambda _: None) -> CausesTold:
    """Tell of an evaluation that is over what was to blame, question by question; what is told stays if it is stopped.

    ``told`` is called with the number of questions that were looked at since.

    Raises:
        DatasetError, GraphLoadError: the questions' own graphs cannot be had.
        GraphStoreError: the graph cannot be read.
        NoRoomError: the disk is nearly full.

    """
    found = CausesTold()
    if evaluation.finished_at is None:
        return replace(found, cannot="It is at work. Wait until it is over.")
    if changed := evaluation_graph_changed(evaluation):
        return replace(found, cannot=changed)
    graph = nullcontext(engine.graph(evaluation.graph)) if evaluation.graph else RowGraphs(own_graphs(evaluation))
    with graph as store:
        for rows in _some_at_once(evaluation):
            room_check()
            for row in rows:
                try:
                    with one_question(row.question_id):
                        found.causes += _tell(row, store)
                except UnforeseenError:
                    found.broke += 1
            found.questions += len(rows)
            told(len(rows))
    _sum_up(evaluation)
    return found


def _some_at_once(evaluation: Evaluation) -> Iterator[list[EvaluatedQuestion]]:
    """The rows, some at a time: nothing stays open in the database while one is worked on."""
    after = 0
    untold = untold_questions(evaluation).order_by("position").only("position", "question_id", "gold", "outcome")
    while rows := list(untold.filter(position__gt=after)[:_ROWS_AT_ONCE]):
        yield rows
        after = rows[-1].position


def _tell(row: EvaluatedQuestion, graph: GraphStore | RowGraphs) -> bool:
    """Write down what was to blame for one answer; whether anything was."""
    document = row.outcome or {}
    found = blamed(Outcome.from_json(document), BenchmarkQuestion.from_json(row.gold), graph)
    same = EvaluatedQuestion.objects.filter(pk=row.pk)
    same.update(
        outcome={**document, "blame": None if found is None else found.to_json()},
        cause="" if found is None else found.cause.value,
        blamed_stage="" if found is None or found.stage is None else found.stage.value,
    )
    return found is not None


def _sum_up(evaluation: Evaluation) -> None:
    """Count the causes in the figures anew."""
    figures = Evaluation.objects.values_list("figures", flat=True).get(pk=evaluation.pk)
    if figures is None:
        return
    rows = evaluation.questions.exclude(cause="").order_by("position")
    causes = dict(Counter(rows.values_list("cause", flat=True)).most_common())
    Evaluation.objects.filter(pk=evaluation.pk).update(figures={**figures, "causes": causes})
