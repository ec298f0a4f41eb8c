"""Rate limits, counted in a cache, usually in the one that all processes share.

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

from django.core.cache import BaseCache, cache

from webapp.platform.http.errors import ProductError

if TYPE_CHECKING:
    from webapp.platform.environment import Rate

_IPV6_NETWORK_BITS = 64
"""A household or a server has at least so large an IPv6 network to itself, and may draw addresses from it at will."""


@dataclass(frozen=True, slots=True)
class Allowance:
    """What was counted, and can be given back."""

    key: str
    counted: BaseCache
    times: int = 1


def allowance_take(
    *, what: str, who: str, rate: Rate, message: str, counted: BaseCache = cache, times: int = 1
) -> Allowance:
    """Count one more action of a person, or several ``times`` at once; ``counted`` says which counter.

    It is counted before it is done, so that many at once are not each taken for the first.

    Raises:
        ProductError: it was one too many; of several at once none is counted then. The message may use ``{count}``,
            ``{period}`` (*an hour*), ``{wait}`` (seconds) and ``{wait_words}`` (with the unit).

    """
    now = time.time()
    subject = f"allowance:{what}:{hashlib.sha256(who.encode('utf-8', 'surrogatepass')).hexdigest()}"
    begun = counted.get_or_set(f"{subject}:begun", now, timeout=rate.seconds) or now
    key = f"{subject}:{begun:.6f}"
    counted.add(key, 0, timeout=rate.seconds + 1)
    try:
        count = counted.incr(key, times)
    except ValueError:  # the cache made room for others in between
        count = times
    if count > rate.count:
        if times > 1:
            allowance_return(Allowance(key, counted, times))
        wait = max(1, math.ceil(begun + rate.seconds - now))
        period = f"an {rate.period}" if rate.period == "hour" else f"a {rate.period}"
        text = message.format(count=rate.count, period=period, wait=wait, wait_words=wait_words(wait))
        raise ProductError(429, "too_many_requests", text, wait_seconds=wait)
    return Allowance(key, counted, times)


def allowance_return(allowance: Allowance) -> None:
    """Give back what was counted, where only failures count and this was none."""
    with contextlib.suppress(ValueError):  # its window has ended
        allowance.counted.decr(allowance.key, allowance.times)


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
