"""Changes of questions and runs.

Every move of a run is one conditional UPDATE, so that two workers, a worker and an asker, or a task that is delivered
twice can never both make it.
"""

from __future__ import annotations

import asyncio
import logging
import time
import uuid
from contextlib import closing
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING

from asgiref.sync import async_to_sync
from channels.layers import get_channel_layer
from django.conf import settings
from django.db import InterfaceError, OperationalError, transaction
from django.db.models import F, Q
from django.db.models.functions import Coalesce
from django.utils import timezone
from redis.exceptions import RedisError

from kgstore.terms import Entity
from reasoning.continuation import Continuation
from reasoning.events import TERMINAL_KINDS, Cancelled, Failed, Finished, Started, Undecided
from reasoning.switches import EngineSwitches
from webapp import engine
from webapp.accounts.audit import audited
from webapp.accounts.models import Audited
from webapp.accounts.permissions import Action, may
from webapp.disk import DISK_FULL, RUN_ENDED, NoRoomError, is_no_room, room_check, write_refused
from webapp.environment import Rate
from webapp.http.errors import ProductError
from webapp.http.rate_limit import allowance_take
from webapp.runs.models import Question, ReasoningRun, RunEvent
from webapp.runs.selectors import run_graph_changed, run_stage_events, stage_events
from webapp.work.clock import long_ago
from webapp.work.delivery import GRACE, deliver, messages_held
from webapp.work.heartbeat import is_served
from webapp.work.lease import LEASE, ClaimLostError, lapsed_lease, lease_renewed
from webapp.work.states import OVER, Status

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from kgstore.store import GraphInfo
    from reasoning.events import StageEvent
    from webapp.accounts.viewer import Viewer
    from webapp.work.queues import Queue

log = logging.getLogger(__name__)

TASK = "questions.run_execute"
"""The Celery task that works one off. Messages in the broker bear it, so it never changes."""
ATTEMPTS = 3
"""So many workers may die over a run."""
LONGEST = timedelta(minutes=10)
"""No worker is at a run for longer. It is counted by a clock that nobody sets, so that a time of day may jump."""
ANSWERS_KEPT = 5
"""How many answers a list of runs shows."""
_ANNOUNCING_SECONDS = 2.0
"""How long a worker tries to say that there is more; a Redis that hangs must not hold up the run."""
_TICK = 0.1
"""Seconds between two looks at whether a waiting run was cancelled."""


def run_queue(
    *,
    text: str,
    viewer: Viewer,
    info: GraphInfo,
    topic: str,
    scorer: str,
    strategy: str,
    switches: Mapping[str, object] | None = None,
    decided: Sequence[object] = (),
) -> ReasoningRun:
    """Queue a run for a question whose parts are known to be right.

    ``decided`` are the events of a judged question as JSON, whose decisions it shows again.
    """
    with transaction.atomic():
        question = Question.objects.create(
            text=text, asker=viewer.user, visitor=None if viewer.user else viewer.visitor
        )
        run = ReasoningRun.objects.create(
            question=question,
            graph=info.name,
            graph_title=info.title,
            graph_version=info.version,
            topic=topic,
            scorer=scorer,
            strategy=strategy,
            switches=dict(switches or {}),
            decided=list(decided),
            enqueued_at=timezone.now(),
        )
        transaction.on_commit(partial(_deliver, run.pk, scorer))
    return run


def ask_allowance_take(*, viewer: Viewer) -> None:
    """Count one more of what somebody asks.

    Raises:
        ProductError: it was one too many.

    """
    environment = settings.ENVIRONMENT
    known = viewer.user is not None
    allowance_take(
        what="ask",
        who=f"user:{viewer.user.pk}" if viewer.user is not None else f"address:{viewer.address}",
        rate=Rate(environment.user_rate if known else environment.visitor_rate),
        message="You asked {count} questions within a {period}, which is as many as one may. "
        "Ask again in {wait} seconds." + ("" if known else " Who signs in may ask more."),
    )


