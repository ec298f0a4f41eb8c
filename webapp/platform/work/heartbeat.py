"""The heartbeat of workers, kept in the cache where every process can read it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, TypedDict, cast

from django.core.cache import cache

from webapp.platform.work.queues import Queue

if TYPE_CHECKING:
    from collections.abc import Iterable

_QUEUE, _WORKER = "worker:queue:{}", "worker:name:{}"
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
    """``loading``, ``ready``, or why the default scorer cannot be loaded. A worker that never needs it is ready."""


def heartbeat_send(*, worker: str, queues: Iterable[Queue], scorer: str) -> None:
    """Say that a worker lives, which queues it serves, and how its scorer is."""
    said = Heartbeat(at=time.time(), scorer=scorer)
    keys = [_WORKER.format(worker), *(_QUEUE.format(queue) for queue in queues)]
    cache.set_many(dict.fromkeys(keys, said), timeout=GONE_SECONDS)


def heartbeat(queue: Queue) -> Heartbeat | None:
    """The last word of any worker that serves a queue; None where there is none that lives."""
    return cast("Heartbeat | None", cache.get(_QUEUE.format(queue)))


def is_served(queue: Queue) -> bool:
    """Whether a worker that lives takes from a queue."""
    return heartbeat(queue) is not None


def worker_lives(worker: str) -> bool:
    """Whether a worker was heard of lately; ``worker`` is its name, ``celery@host`` unless it was started with one."""
    return cache.get(_WORKER.format(worker)) is not None


def heartbeat_forget() -> None:
    """Start with no worker known."""
    cache.delete_many([_QUEUE.format(queue) for queue in Queue])
