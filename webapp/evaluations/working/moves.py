"""How workers share an evaluation: each holds some of its questions, and hands it on while any is left."""

from __future__ import annotations

import logging
import uuid
from typing import TYPE_CHECKING

from django.db import InterfaceError, OperationalError
from django.db.models import F, Q
from django.utils import timezone

from kgstore.loading.errors import GraphLoadError
from reasoning.datasets.errors import DatasetError
from reasoning.datasets.sample_questions import SAMPLE_FOLDER
from webapp.datasets.files import datasets_folder
from webapp.evaluations.models import Evaluation
from webapp.evaluations.working.claims import (
    LANES,
    EvaluationShare,
    questions_open,
    questions_release,
    questions_renew,
)
from webapp.evaluations.working.transitions import (
    TASK,
    evaluation_close,
    evaluation_deliver,
    evaluation_refresh_metrics,
    evaluation_wait,
)
from webapp.platform.disk import is_no_room, write_refused
from webapp.platform.redaction import without_folders
from webapp.platform.work.clock import long_ago
from webapp.platform.work.delivery import GRACE
from webapp.platform.work.heartbeat import is_served
from webapp.platform.work.lease import LEASE
from webapp.platform.work.queues import Queue
from webapp.platform.work.states import OVER, Status

if TYPE_CHECKING:
    from datetime import timedelta

log = logging.getLogger(__name__)


class EvaluationMoves:
    """`webapp.platform.work.turn.Moves` of evaluations."""

    task = TASK
    broke = "The engine broke over a question. See the worker's log, then resume this evaluation."

    def claim(self, pk: uuid.UUID) -> EvaluationShare | None:
        """A share of an evaluation that is not over; its questions are claimed in the turn."""
        going = Evaluation.objects.filter(pk=pk).exclude(status__in=OVER)
        return EvaluationShare(pk, uuid.uuid4()) if going.exists() else None

    def renew(self, item: EvaluationShare) -> bool:
        """Renew the leases of the questions."""
        return questions_renew(item.pk, item.claim)

    def release(self, item: EvaluationShare, reason: str = "", *, at_once: bool = True) -> None:
        """Let the evaluation wait with a reason; one that continues at once is handed on when the turn ends."""
        if not at_once:
            item.goes_on = False
            evaluation_wait(item.pk, reason)

    def fail(self, item: EvaluationShare, reason: str) -> int:
        """End the evaluation."""
        item.goes_on = False
        return evaluation_close(item.pk, Status.FAILED, reason)

    def unwritten(self, item: EvaluationShare, error: Exception) -> None:
        """Let an evaluation wait if the disk is full, or the database refused something; no outcome is lost.

        If not even that can be written, `recover` finds it by its age.
        """
        item.goes_on = False
        try:
            if is_no_room(error):
                write_refused(error)
                evaluation_wait(item.pk, "The disk of this site is full. This resumes by itself once there is room.")
            else:
                log.error("evaluation %s met a fault of the database: %s", item.pk, error)
        except (OperationalError, InterfaceError) as again:
            log.warning("evaluation %s resumes once its lease has expired: %s", item.pk, again)

    def explain(self, _item: EvaluationShare, error: Exception) -> str:
        """What of the questions, or of their own graphs, cannot be read."""
        if not isinstance(error, DatasetError | GraphLoadError):
            return ""
        return without_folders(str(error), datasets_folder(), SAMPLE_FOLDER)

    def turn_over(self, item: EvaluationShare) -> None:
        """Give back what was claimed and not asked, sum up, and hand the evaluation on while any question is left."""
        questions_release(item.pk, item.claim)
        if not item.goes_on:
            return
        evaluation = Evaluation.objects.get(pk=item.pk)
        evaluation_refresh_metrics(evaluation, only_if_due=True)
        if evaluation.status == Status.RUNNING and questions_open(item.pk).exists():
            evaluation_deliver(evaluation)

    def recover(self, *, grace: timedelta = GRACE) -> int:  # noqa: ARG002 - its lease alone counts
        """Hand every evaluation that no worker works on to the broker again; return how many."""
        now = timezone.now()
        forgotten = long_ago("seen_at", now, LEASE) & ~Q(status__in=OVER)
        moved = 0
        for evaluation in Evaluation.objects.filter(forgotten).only("pk", "queue", "reason"):
            # If no worker takes it from the broker, it would only pile up there.
            if not is_served(Queue(evaluation.queue)):
                continue
            status = Status.QUEUED if evaluation.reason else F("status")
            if Evaluation.objects.filter(forgotten, pk=evaluation.pk).update(seen_at=now, status=status):
                several = not evaluation.reason and questions_open(evaluation.pk).exists()
                evaluation_deliver(evaluation, times=LANES if several else 1)
                moved += 1
        return moved


evaluations = EvaluationMoves()
