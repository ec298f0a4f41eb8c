"""Who is looking: somebody signed in, or a visitor whom only a session tells from others."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from ipaddress import ip_address
from typing import TYPE_CHECKING, cast

from django.conf import settings
from ninja.errors import HttpError
from ninja.security import APIKeyCookie

from webapp.accounts.models import User
from webapp.errors import ProductError

if TYPE_CHECKING:
    from django.http import HttpRequest

_SESSION_KEY = "visitor"


@dataclass(frozen=True, slots=True)
class Viewer:
    """Who is looking. The visitor's id survives signing in, so that what was asked before stays one's own."""

    user: User | None
    visitor: uuid.UUID | None
    address: str
    """Where the request came from, to tell visitors apart who keep no session."""


def is_staff(viewer: Viewer) -> bool:
    """Whether somebody may start, stop and resume what takes the site's time: evaluations, trainings."""
    return viewer.user is not None and viewer.user.is_staff


def staff_ensure(viewer: Viewer) -> None:
    """See that somebody may.

    Raises:
        ProductError: they may not.

    """
    if not is_staff(viewer):
        raise ProductError(403, "staff_only", "Only administrators may do this. Sign in as one.")


class ViewerCookie(APIKeyCookie):
    """Lets everybody in, known or not, and refuses a request that another site sent (CSRF)."""

    param_name = "sessionid"

    def _get_key(self, request: HttpRequest) -> str | None:
        try:
            return super()._get_key(request)
        except HttpError as error:
            raise ProductError(403, "csrf_failed", "This page is out of date. Reload it and try again.") from error

    def authenticate(self, request: HttpRequest, key: str | None) -> Viewer:  # noqa: ARG002 - ninja's signature
        """Who sent the request."""
        kept = request.session.get(_SESSION_KEY)
        user = request.user if isinstance(request.user, User) else None
        return Viewer(user, uuid.UUID(kept) if kept else None, client_address(request))


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


def client_address(request: HttpRequest) -> str:
    """The address that a request came from, behind as many proxies as the settings say.

    What a proxy forwards that is no address does not count: whoever sends it would else be somebody new each time.
    """
    hops = [part.strip() for part in request.headers.get("X-Forwarded-For", "").split(",") if part.strip()]
    trusted: int = settings.ENVIRONMENT.proxies
    forwarded = _without_port(hops[-min(trusted, len(hops))]) if trusted and hops else ""
    try:
        return str(ip_address(forwarded))
    except ValueError:
        return str(request.META.get("REMOTE_ADDR", ""))


def _without_port(hop: str) -> str:
    """Some proxies write ``203.0.113.9:4711`` and ``[2001:db8::9]:4711``."""
    if hop.startswith("["):
        return hop[1:].partition("]")[0]
    return hop.partition(":")[0] if hop.count(":") == 1 else hop
