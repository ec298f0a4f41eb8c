"""Threads for work that nobody waits for, so that no question waits behind it.

A worker that answers several questions at a time has threads apart for it. One with ``--pool solo`` has a single thread
for everything: what runs there must look again and again whether somebody waits.
"""

from __future__ import annotations

import logging
from concurrent.futures import ThreadPoolExecutor
from threading import BoundedSemaphore
from typing import TYPE_CHECKING

from celery import current_app
from django.db import connections
from redis.exceptions import RedisError

from webapp.work.delivery import deliver, messages_held
from webapp.work.queues import Queue
from webapp.work.stopping import is_stopping

if TYPE_CHECKING:
    from collections.abc import Callable
    from uuid import UUID

    from celery import Task

log = logging.getLogger(__name__)

AGAIN_SECONDS = 2.0
"""How soon work comes again for which there was no room."""


class BackgroundThreads:
    """So many threads, and room for as many pieces of work and one more that wait for them, first come, first served.

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


def background_start(count: int) -> None:
    """Have so many threads for the background, apart from those that answer questions."""
    global _threads  # noqa: PLW0603 - there is one worker a process
    _threads = BackgroundThreads(count)


def in_background(task: Task[[str], None], pk: UUID, work: Callable[[], None]) -> None:
    """Do what a task was delivered for: in a thread apart where there are such, else here and now.

    Where there is no room, the task comes again in the queue that it came from.
    """
    if _threads is None:
        work()
    elif not _threads.take(work):
        came = task.request.delivery_info or {}
        deliver(task.name, pk, Queue(str(came.get("routing_key"))), countdown=AGAIN_SECONDS)


def gives_way() -> bool:
    """Whether work in the background is to stop soon: it holds the only thread, and somebody waits for that."""
    if _threads is not None:
        return False
    served = [queue for queue in Queue if not queue.is_background and queue in current_app.amqp.queues.consume_from]
    try:
        return any(messages_held(queue) for queue in served)
    except (RedisError, OSError):
        return False
