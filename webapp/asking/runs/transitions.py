"""The moves of a run and the writing of its log.

Every move is one conditional UPDATE, so that two workers, a worker and an asker, or a task that is delivered twice can
never both make it.
"""

from __future__ import annotations

import asyncio
import logging
from functools import partial
from typing import TYPE_CHECKING

from asgiref.sync import async_to_sync
from channels.layers import get_channel_layer
from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone
from redis.exceptions import RedisError

from reasoning.core.switches import EngineSwitches
from reasoning.events import TERMINAL_KINDS, Finished, Started, Undecided
from webapp import engine
from webapp.asking.runs.models import ReasoningRun, RunEvent
from webapp.platform.work.delivery import deliver
from webapp.platform.work.lease import LEASE, ClaimLostError
from webapp.platform.work.states import OVER, Status

if TYPE_CHECKING:
    import uuid
    from collections.abc import Mapping
    from typing import Any

    from reasoning.events import StageEvent
    from webapp.platform.work.queues import Queue

log = logging.getLogger(__name__)

TASK = "questions.run_execute"
"""The Celery task that works one off. Messages in the broker bear it, so it never changes."""
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
        if not ReasoningRun.objects.filter(pk=run.pk, claim=run.claim).update(**changes):
            raise ClaimLostError
        run.last_seq += 1
        _write(run.pk, run.last_seq, event)


def run_close(run_id: uuid.UUID, status: Status, event: StageEvent, only: Q | None = None) -> bool:
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


def run_release(run: ReasoningRun) -> None:
    """Give a run back to the queue; this attempt does not count, since nothing went wrong."""
    ReasoningRun.objects.filter(pk=run.pk, claim=run.claim).update(
        status=Status.QUEUED, claim=None, lease_until=None, attempts=F("attempts") - 1, enqueued_at=timezone.now()
    )
    run_deliver(run.pk, run_queue_of(run.scorer, run.strategy, run.switches))


def run_queue_of(scorer: str, strategy: str, switches: Mapping[str, Any]) -> Queue:
    """Where a run waits. Switches that this version does not know are told by the worker that takes it up."""
    return engine.queue_of(scorer, strategy, EngineSwitches.from_json(switches))


def run_deliver(run_id: uuid.UUID, queue: Queue) -> None:
    """Hand a run to the broker."""
    deliver(TASK, run_id, queue)


def run_group(run_id: uuid.UUID) -> str:
    """The channel layer's group of a run."""
    return f"run.{run_id}"


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
