"""What background work shares, whatever it is about: it is handed to the broker, and held under a lease.

A worker holds a piece of work by a claim, and renews its lease from another thread while it works, so that one long
step does not look like a death. Work whose lease lapsed is taken up by another worker.
"""

from __future__ import annotations

import logging
from contextlib import contextmanager
from datetime import timedelta
from functools import cache
from threading import Event, Thread
from typing import TYPE_CHECKING

from django.conf import settings
from django.db import InterfaceError, OperationalError, connection
from django.db.models import Q
from kombu.exceptions import OperationalError as BrokerError
from redis import Redis
from redis.exceptions import RedisError

from webapp.clock import TOLERANCE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime
    from uuid import UUID

    from celery import Task

    from webapp.queues import Queue

log = logging.getLogger(__name__)

LEASE = timedelta(seconds=8)
"""Work whose worker has not been heard of for so long is taken up by another."""
GRACE = timedelta(seconds=4)
"""Work that waits for so long should be known to the broker; where it is not, it is handed over again."""
_REDIS_SECONDS = 2.0


class ClaimLostError(Exception):
    """The work was cancelled, or another worker holds it now."""


def lapsed_lease(now: datetime) -> Q:
    """That nobody renewed a lease in time. Nobody ever takes one for longer than `LEASE`, unless the clock is set."""
    return Q(lease_until__lt=now) | Q(lease_until__gt=now + LEASE + TOLERANCE)


def deliver(task: Task[[str], None], pk: UUID, queue: Queue, *, times: int = 1, countdown: float = 0) -> None:
    """Hand work to the broker, to be begun after ``countdown`` seconds. Where that is away, the watch does it later."""
    try:
        for _ in range(times):
            task.apply_async((str(pk),), queue=queue.value, countdown=countdown)
    except (BrokerError, RedisError, OSError) as error:
        log.warning("%s of %s waits for the broker: %s", task.name, pk, error)


def messages_held(queue: Queue) -> int:
    """How many messages of a queue the broker holds that no worker has taken.

    Raises:
        RedisError: the broker does not answer.

    """
    return _broker().llen(queue.value)


@cache
def _broker() -> Redis:
    return Redis.from_url(
        settings.ENVIRONMENT.redis, socket_timeout=_REDIS_SECONDS, socket_connect_timeout=_REDIS_SECONDS
    )


@contextmanager
def lease_renewed(pk: UUID, renew: Callable[[], bool]) -> Iterator[Callable[[], bool]]:
    """Call ``renew`` from another thread again and again, until it says that the claim is lost.

    What is yielded tells whether it did.
    """
    over, lost = Event(), Event()

    def keep() -> None:
        while not over.wait(LEASE.total_seconds() / 4):
            try:
                held = renew()
            except (OperationalError, InterfaceError) as error:
                log.warning("the lease of %s was not renewed, and is tried again: %s", pk, error)
                connection.close()
                continue
            if not held:
                lost.set()
                break
        connection.close()

    thread = Thread(target=keep, name=f"lease of {pk}", daemon=True)
    thread.start()
    try:
        yield lost.is_set
    finally:
        over.set()
        thread.join()
