"""What a worker does for an evaluation under an overlay: it judges the corrected questions again, and sums up."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING

from django.db import transaction
from django.db.models import Q

from reasoning.datasets.overlay import overlay_in
from reasoning.datasets.question import BenchmarkQuestion
from reasoning.evaluation.judging.outcome import Outcome
from reasoning.evaluation.judging.rows import RowGraphs
from reasoning.evaluation.judging.settings import EvaluationSettings
from reasoning.evaluation.reporting.overlaid import NotApplied, under_overlay
from webapp import engine
from webapp.evaluations.overlays.judging import judging
from webapp.evaluations.overlays.models import OverlaidQuestion
from webapp.evaluations.questions.question_selection import own_graphs
from webapp.evaluations.selectors import evaluation_graph_changed, outcome_with_events
from webapp.platform.disk import room_check
from webapp.platform.work.lease import ClaimLostError
from webapp.platform.work.states import Status
from webapp.platform.work.worker import worker_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from webapp.evaluations.models import EvaluatedQuestion, Evaluation
    from webapp.evaluations.overlays.models import OverlaidEvaluation
    from webapp.platform.work.turn import Turn

PROGRESS_EVERY = 50
"""Progress is reported after this number of corrected questions."""
_ROWS_AT_ONCE = 500


@worker_of(judging)
def overlaid_work(turn: Turn[OverlaidEvaluation]) -> None:
    """Judge the answers of an evaluation under an overlay, and sum up.

    No model is asked, and it takes a minute at most where nothing is unusual, so a worker that stops leaves nothing.
    """
    item = turn.item
    evaluation = item.evaluation
    if changed := evaluation_graph_changed(evaluation):
        judging.fail(item, changed)
        return
    signed = overlay_in(item.overlay.file)
    settings = EvaluationSettings.from_json(evaluation.switches)
    reading = _Reading(turn, signed.overlay.by_question())
    graph = nullcontext(engine.graph(evaluation.graph)) if evaluation.graph else RowGraphs(own_graphs(evaluation))
    with graph as store:
        found = under_overlay(reading.outcomes(evaluation), reading.questions, signed.overlay, store, settings)
    room_check()
    rows = [
        OverlaidQuestion(
            overlaid=item,
            question_id=reading.rows[name],
            not_applied=came_to if isinstance(came_to, NotApplied) else "",
            outcome=came_to.to_json() if isinstance(came_to, Outcome) else None,
        )
        for name, came_to in found.of_question.items()
    ]
    report = found.report(signed, settings, evaluation.graph_title)
    with transaction.atomic():
        if judging.close(item.pk, Status.SUCCEEDED, only=Q(claim=item.claim), report=report, done=len(rows)):
            OverlaidQuestion.objects.filter(overlaid=item).delete()
            OverlaidQuestion.objects.bulk_create(rows, batch_size=_ROWS_AT_ONCE)


class _Reading:
    """Reads the outcomes of an evaluation one after the other, and keeps what is asked of those that are corrected."""

    def __init__(self, turn: Turn[OverlaidEvaluation], corrected: Collection[str]) -> None:
        self._turn = turn
        self._corrected = corrected
        self.questions: dict[str, BenchmarkQuestion] = {}
        """The corrected ones so far, by their ids."""
        self.rows: dict[str, int] = {}
        """Their rows."""

    def outcomes(self, evaluation: Evaluation) -> Iterator[Outcome]:
        """What was judged, in the order of the dataset.

        Raises:
            ClaimLostError: another worker is at it, or the overlay was removed.
            HandedBackError: the worker is to stop.

        """
        for row in _judged(evaluation):
            if row.question_id in self._corrected:
                if len(self.rows) % PROGRESS_EVERY == 0:
                    self._record_progress()
                self.questions[row.question_id] = BenchmarkQuestion.from_json(row.gold)
                self.rows[row.question_id] = row.pk
                yield outcome_with_events(row)
                continue
            yield Outcome.from_json(row.outcome or {})

    def _record_progress(self) -> None:
        self._turn.check()
        if not judging.held(self._turn.item).update(done=len(self.rows)):
            raise ClaimLostError


def _judged(evaluation: Evaluation) -> Iterator[EvaluatedQuestion]:
    """The rows that were judged, some at a time: nothing stays open in the database while one is worked on."""
    after = 0
    judged = evaluation.questions.filter(judged_at__isnull=False).order_by("position")
    fields = ("position", "question_id", "gold", "outcome")
    while rows := list(judged.filter(position__gt=after).only(*fields)[:_ROWS_AT_ONCE]):
        yield from rows
        after = rows[-1].position
