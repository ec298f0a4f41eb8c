"""What a worker does for a run: it claims it, reasons, writes each event before anybody is told, and hands it on."""

from __future__ import annotations

import logging
import time
import uuid
from contextlib import closing
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING

from django.conf import settings
from django.db import InterfaceError, OperationalError
from django.db.models import F, Q
from django.db.models.functions import Coalesce
from django.utils import timezone

from kgstore.terms import Entity
from reasoning.core.errors import WritingCancelledError
from reasoning.core.switches import EngineSwitches
from reasoning.events import TERMINAL_KINDS, Failed
from reasoning.run.continuation import Continuation, TakeReading
from webapp import engine
from webapp.asking.runs.changes import CHANGE, change_of, later_of
from webapp.asking.runs.models import ReasoningRun
from webapp.asking.runs.selectors import run_graph_changed, run_stage_events, stage_events
from webapp.asking.runs.transitions import run_append, run_close, run_deliver, run_queue_of, run_release
from webapp.platform.disk import DISK_FULL, RUN_ENDED, NoRoomError, is_no_room, room_check, write_refused
from webapp.platform.work.clock import long_ago
from webapp.platform.work.delivery import GRACE, messages_held
from webapp.platform.work.heartbeat import is_served
from webapp.platform.work.lease import LEASE, ClaimLostError, lapsed_lease, lease_renewed
from webapp.platform.work.states import Status

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from reasoning.events import StageEvent
    from webapp.platform.work.queues import Queue

log = logging.getLogger(__name__)

ATTEMPTS = 3
"""So many workers may die over a run."""
LONGEST = timedelta(minutes=10)
"""No worker is at a run for longer. It is counted by a clock that nobody sets, so that a time of day may jump."""
_TICK = 0.1
"""Seconds between two looks at whether a waiting run was cancelled."""


def run_execute(*, run_id: uuid.UUID, stopping: Callable[[], bool] = lambda: False) -> None:
    """Work a run off: iterate the engine, save each event, announce it.

    Safe to call twice: only who wins the claim works. A run that another worker began goes on where it stopped: the
    events that it told are kept (`reasoning.run.continuation`), and the numbers go on. So nobody who saw an event ever
    sees it changed or missing. The cost told at the end is that of all decisions, whoever asked for them; the seconds
    are the last worker's. Where ``stopping`` becomes true, the run goes back to the queue.
    """
    run = _claim(run_id)
    if run is None:
        return
    until = time.monotonic() + LONGEST.total_seconds()
    try:
        with lease_renewed(run.pk, partial(_renew, run, until)):
            _work(run, until, stopping)
    except ClaimLostError:
        log.info("run %s was cancelled or taken over", run_id)
    except (OperationalError, InterfaceError, NoRoomError) as error:
        _unwritten(run, error)
    except Exception:
        log.exception("run %s broke", run_id)
        message = "The engine broke over this question. Ask it in other words, and tell whoever runs this site."
        failed = Failed(code="unexpected", message=message, retryable=False)
        run_close(run.pk, Status.FAILED, failed, only=Q(claim=run.claim))


def runs_recover(*, grace: timedelta = GRACE) -> int:
    """Take up every run whose worker is gone or that the broker lost, give up those that cannot be helped.

    A run that waits for less than ``grace`` may still be on its way to the broker. Returns how many were moved.
    """
    now = timezone.now()
    moved = 0
    lapsed = Q(status=Status.RUNNING) & lapsed_lease(now)
    for run in ReasoningRun.objects.filter(lapsed):
        if run.attempts >= ATTEMPTS:
            message = f"The worker stopped {ATTEMPTS} times while it reasoned about this question. Ask it again."
            failed = Failed(code="worker_lost", message=message, retryable=True)
            moved += run_close(run.pk, Status.FAILED, failed, only=lapsed)
        elif ReasoningRun.objects.filter(lapsed, pk=run.pk).update(
            status=Status.QUEUED, claim=None, lease_until=None, enqueued_at=now
        ):
            log.warning("run %s lost its worker and is queued again", run.pk)
            run_deliver(run.pk, run_queue_of(run.scorer, run.strategy, run.switches))
            moved += 1
    waiting: dict[Queue, list[uuid.UUID]] = {}
    queued = Q(status=Status.QUEUED) & long_ago("enqueued_at", now, grace)
    asked = (
        ReasoningRun.objects.filter(queued).order_by("created_at").values_list("pk", "scorer", "strategy", "switches")
    )
    for pk, scorer, strategy, switches in asked:
        waiting.setdefault(run_queue_of(scorer, strategy, switches), []).append(pk)
    for queue, runs in waiting.items():
        # Where nobody takes them from the broker, they would only pile up there.
        if not is_served(queue) or messages_held(queue) >= len(runs):
            continue
        # Some are lost. Which ones, nobody can tell: all are handed over again, for twice does no harm.
        for pk in runs:
            if ReasoningRun.objects.filter(queued, pk=pk).update(enqueued_at=now):
                run_deliver(pk, queue)
                moved += 1
    return moved


