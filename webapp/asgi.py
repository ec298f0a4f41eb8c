"""The ASGI application: pages and API over HTTP, runs over sockets."""

from __future__ import annotations

import os
from typing import Any
from urllib.parse import urlparse

from channels.generic.websocket import AsyncWebsocketConsumer
from channels.routing import ProtocolTypeRouter, URLRouter
from channels.security.websocket import OriginValidator
from django.conf import settings
from django.core.asgi import get_asgi_application
from django.urls import path, re_path

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webapp.settings")

http = get_asgi_application()

from webapp.questions.consumers import NowhereConsumer, RunConsumer  # noqa: E402 - Django is set up by now
from webapp.sockets import SocketsLimited, is_same_site  # noqa: E402

FORBIDDEN = 4403
"""The close code for a page of another site."""


class ForeignConsumer(AsyncWebsocketConsumer):
    """Refuses a socket that another site's page opened. It accepts first: else a browser would not see the code."""

    async def connect(self) -> None:
        """Accept and close."""
        await self.accept()
        await self.close(FORBIDDEN, "Only pages of this site may follow its runs.")


class OwnOrigin(OriginValidator):
    """Lets sockets through that a page of this site opened: of an allowed host, and of the host and port asked for."""

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        """Choose by the ``Origin`` header."""
        headers = dict(scope["headers"])
        origin = urlparse(headers[b"origin"].decode("latin-1")) if b"origin" in headers else None
        own = self.valid_origin(origin) and is_same_site(origin, headers.get(b"host", b"").decode("latin-1"))
        application = self.application if own else ForeignConsumer.as_asgi()
        await application(scope, receive, send)


application = ProtocolTypeRouter(
    {
        "http": http,
        "websocket": SocketsLimited(
            OwnOrigin(
                URLRouter(
                    [
                        path("ws/runs/<uuid:run_id>/", RunConsumer.as_asgi()),
                        re_path(r"", NowhereConsumer.as_asgi()),
                    ]
                ),
                settings.ALLOWED_HOSTS,
            )
        ),
    }
)
