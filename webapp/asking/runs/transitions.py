"""The moves of a run and the writing of its log.

Every move is one conditional UPDATE, so that two workers, a worker and an asker, or a task that is delivered twice can
never both make it.
"""

from __future__ import annotations

import asyncio
import logging
import time
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING

from asgiref.sync import async_to_sync
from channels.layers import get_channel_layer
from django.db import transaction
from django.db.models import F, Q
from django.db.models.functions import Coalesce
from django.utils import timezone
from redis.exceptions import RedisError

from reasoning.events import TERMINAL_KINDS, Cancelled, Failed, Finished, Started, Undecided
from webapp.asking.runs.models import ReasoningRun, RunEvent
from webapp.platform.disk import RUN_ENDED
from webapp.platform.work.delivery import messages_held
from webapp.platform.work.heartbeat import is_served
from webapp.platform.work.lease import LEASE, ClaimLostError
from webapp.platform.work.queues import Queue
from webapp.platform.work.state_machine import StateMachine
from webapp.platform.work.states import Status

if TYPE_CHECKING:
    import uuid
    from datetime import datetime
    from typing import Any

    from reasoning.events import StageEvent

log = logging.getLogger(__name__)

TASK = "questions.run_execute"
"""The Celery task that works one off. Messages in the broker bear it, so it never changes."""
ATTEMPTS = 3
"""Maximum attempts before a run is marked as failed."""
MAX_LENGTH = timedelta(minutes=10)
"""Maximum time that a worker holds a run. Measured on the monotonic clock, so wall-clock changes do not matter."""
TIMEOUT = "timeout"
"""The code of a run that took longer."""
ANSWERS_KEPT = 5
"""How many answers a list of runs shows."""
_ANNOUNCING_SECONDS = 2.0
"""How long a worker tries to say that there is more; a Redis that hangs must not hold up the run."""


def run_append(run: ReasoningRun, event: StageEvent) -> None:
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
        if not runs.held(run).update(**changes):
            raise ClaimLostError
        run.last_seq += 1
        _write(run.pk, run.last_seq, event)


class RunStateMachine(StateMachine[ReasoningRun]):
    """The moves of runs: the end of each is an event of its log."""

    def claim(self, pk: uuid.UUID, *, free: Q | None = None, **changes: Any) -> ReasoningRun | None:
        """Claim a queued run, for `MAX_LENGTH` at most; None if another worker has, or it has ended."""
        started = Coalesce(F("started_at"), timezone.now())
        run = super().claim(pk, free=free, started_at=started, **changes)
        if run is not None:
            run.until = time.monotonic() + MAX_LENGTH.total_seconds()
        return run

    def renew(self, item: ReasoningRun) -> bool:
        """Renew the lease; end a run whose worker hangs in one step for too long."""
        if is_too_long(item):
            self.close(item.pk, Status.FAILED, too_long(), Q(claim=item.claim), code=TIMEOUT)
        return super().renew(item)

    def _deliver_again(self, now: datetime, waiting: Q) -> int:
        moved = 0
        for queue in Queue:
            of_queue = waiting & Q(queue=queue)
            count = self._rows.filter(of_queue).count()
            # If no worker takes them from the broker, they would only pile up there.
            if count and is_served(queue) and messages_held(queue) < count:
                # Some are lost. It is not known which ones: all are handed over again, for twice does no harm.
                moved += super()._deliver_again(now, of_queue)
        return moved

    def _reason(self, _reason: str) -> dict[str, str]:
        return {}

    def _closed(self, item: ReasoningRun, reason: str, code: str) -> None:
        self._rows.filter(pk=item.pk).update(last_seq=F("last_seq") + 1)
        retryable = code != "unexpected"
        cancelled = item.status == Status.CANCELLED
        event = Cancelled() if cancelled else Failed(code=code, message=reason, retryable=retryable)
        _write(item.pk, item.last_seq + 1, event)


runs = RunStateMachine(
    ReasoningRun.objects,
    TASK,
    given_up="The worker stopped {times} times while it reasoned about this question. Ask it again.",
    disk_full=RUN_ENDED,
    broke="The engine failed on this question. Rephrase it, and tell the administrator.",
    max_attempts=ATTEMPTS,
)


def is_too_long(run: ReasoningRun) -> bool:
    """Whether a worker has held a run for longer than `MAX_LENGTH`."""
    return time.monotonic() > run.until


def too_long() -> str:
    """The reason of a run that took longer than `MAX_LENGTH`."""
    return f"This run took longer than {MAX_LENGTH.seconds // 60} minutes and was stopped. Ask again."


def run_group(run_id: uuid.UUID) -> str:
    """The channel layer's group of a run."""
    return f"run.{run_id}"


def _write(run_id: uuid.UUID, seq: int, event: StageEvent) -> None:
    RunEvent.objects.create(run_id=run_id, seq=seq, kind=event.kind, event=event.model_dump(mode="json"))
    transaction.on_commit(partial(_announce, run_id))


def _announce(run_id: uuid.UUID) -> None:
    """Notify the followers of the run that there is more. Those who miss it poll again soon."""
    try:
        async_to_sync(_notify_followers)(run_id)
    except (RedisError, OSError) as error:
        log.warning("run %s: sending its news failed: %s", run_id, error)


async def _notify_followers(run_id: uuid.UUID) -> None:
    async with asyncio.timeout(_ANNOUNCING_SECONDS):
        await get_channel_layer().group_send(run_group(run_id), {"type": "run.grew"})