def _too_long() -> Failed:
    message = f"This run took longer than {LONGEST.seconds // 60} minutes and was stopped. Ask again."
    return Failed(code="timeout", message=message, retryable=True)


def _claim(run_id: uuid.UUID) -> ReasoningRun | None:
    """Hold a queued run; None where somebody else does, or there is nothing left to do."""
    now = timezone.now()
    won = ReasoningRun.objects.filter(pk=run_id, status=Status.QUEUED).update(
        status=Status.RUNNING,
        claim=uuid.uuid4(),
        lease_until=now + LEASE,
        attempts=F("attempts") + 1,
        started_at=Coalesce(F("started_at"), now),
    )
    return ReasoningRun.objects.select_related("question", "parent").get(pk=run_id) if won else None


def _renew(run: ReasoningRun, until: float) -> bool:
    """Renew the lease; end the run where its worker hangs in one step beyond its time."""
    if time.monotonic() > until:
        run_close(run.pk, Status.FAILED, _too_long(), only=Q(claim=run.claim))
        return False
    held = ReasoningRun.objects.filter(pk=run.pk, claim=run.claim)
    return bool(held.update(lease_until=timezone.now() + LEASE))


def _unwritten(run: ReasoningRun, error: Exception) -> None:
    """What becomes of a run that the database did not take: it ends where the disk is full, else it is tried again.

    Where not even that can be written, it stays as it is, and is taken up once its lease is over.
    """
    held = Q(claim=run.claim)
    try:
        if is_no_room(error):
            write_refused(error)
            run_close(run.pk, Status.FAILED, Failed(code=DISK_FULL, message=RUN_ENDED, retryable=True), only=held)
        else:
            log.error("run %s met a fault of the database: %s", run.pk, error)
            ReasoningRun.objects.filter(held, pk=run.pk).update(lease_until=timezone.now())
    except (OperationalError, InterfaceError) as again:
        log.warning("run %s could not be moved, and is once its lease is over: %s", run.pk, again)


def _work(run: ReasoningRun, until: float, stopping: Callable[[], bool]) -> None:
    known = run_stage_events(run=run)
    if known and run_graph_changed(run=run):
        message = f"The graph “{run.graph_title}” was loaded anew while this was reasoned about. Ask again."
        run_append(run, Failed(code="graph_changed", message=message, retryable=True))
        return
    continuation = _continuation(run, known)
    asks = not run.decided and not isinstance(continuation.change, TakeReading)
    produced = engine.reason(
        run.question.text,
        graph_name=run.graph,
        scorer_name=run.scorer if asks else None,
        strategy=run.strategy,
        topic=Entity(run.topic) if run.topic else None,
        continuation=continuation,
        switches=EngineSwitches.from_json(run.switches),
        cancelled=lambda: stopping() or not _is_held(run),
    )
    try:
        _write_down(run, produced, len(known), until, stopping)
    except WritingCancelledError:
        if not _is_held(run):
            raise ClaimLostError from None
        run_release(run)


def _write_down(
    run: ReasoningRun,
    produced: Generator[StageEvent, None, None],
    known: int,
    until: float,
    stopping: Callable[[], bool],
) -> None:
    """Write the events after the ``known`` ones, as they come."""
    with closing(produced):
        for seq, event in enumerate(produced, start=1):
            if time.monotonic() > until:
                run_append(run, _too_long())
                return
            if seq <= known and event.kind not in TERMINAL_KINDS:
                continue
            room_check()
            run_append(run, event)
            if event.kind not in TERMINAL_KINDS:
                _pause(run, stopping)
            if stopping() and event.kind not in TERMINAL_KINDS:
                run_release(run)
                return


def _continuation(run: ReasoningRun, known: list[StageEvent]) -> Continuation:
    """What a run keeps: of itself where a worker began it before, of a judged question, or of the run it varies."""
    if run.parent is not None:
        wanted = CHANGE.validate_python(run.change)
        told = run_stage_events(run=run.parent)
        return Continuation(tuple(told), change_of(wanted), later=later_of(wanted), told=tuple(known))
    decided = stage_events(run.decided)
    return Continuation(tuple(known or decided[:1]), retold=tuple(decided[1:]))


def _pause(run: ReasoningRun, stopping: Callable[[], bool]) -> None:
    """Keep the pace that the settings ask for, noticing at once where the run is cancelled."""
    until = time.monotonic() + settings.ENVIRONMENT.pace_ms / 1000
    while (left := until - time.monotonic()) > 0 and not stopping():
        time.sleep(min(left, _TICK))
        if not _is_held(run):
            raise ClaimLostError


def _is_held(run: ReasoningRun) -> bool:
    """Whether the run is still this worker's: nobody cancelled it or took it over."""
    return ReasoningRun.objects.filter(pk=run.pk, claim=run.claim).exists()
