"""How often somebody may do something, counted in the cache that all processes share."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from django.core.cache import cache

from webapp.errors import ProductError

if TYPE_CHECKING:
    from webapp.environment import Rate


def allowance_take(*, what: str, who: str, rate: Rate, message: str) -> None:
    """Count one more of what somebody does, in windows of the rate's period.

    Raises:
        ProductError: it was one too many. The message may use ``{count}``, ``{period}`` and ``{wait}`` (seconds).

    """
    now = time.time()
    window = int(now // rate.seconds)
    key = f"allowance:{what}:{who}:{window}"
    cache.add(key, 0, timeout=rate.seconds + 1)
    if cache.incr(key) > rate.count:
        wait = max(1, round((window + 1) * rate.seconds - now))
        text = message.format(count=rate.count, period=rate.period, wait=wait)
        raise ProductError(429, "too_many_requests", text, wait_seconds=wait)
