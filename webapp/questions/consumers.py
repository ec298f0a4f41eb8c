"""The socket that follows a run: every event from a number on, each once and in order."""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs

from channels.db import database_sync_to_async
from channels.generic.websocket import AsyncWebsocketConsumer

from reasoning.events import TERMINAL_KINDS
from webapp.questions.models import ReasoningRun
from webapp.questions.selectors import run_events
from webapp.questions.services import run_group

if TYPE_CHECKING:
    import uuid

    from webapp.questions.schemas import RunEventOut

UNKNOWN = 4404
"""The close code for a run, or an address, that is not there."""
BAD_REQUEST = 4400
"""The close code where ``after`` is no number."""
BATCH = 50
"""So many events are read at a time."""
LOOK_AGAIN_SECONDS = 5.0
"""How soon the log is read again although nothing was announced: an announcement may be lost, an event may not."""


class RunConsumer(AsyncWebsocketConsumer):
    """``/ws/runs/{id}/?after=seq``: sends `RunEventOut` as JSON, replaying what was missed, then following.

    The log is the truth. The channel layer only says that there is more, and only one task reads and sends, so nothing
    is sent twice or out of order. The socket is closed with code 1000 after the last event.
    """

    async def connect(self) -> None:
        """Join the run's group, then replay: in this order, nothing falls between the two."""
        self.follower: asyncio.Task[None] | None = None
        await self.accept()
        try:
            after = int(parse_qs(self.scope["query_string"].decode()).get("after", ["0"])[0])
        except ValueError:
            await self.close(BAD_REQUEST)
            return
        self.run_id: uuid.UUID = self.scope["url_route"]["kwargs"]["run_id"]
        if not await database_sync_to_async(ReasoningRun.objects.filter(pk=self.run_id).exists)():
            await self.close(UNKNOWN)
            return
        self.more = asyncio.Event()
        await self.channel_layer.group_add(run_group(self.run_id), self.channel_name)
        self.follower = asyncio.create_task(self._follow(after))

    async def disconnect(self, _code: int) -> None:
        """Stop following."""
        if self.follower is not None:
            self.follower.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self.follower
            await self.channel_layer.group_discard(run_group(self.run_id), self.channel_name)

    async def run_grew(self, _message: dict[str, Any]) -> None:
        """The channel layer says that there is more."""
        self.more.set()

    async def _follow(self, after: int) -> None:
        while True:
            self.more.clear()
            for message in await self._read(after):
                await self.send(message.model_dump_json())
                after = message.seq
                if message.event.kind in TERMINAL_KINDS:
                    await self.close(1000)
                    return
                self.more.set()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self.more.wait(), LOOK_AGAIN_SECONDS)

    @database_sync_to_async
    def _read(self, after: int) -> list[RunEventOut]:
        return run_events(run_id=self.run_id, after=after, limit=BATCH)


class NowhereConsumer(AsyncWebsocketConsumer):
    """Any other address."""

    async def connect(self) -> None:
        """Accept and close: without accepting, a browser would not see the code."""
        await self.accept()
        await self.close(UNKNOWN)
