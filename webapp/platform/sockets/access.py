"""Decides who may open a socket: pages of this site, with a limit for each address."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from channels.generic.websocket import AsyncWebsocketConsumer
from django.conf import settings

from webapp.platform.http.addresses import socket_address
from webapp.platform.http.rate_limit import network_of

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from urllib.parse import ParseResult

_PORTS = {"http": 80, "https": 443}
TOO_MANY = 4429
"""The close code where one address holds too many sockets open."""


class RefusingConsumer(AsyncWebsocketConsumer):
    """Closes a socket with a code and a reason. It accepts first: otherwise a browser would not see the code."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__()
        self._code = code
        self._reason = reason

    async def connect(self) -> None:
        """Accept and close."""
        await self.accept()
        await self.close(self._code, self._reason)


refuse_crowded = RefusingConsumer.as_asgi(
    code=TOO_MANY, reason="Too many sockets of this address are open. Close some, or ask for the events."
)


class SocketsLimited:
    """Lets an address open as many sockets as the settings say; for each web process, which alone knows its own."""

    def __init__(self, application: Callable[..., Awaitable[None]]) -> None:
        self._application = application
        self._open: Counter[str] = Counter()

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        """Serve the socket while it is open, or refuse it."""
        address = network_of(socket_address(scope))
        if self._open[address] >= settings.ENVIRONMENT.sockets_per_address:
            await refuse_crowded(scope, receive, send)
            return
        self._open[address] += 1
        try:
            await self._application(scope, receive, send)
        finally:
            self._open[address] -= 1
            if not self._open[address]:
                del self._open[address]


def is_same_site(origin: ParseResult | None, host: str) -> bool:
    """Whether a page of an origin asks the host and port that served it; ``host`` is the request's ``Host``.

    A proxy must pass on ``Host`` as it came, port included, which Django's own check of forms asks for as well. What
    without a port is at the default port of its scheme. A site of https serves no page of http.
    """
    if origin is None or origin.scheme not in _PORTS or (settings.ENVIRONMENT.https and origin.scheme != "https"):
        return False
    asked = urlsplit(f"//{host}")
    try:
        return (origin.hostname, origin.port or _PORTS[origin.scheme]) == (
            asked.hostname,
            asked.port or _PORTS[origin.scheme],
        )
    except ValueError:
        return False
