"""How often somebody may do something: counted in the cache that all processes share; reading, in each process.

A window begins with the first thing that is counted and lasts for the rate's period.
"""

from __future__ import annotations

import contextlib
import hashlib
import math
import time
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address
from typing import TYPE_CHECKING

from django.conf import settings
from django.core.cache import BaseCache, cache, caches

from webapp.addresses import client_address
from webapp.environment import Rate
from webapp.errors import ProductError, error_response

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.http import HttpRequest, HttpResponseBase

_IPV6_NETWORK_BITS = 64
"""A household or a server has at least so large an IPv6 network to itself, and may draw addresses from it at will."""


@dataclass(frozen=True, slots=True)
class Allowance:
    """One that was counted, and can be given back."""

    key: str


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


def allowance_take(*, what: str, who: str, rate: Rate, message: str, counted: BaseCache = cache) -> Allowance:
    """Count one more of what somebody does; ``counted`` is where.

    It is counted before it is done, so that many at once are not each taken for the first.

    Raises:
        ProductError: it was one too many. The message may use ``{count}``, ``{period}``, ``{wait}`` (seconds) and
            ``{wait_words}`` (with the unit).

    """
    now = time.time()
    subject = f"allowance:{what}:{hashlib.sha256(who.encode('utf-8', 'surrogatepass')).hexdigest()}"
    begun = counted.get_or_set(f"{subject}:begun", now, timeout=rate.seconds) or now
    key = f"{subject}:{begun:.6f}"
    counted.add(key, 0, timeout=rate.seconds + 1)
    try:
        count = counted.incr(key)
    except ValueError:  # the cache made room for others in between
        count = 1
    if count > rate.count:
        wait = max(1, math.ceil(begun + rate.seconds - now))
        text = message.format(count=rate.count, period=rate.period, wait=wait, wait_words=wait_words(wait))
        raise ProductError(429, "too_many_requests", text, wait_seconds=wait)
    return Allowance(key)


def allowance_return(allowance: Allowance) -> None:
    """Give back what was counted, where only failures count and this was none."""
    with contextlib.suppress(ValueError):  # its window is over
        cache.decr(allowance.key)


def wait_words(seconds: int) -> str:
    """How long to wait: ``40 seconds``, ``12 minutes``."""
    if seconds < 120:  # noqa: PLR2004 - two minutes
        return f"{seconds} second{'' if seconds == 1 else 's'}"
    return f"{math.ceil(seconds / 60)} minutes"


def network_of(address: str) -> str:
    """Whom an address stands for where tries are counted: itself, or its IPv6 network."""
    try:
        known = ip_address(address)
    except ValueError:
        return address
    if not isinstance(known, IPv6Address):
        return str(known)
    if known.ipv4_mapped is not None:
        return str(known.ipv4_mapped)
    host_bits = 128 - _IPV6_NETWORK_BITS
    return f"{IPv6Address(int(known) >> host_bits << host_bits)}/{_IPV6_NETWORK_BITS}"
