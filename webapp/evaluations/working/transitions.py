"""Moves of an evaluation between its states. Each is one conditional UPDATE, so of several callers one makes it."""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from webapp.evaluations.exports import exports_write
from webapp.evaluations.models import Evaluation
from webapp.evaluations.selectors import evaluation_figures
from webapp.platform.work.delivery import deliver
from webapp.platform.work.ending import publish_ended
from webapp.platform.work.queues import Queue
from webapp.platform.work.states import OVER, Status

if TYPE_CHECKING:
    import uuid

log = logging.getLogger(__name__)

TASK = "evaluations.work"
"""The Celery task that works one off. Messages in the broker bear it, so it never changes."""
FIGURES_GROWTH = 1.3
"""Partial figures are made again once the outcomes have grown by this factor, so that all of it costs little."""


def evaluation_deliver(evaluation: Evaluation, *, times: int = 1) -> None:
    """Hand an evaluation to the broker, ``times`` over where several workers may join."""
    deliver(TASK, evaluation.pk, Queue(evaluation.queue), times=times)


def evaluation_close(evaluation_id: uuid.UUID, status: Status, reason: str = "") -> int:
    """End an evaluation unless it has ended; return how many were ended: one or none."""
    ended = (
        Evaluation.objects.filter(pk=evaluation_id)
        .exclude(status__in=OVER)
        .update(status=status, reason=reason[:1_000], finished_at=timezone.now())
    )
    if ended:
        transaction.on_commit(partial(publish_ended, evaluation_id))
    return ended


def evaluation_wait(evaluation_id: uuid.UUID, reason: str) -> None:
    """Let an evaluation wait for its graph or model; `EvaluationMoves.recover` tries again soon."""
    log.warning("evaluation %s waits: %s", evaluation_id, reason)
    Evaluation.objects.filter(pk=evaluation_id).exclude(status__in=OVER).update(
        status=Status.QUEUED, reason=reason[:1_000], seen_at=timezone.now()
    )


def evaluation_refresh_metrics(evaluation: Evaluation, *, only_if_due: bool) -> None:
    """Make the figures of what is judged so far, and end the evaluation, with its files, if that is all."""
    complete = evaluation.total is not None and evaluation.done == evaluation.total
    due = complete or evaluation.done >= max(evaluation.figures_of + 1, evaluation.figures_of * FIGURES_GROWTH)
    if evaluation.done == 0 or (only_if_due and not due):
        return
    figures, count = evaluation_figures(evaluation=evaluation)
    Evaluation.objects.filter(pk=evaluation.pk, figures_of__lte=count).update(figures=figures, figures_of=count)
    if complete:
        ended = (
            Evaluation.objects.filter(pk=evaluation.pk, done=F("total"))
            .exclude(status__in=OVER)
            .update(status=Status.SUCCEEDED, reason="", finished_at=timezone.now())
        )
        if ended:
            transaction.on_commit(partial(publish_ended, evaluation.pk))
            exports_write(evaluation)
