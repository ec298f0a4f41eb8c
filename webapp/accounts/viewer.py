"""The viewer: a signed-in user, a script with a token, or a visitor known only by a session."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from typing import Any, cast
from urllib.parse import quote

from django.conf import settings
from django.contrib.auth import get_user
from django.contrib.sessions.backends.db import SessionStore
from django.http import HttpRequest, parse_cookie
from ninja.errors import HttpError
from ninja.security import APIKeyCookie, HttpBearer

from webapp.accounts.models import Role, User
from webapp.accounts.tokens import token_owner
from webapp.platform.http.addresses import client_address, socket_address
from webapp.platform.http.errors import ProductError

_SESSION_KEY = "visitor"
ACCOUNT_HEADER = "X-Discern-Account"
"""The user name that a page shows as signed in; a request that another session would answer is refused."""


@dataclass(frozen=True, slots=True)
class Viewer:
    """Who is looking. The visitor's id survives signing in, so that what was asked before stays one's own."""

    user: User | None
    visitor: uuid.UUID | None
    address: str
    """Where the request came from, to tell visitors apart who keep no session."""
    by_token: bool = False
    """Whether an API token speaks for the user, instead of a session."""

    @property
    def role(self) -> Role | None:
        """What they are here for; None for a visitor."""
        return None if self.user is None else Role(self.user.role)


class ViewerToken(HttpBearer):
    """Lets a script in by ``Authorization: Bearer``. Where that is sent, no cookie counts."""

    def authenticate(self, request: HttpRequest, token: str) -> Viewer:
        """Who the token speaks for.

        Raises:
            ProductError: the token is not, or no longer, good for anything.

        """
        return Viewer(token_owner(token), None, client_address(request), by_token=True)


class ViewerCookie(APIKeyCookie):
    """Lets everybody in, known or not, and refuses a request that another site sent (CSRF)."""

    param_name = "sessionid"

    def _get_key(self, request: HttpRequest) -> str | None:
        try:
            return super()._get_key(request)
        except HttpError as error:
            raise ProductError(403, "csrf_failed", "This page is out of date. Reload it and try again.") from error

    def authenticate(self, request: HttpRequest, key: str | None) -> Viewer:  # noqa: ARG002 - ninja's signature
        """Who sent the request.

        Raises:
            ProductError: the page was opened by an account that is no longer signed in.

        """
        known = session_viewer(request)
        shown = request.headers.get(ACCOUNT_HEADER)
        if shown is not None and shown != _header_value(known.user):
            raise ProductError(401, "session_ended", "Your session has ended. Sign in again, then repeat this.")
        return known


def _header_value(user: User | None) -> str:
    return "" if user is None else quote(user.username, safe="")


def session_viewer(request: HttpRequest) -> Viewer:
    """Whom the session of a request belongs to."""
    kept = request.session.get(_SESSION_KEY)
    user = request.user if isinstance(request.user, User) else None
    return Viewer(user, uuid.UUID(kept) if kept else None, client_address(request))


def socket_viewer(scope: dict[str, Any]) -> Viewer:
    """Who opened a socket; ``scope`` is ASGI's. Reads the database.

    Raises:
        ProductError: a token was sent that is not, or no longer, good for anything.

    """
    headers = {name: value.decode("latin-1") for name, value in scope["headers"]}
    kind, _, token = headers.get(b"authorization", "").partition(" ")
    if kind.lower() == "bearer":
        return Viewer(token_owner(token.strip()), None, socket_address(scope), by_token=True)
    cookies = parse_cookie(headers.get(b"cookie", ""))
    request = HttpRequest()
    request.session = SessionStore(cookies.get(settings.SESSION_COOKIE_NAME))
    kept, known = request.session.get(_SESSION_KEY), get_user(request)
    user = known if isinstance(known, User) else None
    return Viewer(user, uuid.UUID(kept) if kept else None, socket_address(scope))


def viewer(request: HttpRequest) -> Viewer:
    """Who sent a request of the API."""
    return cast("Viewer", request.auth)  # type: ignore[attr-defined]  # set by ninja


def asker(request: HttpRequest) -> Viewer:
    """Who sent it; a visitor is given a session to be known by."""
    known = viewer(request)
    if known.user is not None or known.visitor is not None:
        return known
    visitor = uuid.uuid4()
    request.session[_SESSION_KEY] = str(visitor)
    return Viewer(None, visitor, known.address)
