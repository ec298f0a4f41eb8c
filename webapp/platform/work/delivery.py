"""Sends work to the broker. A message holds a task's name and an id, nothing else."""

from __future__ import annotations

import logging
from datetime import timedelta
from functools import cache
from typing import TYPE_CHECKING

from celery import current_app
from django.conf import settings
from kombu.exceptions import OperationalError
from redis import Redis
from redis.exceptions import RedisError

if TYPE_CHECKING:
    from uuid import UUID

    from webapp.platform.work.queues import Queue

log = logging.getLogger(__name__)

GRACE = timedelta(seconds=4)
"""Work that waits for so long should be known to the broker; where it is not, it is handed over again."""
_REDIS_SECONDS = 2.0


def deliver(task: str, pk: UUID, queue: Queue, *, times: int = 1, countdown: float = 0) -> None:
    """Hand work to the broker, to be begun after ``countdown`` seconds. Where that is away, the watch does it later."""
    try:
        for _ in range(times):
            current_app.send_task(task, (str(pk),), queue=queue.value, countdown=countdown)
    except (OperationalError, RedisError, OSError) as error:
        log.warning("%s of %s waits for the broker: %s", task, pk, error)


def messages_held(queue: Queue) -> int:
    """How many messages of a queue the broker holds that no worker has taken.

    Raises:
        RedisError: the broker does not answer.

    """
    return _broker().llen(queue.value)


@cache
def _broker() -> Redis:
    return Redis.from_url(
        settings.ENVIRONMENT.redis, socket_timeout=_REDIS_SECONDS, socket_connect_timeout=_REDIS_SECONDS
    )
