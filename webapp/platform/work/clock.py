"""Handles jumps of the time of day: a clock that is set, or a machine that slept.

Leases and deliveries are times of day, because processes on several machines compare them. After a jump, no work may be
taken from a worker that lives, and no work may be forgotten.
"""

from __future__ import annotations

import time
from datetime import timedelta
from typing import TYPE_CHECKING

from django.db.models import Q

if TYPE_CHECKING:
    from datetime import datetime

TOLERANCE = timedelta(seconds=10)
"""The clocks of a site's machines differ by less."""


def long_ago(field: str, now: datetime, length: timedelta) -> Q:
    """That a time was longer ago than ``length``, or lies in a future that only a clock that was set back explains."""
    return Q(**{f"{field}__lt": now - length}) | Q(**{f"{field}__gt": now + TOLERANCE})


class ClockWatch:
    """Notices that the time of day moved by more than went by since the last look."""

    def __init__(self) -> None:
        self._offset = time.time() - time.monotonic()

    def has_jumped(self) -> bool:
        """Whether it did, forward or back, by more than half of `TOLERANCE`."""
        offset = time.time() - time.monotonic()
        moved, self._offset = abs(offset - self._offset), offset
        return moved > TOLERANCE.total_seconds() / 2
