"""What a worker says of itself every few seconds, kept where every process can read it."""

from __future__ import annotations

import time
from typing import TypedDict, cast

from django.core.cache import cache

_KEY = "worker:heartbeat"
SECONDS = 2
"""How often a worker is heard of."""
GONE_SECONDS = 10
"""A worker that was not heard of for so long is taken for gone."""

LOADING, READY = "loading", "ready"


class Heartbeat(TypedDict):
    """A worker's last word."""

    at: float
    """Seconds since 1970."""
    scorer: str
    """``loading``, ``ready``, or why the scorer cannot be loaded."""


def heartbeat_send(*, scorer: str) -> None:
    """Say that a worker lives, and how its scorer is."""
    cache.set(_KEY, Heartbeat(at=time.time(), scorer=scorer), timeout=GONE_SECONDS)


def heartbeat() -> Heartbeat | None:
    """The last word of any worker; None where there is none that lives."""
    return cast("Heartbeat | None", cache.get(_KEY))


def heartbeat_forget() -> None:
    """Start with no worker known."""
    cache.delete(_KEY)
