"""Worker side of an evaluation: a slice of it at a time.

It claims a few questions, asks them, writes each outcome once, and hands the evaluation back to the queue, so that
several workers share it, and each takes up several by turns.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from django.db.models import F
from django.db.models.functions import Coalesce
from django.utils import timezone

from reasoning.evaluation.files.manifest import environment, resumed
from reasoning.evaluation.judging.loop import judge_all
from reasoning.evaluation.judging.others import judge_others
from reasoning.evaluation.judging.settings import EvaluationSettings
from webapp import engine
from webapp.asking.runs.transitions import MAX_LENGTH
from webapp.datasets.worker import DatasetBusyError
from webapp.evaluations.models import Evaluation
from webapp.evaluations.questions.question_selection import own_graphs, questions_select
from webapp.evaluations.selectors import evaluation_graph_changed
from webapp.evaluations.working.claims import ClaimedQuestions, EvaluationShare, deliver_to_others
from webapp.evaluations.working.moves import evaluations
from webapp.evaluations.working.transitions import evaluation_close
from webapp.platform.work.states import Status
from webapp.platform.work.worker import worker_of

if TYPE_CHECKING:
    import uuid

    from webapp.platform.work.turn import Turn

log = logging.getLogger(__name__)


@worker_of(evaluations, asks_models=True)
def evaluation_work(turn: Turn[EvaluationShare]) -> None:
    """Take up a slice of an evaluation, then hand it back while anything is left.

    A question is put back once only for a user who waits, so that every question is judged in the end.
    """
    try:
        evaluation = _begun(turn.item.pk)
    except DatasetBusyError:
        # The worker that loads it hands the evaluation to others, or `recover` does once no worker has it.
        log.info("evaluation %s: its dataset is being loaded", turn.item.pk)
        return
    if evaluation is None:
        return
    turn.item.goes_on = True
    questions = ClaimedQuestions(evaluation, turn)
    settings = EvaluationSettings.from_json(evaluation.switches)
    graph = engine.graph(evaluation.graph) if evaluation.graph else own_graphs(evaluation)
    if evaluation.predictions is not None:
        judge_others(questions, graph, questions.given, settings, system=evaluation.scorer)
        return
    writing = engine.writer(settings.strategy, settings)
    with engine.scorer(evaluation.scorer) as scorer, writing as writer:
        judge_all(questions, graph, scorer, settings, longest=MAX_LENGTH.total_seconds(), writer=writer)


def _begun(evaluation_id: uuid.UUID) -> Evaluation | None:
    """The evaluation, running, its questions read; None if it has ended.

    Of one that waits, one worker finds out whether what it waits for is back; for others it is None.
    """
    evaluation = Evaluation.objects.get(pk=evaluation_id)
    if evaluation.is_over:
        return None
    if evaluation.total is None:
        questions_select(evaluation)
        evaluation.refresh_from_db()
    changed = evaluation_graph_changed(evaluation)
    if changed:
        evaluation_close(evaluation.pk, Status.FAILED, changed)
        return None
    begun = Evaluation.objects.filter(pk=evaluation_id, status=Status.QUEUED).update(
        status=Status.RUNNING, started_at=Coalesce(F("started_at"), timezone.now())
    )
    evaluation.refresh_from_db()
    if begun:
        _record_manifest(evaluation)
    if begun and not evaluation.reason:
        deliver_to_others(evaluation)
    return None if evaluation.is_over or (evaluation.reason and not begun) else evaluation


def _record_manifest(evaluation: Evaluation) -> None:
    """Record the environment of a resumed evaluation, if it changed."""
    if evaluation.manifest is not None:
        manifest = resumed(evaluation.manifest, environment())
        if manifest != evaluation.manifest:
            Evaluation.objects.filter(pk=evaluation.pk).update(manifest=manifest)
