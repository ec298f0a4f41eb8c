"""Followers of a run, over a socket or by GET, which reconnect from the last number after an interruption."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, field
from typing import Any

import httpx2
from autobahn.asyncio.websocket import WebSocketClientFactory, WebSocketClientProtocol

ENDS = {"finished", "failed", "cancelled"}
_PAUSE = 0.2


@dataclass
class Follower:
    """What one follower saw of a run, in the order in which it came."""

    run_id: str
    port: int
    seen: list[tuple[int, dict[str, Any]]] = field(default_factory=list)
    dropped: int = 0
    """How many open sockets closed before the last event; one that could not be opened is not among them."""
    codes: list[int | None] = field(default_factory=list)
    """The close code of each socket that was open, in order."""
    closed: asyncio.Event = field(default_factory=asyncio.Event)
    """Set once a socket that was open was closed."""
    connected: asyncio.Event = field(default_factory=asyncio.Event)
    """Set once a socket was opened."""

    @property
    def last(self) -> int:
        """The number of the event that was seen last."""
        return self.seen[-1][0] if self.seen else 0

    @property
    def is_done(self) -> bool:
        """Whether the run's last event was seen."""
        return bool(self.seen) and self.seen[-1][1]["kind"] in ENDS

    def take(self, message: dict[str, Any]) -> None:
        """Note an event; a heartbeat, which has no number, tells nothing."""
        if "seq" not in message:
            return
        self.seen.append((message["seq"], message["event"]))


@dataclass
class SocketFollower(Follower):
    """Follows as the page does, or as a script with a token."""

    token: str = ""

    async def follow(self) -> None:
        """Until the last event."""
        while not self.is_done:
            loop = asyncio.get_running_loop()
            closed: asyncio.Future[None] = loop.create_future()
            host = f"127.0.0.1:{self.port}"
            address = f"ws://{host}/ws/runs/{self.run_id}/?after={self.last}"
            headers = {"Authorization": f"Bearer {self.token}"} if self.token else {"Origin": f"http://{host}"}
            factory = WebSocketClientFactory(address, headers=headers)
            factory.protocol = lambda ended=closed: _Protocol(self, ended)
            try:
                transport, _ = await loop.create_connection(factory, "127.0.0.1", self.port)
                try:
                    await closed
                finally:
                    # The loop may end before the other side has closed it.
                    transport.abort()
                    await asyncio.sleep(0)
            except OSError:
                pass
            if not self.is_done:
                await asyncio.sleep(_PAUSE)


class _Protocol(WebSocketClientProtocol):
    def __init__(self, follower: Follower, closed: asyncio.Future[None]) -> None:
        super().__init__()
        self._follower = follower
        self._closed = closed
        self._was_open = False

    def onOpen(self) -> None:  # noqa: N802 - autobahn's name
        self._was_open = True
        self._follower.connected.set()

    def onMessage(self, payload: bytes, isBinary: bool) -> None:  # noqa: N802, N803 - autobahn's names
        self._follower.take(json.loads(payload))

    def onClose(self, wasClean: bool, code: int | None, reason: str | None) -> None:  # noqa: N802, N803
        if self._was_open:
            self._follower.codes.append(code)
            self._follower.closed.set()
            if not self._follower.is_done:
                self._follower.dropped += 1
        if not self._closed.done():
            self._closed.set_result(None)


class GetFollower(Follower):
    """Follows as a script does that cannot open sockets."""

    async def follow(self) -> None:
        """Until the last event."""
        async with httpx2.AsyncClient(base_url=f"http://127.0.0.1:{self.port}", timeout=30) as client:
            while not self.is_done:
                try:
                    response = await client.get(f"/api/runs/{self.run_id}/events", params={"after": self.last})
                    response.raise_for_status()
                except httpx2.HTTPError:
                    await asyncio.sleep(_PAUSE)
                    continue
                for message in response.json():
                    self.take(message)
                await asyncio.sleep(_PAUSE)