def run_cancel(*, run: ReasoningRun, viewer: Viewer) -> ReasoningRun:
    """Stop a run at once, whether it waits or is being worked on; its worker notices that it lost the claim.

    A run that is over stays as it is.

    Raises:
        ProductError: somebody else asked, and the viewer is no administrator.

    """
    if not run_may_cancel(run=run, viewer=viewer):
        raise ProductError(403, "not_your_run", "Only who asked, or an administrator, may stop this run.")
    with transaction.atomic():
        if _close(run.pk, Status.CANCELLED, Cancelled()) and not run_is_own(run=run, viewer=viewer):
            audited(viewer, Audited.RUN_CANCELLED, run.pk, before=run.status)
    run.refresh_from_db()
    return run


def run_may_cancel(*, run: ReasoningRun, viewer: Viewer) -> bool:
    """Whether the viewer may stop it: who asked may, and administrators."""
    return may(viewer, Action.CANCEL_ANY_RUN) or run_is_own(run=run, viewer=viewer)


def run_is_own(*, run: ReasoningRun, viewer: Viewer) -> bool:
    """Whether the viewer asked it."""
    question = run.question
    if viewer.user is not None and question.asker_id == viewer.user.pk:
        return True
    return viewer.visitor is not None and question.visitor == viewer.visitor


