"""The ASGI application: pages and API over HTTP, runs over sockets."""

from __future__ import annotations

import logging
import os
from typing import Any
from urllib.parse import urlparse

from channels.db import database_sync_to_async
from channels.routing import ProtocolTypeRouter, URLRouter
from channels.security.websocket import OriginValidator
from django.conf import settings
from django.core.asgi import get_asgi_application
from django.db import DatabaseError
from django.urls import path, re_path

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webapp.settings")

http = get_asgi_application()

from webapp.accounts.tokens import token_is_good  # noqa: E402 - Django is set up by now
from webapp.asking.runs.consumers import BROKEN, TRY_AGAIN, UNKNOWN, RunConsumer  # noqa: E402 - Django is set up by now
from webapp.platform.sockets.access import RefusingConsumer, SocketsLimited, is_same_site  # noqa: E402

log = logging.getLogger(__name__)

FORBIDDEN = 4403
"""The close code for a page of another site, and for a script without a token."""
WRONG_TOKEN = 4401
"""The close code for a token that is not, or no longer, good for anything."""


refuse_foreign = RefusingConsumer.as_asgi(
    code=FORBIDDEN, reason="Only pages of this site, and scripts with a token, may follow its runs."
)
refuse_wrong_token = RefusingConsumer.as_asgi(
    code=WRONG_TOKEN, reason="This token is not, or no longer, good for anything."
)
refuse_unknown = RefusingConsumer.as_asgi(code=UNKNOWN, reason="There is nothing to follow at this address.")
refuse_broken = RefusingConsumer.as_asgi(code=BROKEN, reason=TRY_AGAIN)


class OwnOrigin(OriginValidator):
    """Lets sockets through that a page of this site opened, or a script with a token.

    A page is of this site where its host is allowed, and its host and port are those that the socket asks for.
    """

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        """Choose by the ``Origin`` header, which every browser sends; who sends none needs a token."""
        headers = dict(scope["headers"])
        scheme, _, token = headers.get(b"authorization", b"").decode("latin-1").partition(" ")
        if b"origin" not in headers and scheme.lower() == "bearer":
            try:
                known = await database_sync_to_async(token_is_good)(token.strip())
            except DatabaseError:
                log.exception("the token of a socket cannot be read")
                script = refuse_broken
            else:
                script = self.application if known else refuse_wrong_token
            await script(scope, receive, send)
            return
        origin = urlparse(headers[b"origin"].decode("latin-1")) if b"origin" in headers else None
        own = self.valid_origin(origin) and is_same_site(origin, headers.get(b"host", b"").decode("latin-1"))
        application = self.application if own else refuse_foreign
        await application(scope, receive, send)


sockets = URLRouter(
    [
        path("ws/runs/<uuid:run_id>/", RunConsumer.as_asgi()),
        re_path(r"", refuse_unknown),
    ]
)
application = ProtocolTypeRouter(
    {"http": http, "websocket": SocketsLimited(OwnOrigin(sockets, settings.ALLOWED_HOSTS))}
)
