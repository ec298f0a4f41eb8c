"""The channel layer: how processes tell one another, over Redis, that a run has more events."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

from channels_redis.core import RedisChannelLayer
from redis.exceptions import RedisError

log = logging.getLogger(__name__)

RETRY_SECONDS = 1.0
"""How soon Redis is asked again where it did not answer."""


class PatientChannelLayer(RedisChannelLayer):
    """A layer whose receivers outlive a Redis that is restarted, hangs or is away.

    In the layer that comes with channels_redis, every such fault ends each socket that listens. Messages sent in the
    meantime are lost here too: whoever listens must also look by itself.
    """

    def __init__(self, **config: Any) -> None:
        super().__init__(**config)
        self._is_away = False

    async def receive(self, channel: str) -> dict[str, Any]:
        """Wait for the next message of a channel, however long Redis is away."""
        while True:
            try:
                message: dict[str, Any] = await super().receive(channel)
            except (RedisError, OSError) as error:
                if not self._is_away:
                    log.warning("Redis does not answer; sockets look for events by themselves: %s", error)
                self._is_away = True
                await asyncio.sleep(RETRY_SECONDS)
            else:
                self._is_away = False
                return message
