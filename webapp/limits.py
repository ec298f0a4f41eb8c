"""How often somebody may do something: ask, counted in the cache that all processes share; read, in each process."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from django.conf import settings
from django.core.cache import BaseCache, cache, caches

from webapp.addresses import client_address
from webapp.environment import Rate
from webapp.errors import ProductError, error_response

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.http import HttpRequest, HttpResponseBase


def reads_limited(get_response: Callable[[HttpRequest], HttpResponseBase]) -> Callable[[HttpRequest], HttpResponseBase]:
    """Middleware that limits how often an address may read of the API.

    Each web process counts for itself, so that reading needs no Redis.
    """

    def middleware(request: HttpRequest) -> HttpResponseBase:
        if request.method not in ("GET", "HEAD") or not request.path.startswith("/api/"):
            return get_response(request)
        try:
            allowance_take(
                what="read",
                who=client_address(request),
                rate=Rate(settings.ENVIRONMENT.read_rate),
                message="More than {count} requests came from this address within a {period}. "
                "Try again in {wait} seconds.",
                counted=caches["process"],
            )
        except ProductError as error:
            refusal = error_response(error.status, error.code, error.message, error.extra)
            refusal.headers["Retry-After"] = str(error.extra["wait_seconds"])
            return refusal
        return get_response(request)

    return middleware


def allowance_take(*, what: str, who: str, rate: Rate, message: str, counted: BaseCache = cache) -> None:
    """Count one more of what somebody does, in windows of the rate's period; ``counted`` is where.

    Raises:
        ProductError: it was one too many. The message may use ``{count}``, ``{period}`` and ``{wait}`` (seconds).

    """
    now = time.time()
    window = int(now // rate.seconds)
    key = f"allowance:{what}:{who}:{window}"
    counted.add(key, 0, timeout=rate.seconds + 1)
    try:
        count = counted.incr(key)
    except ValueError:  # the cache made room for others in between
        count = 1
    if count > rate.count:
        wait = max(1, round((window + 1) * rate.seconds - now))
        text = message.format(count=rate.count, period=rate.period, wait=wait)
        raise ProductError(429, "too_many_requests", text, wait_seconds=wait)
