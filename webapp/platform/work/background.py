"""Threads for background work, so that no question waits behind it.

A worker that answers several questions at a time has as many threads apart for it. One with ``--pool solo`` has one
apart, for trainings; what asks models, as evaluations do, holds the only thread that does so, and must look again and
again whether a user waits.
"""

from __future__ import annotations

import logging
from concurrent.futures import ThreadPoolExecutor
from threading import BoundedSemaphore
from typing import TYPE_CHECKING

from celery import current_app
from django.db import connections
from redis.exceptions import RedisError

from webapp.platform.work.delivery import deliver, messages_held
from webapp.platform.work.queues import Queue
from webapp.platform.work.stopping import is_stopping

if TYPE_CHECKING:
    from collections.abc import Callable
    from uuid import UUID

    from celery import Task

log = logging.getLogger(__name__)

AGAIN_SECONDS = 2.0
"""How soon work comes again for which there was no room."""


class BackgroundThreads:
    """Threads with a queue of the same length and one more, first come, first served.

    The rest is left to other workers.
    """

    def __init__(self, count: int) -> None:
        self._threads = ThreadPoolExecutor(count, thread_name_prefix="background")
        self._room = BoundedSemaphore(2 * count + 1)

    def take(self, work: Callable[[], None]) -> bool:
        """See that work is done; False where there is no room for it."""
        if not self._room.acquire(blocking=False):
            return False
        self._threads.submit(self._do, work)
        return True

    def _do(self, work: Callable[[], None]) -> None:
        try:
            # A worker that stops leaves what is not begun: the watch of another takes it up.
            if not is_stopping():
                work()
        except Exception:
            log.exception("work in the background broke")
        finally:
            connections.close_all()
            self._room.release()


_threads: BackgroundThreads | None = None
_is_solo = False


def background_start(count: int, *, solo: bool) -> None:
    """Start this number of background threads, apart from those that answer questions.

    ``solo``: one thread alone asks models.
    """
    global _threads, _is_solo
    _threads, _is_solo = BackgroundThreads(count), solo


def in_background(task: Task[[str], None], pk: UUID, work: Callable[[], None], *, asks_models: bool) -> None:
    """Do what a task was delivered for: in a thread apart, or here and now where one thread alone asks models.

    Where there is no room, the task comes again in the queue that it came from.
    """
    if _threads is None or (_is_solo and asks_models):
        work()
    elif not _threads.take(work):
        came = task.request.delivery_info or {}
        deliver(task.name, pk, Queue(str(came.get("routing_key"))), countdown=AGAIN_SECONDS)


def gives_way() -> bool:
    """Whether work that asks models is to stop soon: it holds the only thread for that, and a user waits for it."""
    if not _is_solo:
        return False
    served = [queue for queue in Queue if not queue.is_background and queue in current_app.amqp.queues.consume_from]
    try:
        return any(messages_held(queue) for queue in served)
    except (RedisError, OSError):
        return False
