"""Claims and leases: how a worker holds a piece of background work.

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

from webapp.platform.work.clock import TOLERANCE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime
    from uuid import UUID


log = logging.getLogger(__name__)

LEASE = timedelta(seconds=8)
"""Work whose worker has not been heard of for so long is taken up by another."""


class ClaimLostError(Exception):
    """The work was cancelled, or another worker holds it now."""


def lapsed_lease(now: datetime) -> Q:
    """That a lease was not renewed in time. No lease is longer than `LEASE`, unless the clock is set."""
    return Q(lease_until__lt=now) | Q(lease_until__gt=now + LEASE + TOLERANCE)


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
