"""The socket that follows a run: every event from a number on, each once and in order."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import re
from http import HTTPStatus
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs

from channels.db import database_sync_to_async
from channels.generic.websocket import AsyncWebsocketConsumer
from django.db import DatabaseError
from redis.exceptions import RedisError

from webapp.accounts.viewer import socket_viewer
from webapp.asking.runs.schemas import HeartbeatOut
from webapp.asking.runs.selectors import run_events, run_for_viewer, run_is_over
from webapp.asking.runs.transitions import run_group
from webapp.platform.http.errors import ProductError

if TYPE_CHECKING:
    import uuid

    from webapp.asking.runs.schemas import RunEventOut

log = logging.getLogger(__name__)

BAD_REQUEST = 4400
"""The close code where ``after`` is no number of an event."""
UNKNOWN = 4404
"""The close code for a run, or an address, that is not there."""
UNREADABLE = 4403
"""The close code for a run of another user that the site's settings hide from the viewer."""
BROKEN = 4500
"""The close code where the site failed, for example because its database is away. Connecting again may help.

The protocol's own code for this, 1011, is reserved for the server's library: an application may not send it.
"""
TRY_AGAIN = "The events cannot be read now. Try again in a moment."
"""The reason sent with `BROKEN`."""
BATCH = 50
"""Number of events that are read at a time."""
HEARTBEAT_SECONDS = 5.0
"""How soon the log is read again although nothing was announced: an announcement may be lost, an event may not. Where
there is nothing new, a heartbeat says so."""
_REDIS_SECONDS = 2.0
"""How long following waits for the channel layer, without which it goes on as well."""
_SEQ = re.compile(r"[0-9]{1,10}")
_LARGEST_SEQ = 2**31 - 1


class RunConsumer(AsyncWebsocketConsumer):
    """``/ws/runs/{id}/?after=seq``: sends `RunEventOut` as JSON, replaying what was missed, then following.

    The log is the truth. The channel layer only says that there is more, and only one task reads and sends, so nothing
    is sent twice or out of order. Between events, `HeartbeatOut` says that the site is there and the log was read. The
    socket is closed with code 1000 after the last event, and where there is none after ``after`` any more.
    """

    async def connect(self) -> None:
        """Join the run's group, then replay: in this order, nothing falls between the two."""
        self.follower: asyncio.Task[None] | None = None
        await self.accept()
        try:
            after = _seq_asked(self.scope["query_string"])
        except ValueError as error:
            await self.close(BAD_REQUEST, str(error))
            return
        self.run_id: uuid.UUID = self.scope["url_route"]["kwargs"]["run_id"]
        try:
            refusal = await self._refusal()
        except DatabaseError:
            log.exception("run %s cannot be read", self.run_id)
            await self.close(BROKEN, TRY_AGAIN)
            return
        if refusal is not None:
            await self.close(UNKNOWN if refusal.status == HTTPStatus.NOT_FOUND else UNREADABLE, refusal.message)
            return
        self.more = asyncio.Event()
        await self._join()
        self.follower = asyncio.create_task(self._follow(after))

    async def disconnect(self, _code: int) -> None:
        """Stop following."""
        if self.follower is not None:
            self.follower.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self.follower
            # A member that stays behind does no harm: what is sent to it is dropped, and it expires.
            with contextlib.suppress(RedisError, OSError):
                async with asyncio.timeout(_REDIS_SECONDS):
                    await self.channel_layer.group_discard(run_group(self.run_id), self.channel_name)

    async def run_grew(self, _message: dict[str, Any]) -> None:
        """The channel layer says that there is more."""
        self.more.set()

    async def _join(self) -> None:
        """Subscribe to news of further events. Where that fails, events come as late as heartbeats."""
        with contextlib.suppress(RedisError, OSError):
            async with asyncio.timeout(_REDIS_SECONDS):
                await self.channel_layer.group_add(run_group(self.run_id), self.channel_name)

    async def _follow(self, after: int) -> None:
        try:
            while True:
                self.more.clear()
                messages, is_all = await self._read(after)
                for message in messages:
                    await self.send(message.model_dump_json())
                    after = message.seq
                if is_all:
                    await self.close(1000)
                    return
                if len(messages) < BATCH:
                    await self._wait()
        except Exception:
            # Nothing awaits this task: without a close, the socket would stay open and silent.
            log.exception("the events of run %s cannot be followed", self.run_id)
            await self.close(BROKEN, TRY_AGAIN)

    async def _wait(self) -> None:
        """Wait for more. After a while without any, say that the site is there, and join again: Redis may forget."""
        try:
            async with asyncio.timeout(HEARTBEAT_SECONDS):
                await self.more.wait()
        except TimeoutError:
            await self.send(HeartbeatOut(kind="heartbeat").model_dump_json())
            await self._join()

    @database_sync_to_async
    def _refusal(self) -> ProductError | None:
        """Why the run cannot be followed."""
        try:
            run_for_viewer(run_id=self.run_id, viewer=socket_viewer(self.scope))
        except ProductError as error:
            return error
        return None

    @database_sync_to_async
    def _read(self, after: int) -> tuple[list[RunEventOut], bool]:
        """The next events, and whether none will ever follow them."""
        over = run_is_over(run_id=self.run_id)
        messages = run_events(run_id=self.run_id, after=after, limit=BATCH)
        return messages, over and len(messages) < BATCH


def _seq_asked(query: bytes) -> int:
    """The ``after`` of a query string, 0 where there is none.

    Raises:
        ValueError: it is no number that an event can have.

    """
    (text, *_) = parse_qs(query.decode("ascii")).get("after", ["0"])
    if not _SEQ.fullmatch(text) or int(text) > _LARGEST_SEQ:
        raise ValueError("after= takes the number of the last event that you have, from 0 on.")
    return int(text)