def run_execute(*, run_id: uuid.UUID, stopping: Callable[[], bool] = lambda: False) -> None:
    """Work a run off: iterate the engine, save each event, announce it.

    Safe to call twice: only who wins the claim works. A run that another worker began goes on where it stopped: the
    events that it told are kept (`reasoning.continuation`), and the numbers go on. So nobody who saw an event ever sees
    it changed or missing. The cost told at the end is that of all decisions, whoever asked for them; the seconds are
    the last worker's. Where ``stopping`` becomes true, the run goes back to the queue.
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
        _close(run.pk, Status.FAILED, failed, only=Q(claim=run.claim))


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
            moved += _close(run.pk, Status.FAILED, failed, only=lapsed)
        elif ReasoningRun.objects.filter(lapsed, pk=run.pk).update(
            status=Status.QUEUED, claim=None, lease_until=None, enqueued_at=now
        ):
            log.warning("run %s lost its worker and is queued again", run.pk)
            _deliver(run.pk, run.scorer)
            moved += 1
    waiting: dict[Queue, list[tuple[uuid.UUID, str]]] = {}
    queued = Q(status=Status.QUEUED) & long_ago("enqueued_at", now, grace)
    for pk, scorer in ReasoningRun.objects.filter(queued).order_by("created_at").values_list("pk", "scorer"):
        waiting.setdefault(engine.queue_of(scorer), []).append((pk, scorer))
    for queue, runs in waiting.items():
        # Where nobody takes them from the broker, they would only pile up there.
        if not is_served(queue) or messages_held(queue) >= len(runs):
            continue
        # Some are lost. Which ones, nobody can tell: all are handed over again, for twice does no harm.
        for pk, scorer in runs:
            if ReasoningRun.objects.filter(queued, pk=pk).update(enqueued_at=now):
                _deliver(pk, scorer)
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
    return ReasoningRun.objects.select_related("question").get(pk=run_id) if won else None


def _renew(run: ReasoningRun, until: float) -> bool:
    """Renew the lease; end the run where its worker hangs in one step beyond its time."""
    if time.monotonic() > until:
        _close(run.pk, Status.FAILED, _too_long(), only=Q(claim=run.claim))
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
            _close(run.pk, Status.FAILED, Failed(code=DISK_FULL, message=RUN_ENDED, retryable=True), only=held)
        else:
            log.error("run %s met a fault of the database: %s", run.pk, error)
            ReasoningRun.objects.filter(held, pk=run.pk).update(lease_until=timezone.now())
    except (OperationalError, InterfaceError) as again:
        log.warning("run %s could not be moved, and is once its lease is over: %s", run.pk, again)


def _work(run: ReasoningRun, until: float, stopping: Callable[[], bool]) -> None:
    known = run_stage_events(run=run)
    if known and run_graph_changed(run=run):
        message = f"The graph “{run.graph_title}” was loaded anew while this was reasoned about. Ask again."
        _append(run, Failed(code="graph_changed", message=message, retryable=True))
        return
    decided = stage_events(run.decided)
    produced = engine.reason(
        run.question.text,
        graph_name=run.graph,
        scorer_name=None if decided else run.scorer,
        strategy=run.strategy,
        topic=Entity(run.topic) if run.topic else None,
        continuation=Continuation(tuple(known or decided[:1]), retold=tuple(decided[1:])),
        switches=EngineSwitches(**run.switches),
    )
    with closing(produced):
        for seq, event in enumerate(produced, start=1):
            if time.monotonic() > until:
                _append(run, _too_long())
                return
            if seq <= len(known) and event.kind not in TERMINAL_KINDS:
                continue
            room_check()
            _append(run, event)
            if event.kind not in TERMINAL_KINDS:
                _pause(run, stopping)
            if stopping() and event.kind not in TERMINAL_KINDS:
                _release(run)
                return


def _append(run: ReasoningRun, event: StageEvent) -> None:
    """Write the run's next event, and its end where it is the last; then say that there is more.

    Raises:
        ClaimLostError: the run is no longer ours; nothing was written.

    """
    changes: dict[str, object] = {"last_seq": F("last_seq") + 1}
    if event.kind in TERMINAL_KINDS:
        changes |= {
            "status": Status.SUCCEEDED if isinstance(event, Finished | Undecided) else Status.FAILED,
            "claim": None,
            "lease_until": None,
            "finished_at": timezone.now(),
        }
    else:
        changes["lease_until"] = timezone.now() + LEASE
    if isinstance(event, Started):
        changes["graph_version"] = event.graph_version
    if isinstance(event, Finished):
        changes["verdict"] = event.verdict
        changes["answers"] = [answer.term.label for answer in event.answers[:ANSWERS_KEPT]]
    with transaction.atomic():
        if not ReasoningRun.objects.filter(pk=run.pk, claim=run.claim).update(**changes):
            raise ClaimLostError
        run.last_seq += 1
        _write(run.pk, run.last_seq, event)


def _close(run_id: uuid.UUID, status: Status, event: StageEvent, only: Q | None = None) -> bool:
    """End a run, whoever holds it, unless it is over or ``only`` does not hold; return whether it was ended here."""
    with transaction.atomic():
        living = ReasoningRun.objects.filter(only or Q(), pk=run_id).exclude(status__in=OVER)
        if not living.update(
            status=status, claim=None, lease_until=None, finished_at=timezone.now(), last_seq=F("last_seq") + 1
        ):
            return False
        run = ReasoningRun.objects.get(pk=run_id)
        _write(run.pk, run.last_seq, event)
    return True


def _release(run: ReasoningRun) -> None:
    """Give a run back to the queue; this attempt does not count, since nothing went wrong."""
    ReasoningRun.objects.filter(pk=run.pk, claim=run.claim).update(
        status=Status.QUEUED, claim=None, lease_until=None, attempts=F("attempts") - 1, enqueued_at=timezone.now()
    )
    _deliver(run.pk, run.scorer)


def _write(run_id: uuid.UUID, seq: int, event: StageEvent) -> None:
    RunEvent.objects.create(run_id=run_id, seq=seq, kind=event.kind, event=event.model_dump(mode="json"))
    transaction.on_commit(partial(_announce, run_id))


def _announce(run_id: uuid.UUID) -> None:
    """Tell whoever follows the run that there is more. Who misses it looks again by themselves soon."""
    try:
        async_to_sync(_tell_followers)(run_id)
    except (RedisError, OSError) as error:
        log.warning("nobody could be told of run %s: %s", run_id, error)


async def _tell_followers(run_id: uuid.UUID) -> None:
    async with asyncio.timeout(_ANNOUNCING_SECONDS):
        await get_channel_layer().group_send(run_group(run_id), {"type": "run.grew"})


def run_group(run_id: uuid.UUID) -> str:
    """The channel layer's group of a run."""
    return f"run.{run_id}"


def _deliver(run_id: uuid.UUID, scorer: str) -> None:
    deliver(TASK, run_id, engine.queue_of(scorer))


def _pause(run: ReasoningRun, stopping: Callable[[], bool]) -> None:
    """Keep the pace that the settings ask for, noticing at once where the run is cancelled."""
    until = time.monotonic() + settings.ENVIRONMENT.pace_ms / 1000
    while (left := until - time.monotonic()) > 0 and not stopping():
        time.sleep(min(left, _TICK))
        if not ReasoningRun.objects.filter(pk=run.pk, claim=run.claim).exists():
            raise ClaimLostError
