"""What background work shares, whatever it is about: it is handed to the broker, and held under a lease.

A worker holds a piece of work by a claim, and renews its lease from another thread while it works, so that one long
step does not look like a death. Work whose lease lapsed is taken up by another worker.
"""

from __future__ import annotations

import logging
from contextlib import contextmanager
from datetime import timedelta
from threading import Event, Thread
from typing import TYPE_CHECKING

from django.db import InterfaceError, OperationalError, connection
from django.db.models import Q
from kombu.exceptions import OperationalError as BrokerError
from redis.exceptions import RedisError

from webapp.clock import TOLERANCE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime
    from uuid import UUID

    from celery import Task

    from webapp.work.queues import Queue

log = logging.getLogger(__name__)

LEASE = timedelta(seconds=8)
"""Work whose worker has not been heard of for so long is taken up by another."""
REDELIVERY = timedelta(seconds=60)
"""Work that waits longer is handed to the broker again, in case the broker lost it."""


class ClaimLostError(Exception):
    """The work was cancelled, or another worker holds it now."""


def lapsed_lease(now: datetime) -> Q:
    """That nobody renewed a lease in time. Nobody ever takes one for longer than `LEASE`, unless the clock is set."""
    return Q(lease_until__lt=now) | Q(lease_until__gt=now + LEASE + TOLERANCE)


def deliver(task: Task[[str], None], pk: UUID, queue: Queue, *, times: int = 1) -> None:
    """Hand work to the broker. Where that is away, the worker's watch does it later."""
    try:
        for _ in range(times):
            task.apply_async((str(pk),), queue=queue.value)
    except (BrokerError, RedisError, OSError) as error:
        log.warning("%s of %s waits for the broker: %s", task.name, pk, error)


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
