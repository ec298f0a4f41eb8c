"""What a worker does for an evaluation: a slice of it at a time.

It claims a few questions, asks them, writes each outcome once, and hands the evaluation back to the queue, so that
several workers share it, and each takes up several by turns.
"""

from __future__ import annotations

import logging
import uuid
from functools import partial
from typing import TYPE_CHECKING

from django.db import InterfaceError, OperationalError
from django.db.models import F, Q
from django.db.models.functions import Coalesce
from django.utils import timezone

from kgstore.loading.errors import GraphLoadError
from kgstore.store import GraphStoreError
from reasoning.core.errors import ReasoningError
from reasoning.datasets.errors import DatasetError
from reasoning.datasets.sample_questions import SAMPLE_FOLDER
from reasoning.evaluation.files.manifest import environment, resumed
from reasoning.evaluation.judging.loop import judge_all
from reasoning.evaluation.judging.others import judge_others
from reasoning.evaluation.judging.settings import EvaluationSettings
from webapp import engine
from webapp.asking.runs.worker import LONGEST
from webapp.datasets.files import datasets_folder
from webapp.datasets.worker import DatasetBusyError
from webapp.evaluations.models import Evaluation
from webapp.evaluations.questions.question_selection import own_graphs, questions_select
from webapp.evaluations.selectors import evaluation_graph_changed, evaluation_queue
from webapp.evaluations.working.claims import (
    LANES,
    ClaimedQuestions,
    HandedBackError,
    deliver_to_others,
    questions_open,
    questions_release,
    questions_renew,
)
from webapp.evaluations.working.transitions import (
    evaluation_close,
    evaluation_deliver,
    evaluation_sum_up,
    evaluation_wait,
)
from webapp.platform.disk import NoRoomError, is_no_room, write_refused
from webapp.platform.redaction import without_folders
from webapp.platform.work.clock import long_ago
from webapp.platform.work.heartbeat import is_served
from webapp.platform.work.lease import LEASE, ClaimLostError, lease_renewed
from webapp.platform.work.states import OVER, Status

if TYPE_CHECKING:
    from collections.abc import Callable

log = logging.getLogger(__name__)


def evaluation_work(
    *,
    evaluation_id: uuid.UUID,
    stopping: Callable[[], bool] = lambda: False,
    gives_way: Callable[[], bool] = lambda: False,
) -> None:
    """Take up a slice of an evaluation, then hand it back while anything is left; safe to call at any time by many.

    It is handed back at once where the worker is ``stopping`` or the slice ``gives_way`` to somebody who waits. A
    question is put back for that once only, so that every question is judged in the end.
    """
    claim = uuid.uuid4()
    with lease_renewed(evaluation_id, partial(questions_renew, evaluation_id, claim)):
        try:
            evaluation = _begun(evaluation_id)
            if evaluation is None:
                return
            _slice(evaluation, claim, stopping, gives_way)
        except ClaimLostError:
            log.info("evaluation %s was cancelled, or a question of it taken over", evaluation_id)
        except HandedBackError:
            log.info("evaluation %s goes back to the queue in the midst of a question", evaluation_id)
        except DatasetBusyError:
            # Whoever loads it hands the evaluation to others, or `evaluations_recover` does once nobody is at it.
            log.info("evaluation %s: its dataset is being loaded", evaluation_id)
            return
        except (OperationalError, InterfaceError, NoRoomError) as error:
            _unwritten(evaluation_id, error)
            return
        except (DatasetError, GraphLoadError) as error:
            _unreadable(evaluation_id, error)
            return
        except (GraphStoreError, ReasoningError) as error:
            log.warning("evaluation %s: %s", evaluation_id, error.for_operators)
            if error.retryable:
                evaluation_wait(evaluation_id, error.for_people)
            else:
                evaluation_close(evaluation_id, Status.FAILED, error.for_people)
            return
        except Exception:
            log.exception("evaluation %s broke", evaluation_id)
            reason = "The engine broke over a question. See the worker's log, then resume this evaluation."
            evaluation_close(evaluation_id, Status.FAILED, reason)
            return
        finally:
            questions_release(evaluation_id, claim)
        evaluation = Evaluation.objects.get(pk=evaluation_id)
        evaluation_sum_up(evaluation, only_if_due=True)
        if evaluation.status == Status.RUNNING and questions_open(evaluation_id).exists():
            evaluation_deliver(evaluation)


