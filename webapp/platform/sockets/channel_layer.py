"""The channel layer: how processes tell one another, over Redis, that a run has more events."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any, TypeVar

from channels_redis.core import RedisChannelLayer
from redis.exceptions import RedisError

if TYPE_CHECKING:
    from collections.abc import Coroutine

log = logging.getLogger(__name__)

RETRY_SECONDS = 1.0
"""How soon Redis is asked again where it did not answer."""
_CANCELLED_AGAIN_SECONDS = 0.05

T = TypeVar("T")


class PatientChannelLayer(RedisChannelLayer):
    """A layer whose receivers outlive a Redis that is restarted, hangs or is away, and end when they are cancelled.

    In the layer that comes with channels_redis, every such fault ends each socket that listens. Messages sent in the
    meantime are lost here too: listeners must also poll.
    """

    def __init__(self, **config: Any) -> None:
        super().__init__(**config)
        self._is_away = False

    async def receive(self, channel: str) -> dict[str, Any]:
        """Wait for the next message of a channel, however long Redis is away."""
        while True:
            try:
                message: dict[str, Any] = await _cancellable(super().receive(channel))
            except (RedisError, OSError) as error:
                if not self._is_away:
                    log.warning("Redis does not answer; sockets look for events by themselves: %s", error)
                self._is_away = True
                await asyncio.sleep(RETRY_SECONDS)
            else:
                self._is_away = False
                return message

    async def group_add(self, group: str, channel: str) -> None:
        """Let a channel get what is sent to a group."""
        await _cancellable(super().group_add(group, channel))

    async def group_discard(self, group: str, channel: str) -> None:
        """Let a channel get it no more."""
        await _cancellable(super().group_discard(group, channel))

    async def group_send(self, group: str, message: dict[str, Any]) -> None:
        """Send a message to all channels of a group."""
        await _cancellable(super().group_send(group, message))


async def _cancellable(work: Coroutine[Any, Any, T]) -> T:
    """Wait for work; where that is cancelled, cancel the work as often as it takes to end it.

    Redis's client sends by `asyncio.wait_for`, which before Python 3.12 loses a cancellation that comes as the sending
    ends (python/cpython#86296). A consumer that waits for messages would then never end.
    """
    task = asyncio.ensure_future(work)
    try:
        await asyncio.wait({task})
    except asyncio.CancelledError:
        while not task.done():
            task.cancel()
            await asyncio.wait({task}, timeout=_CANCELLED_AGAIN_SECONDS)
        if not task.cancelled():
            task.exception()  # Nothing awaits it any more.
        raise
    return task.result()