def evaluations_recover() -> int:
    """Hand every evaluation that no worker is heard of at to the broker again; return how many."""
    now = timezone.now()
    forgotten = long_ago("seen_at", now, LEASE) & ~Q(status__in=OVER)
    moved = 0
    for evaluation in Evaluation.objects.filter(forgotten).only("pk", "scorer", "switches", "reason"):
        # Where nobody takes it from the broker, it would only pile up there.
        if not is_served(evaluation_queue(evaluation)):
            continue
        status = Status.QUEUED if evaluation.reason else F("status")
        if Evaluation.objects.filter(forgotten, pk=evaluation.pk).update(seen_at=now, status=status):
            evaluation_deliver(
                evaluation, times=LANES if not evaluation.reason and questions_open(evaluation.pk).exists() else 1
            )
            moved += 1
    return moved


def _begun(evaluation_id: uuid.UUID) -> Evaluation | None:
    """The evaluation, running, its questions read; None where it is over.

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
        _tell_manifest(evaluation)
    if begun and not evaluation.reason:
        deliver_to_others(evaluation)
    return None if evaluation.is_over or (evaluation.reason and not begun) else evaluation


def _tell_manifest(evaluation: Evaluation) -> None:
    """Write down what the work goes on with, where that is not what it began with."""
    if evaluation.manifest is not None:
        manifest = resumed(evaluation.manifest, environment())
        if manifest != evaluation.manifest:
            Evaluation.objects.filter(pk=evaluation.pk).update(manifest=manifest)


def _slice(
    evaluation: Evaluation, claim: uuid.UUID, stopping: Callable[[], bool], gives_way: Callable[[], bool]
) -> None:
    questions = ClaimedQuestions(evaluation, claim, stopping, gives_way)
    settings = EvaluationSettings.from_json(evaluation.switches)
    graph = engine.graph(evaluation.graph) if evaluation.graph else own_graphs(evaluation)
    if evaluation.predictions is not None:
        judge_others(questions, graph, questions.given, settings, system=evaluation.scorer)
        return
    writing = engine.writer(settings.strategy, settings)
    with engine.scorer(evaluation.scorer) as scorer, writing as writer:
        judge_all(questions, graph, scorer, settings, longest=LONGEST.total_seconds(), writer=writer)


def _unreadable(evaluation_id: uuid.UUID, error: DatasetError | GraphLoadError) -> None:
    """What becomes of an evaluation whose file, or a question's own graph, cannot be had."""
    if is_no_room(error):
        _unwritten(evaluation_id, error)
    else:
        log.warning("evaluation %s failed: %s", evaluation_id, error)
        reason = without_folders(str(error), datasets_folder(), SAMPLE_FOLDER)
        evaluation_close(evaluation_id, Status.FAILED, reason)


def _unwritten(evaluation_id: uuid.UUID, error: Exception) -> None:
    """Let an evaluation wait where the disk is full, or the database did not take something; no outcome is lost.

    Where not even that can be written, `evaluations_recover` finds it by its age.
    """
    try:
        if is_no_room(error):
            write_refused(error)
            evaluation_wait(evaluation_id, "The disk of this site is full. This goes on by itself once there is room.")
        else:
            log.error("evaluation %s met a fault of the database: %s", evaluation_id, error)
    except (OperationalError, InterfaceError) as again:
        log.warning("evaluation %s goes on once its lease is over: %s", evaluation_id, again)
