"""Where people are signed in: known for each session, and ended at will."""

from __future__ import annotations

import logging
import re
from datetime import timedelta
from ipaddress import ip_address, ip_network
from typing import TYPE_CHECKING, Any

from django.contrib.auth.signals import user_logged_in, user_logged_out
from django.contrib.sessions.models import Session
from django.db import DatabaseError, transaction
from django.dispatch import receiver
from django.utils import timezone

from webapp.accounts.models import SignedInSession, User
from webapp.platform.http.addresses import client_address
from webapp.platform.http.errors import ProductError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from django.http import HttpRequest
    from django.http.response import HttpResponseBase

log = logging.getLogger(__name__)

_SEEN_AGAIN = timedelta(minutes=1)
"""When a session was last seen is written down no more often."""
_BROWSERS = (
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("SamsungBrowser", "Samsung Internet"),
    ("Firefox/", "Firefox"),
    ("FxiOS", "Firefox"),
    ("Chrome/", "Chrome"),
    ("CriOS", "Chrome"),
    ("Safari/", "Safari"),
)
"""In this order: most browsers name others as well."""
_SYSTEMS = (
    ("Android", "Android"),
    ("iPhone", "an iPhone"),
    ("iPad", "an iPad"),
    ("Windows", "Windows"),
    ("Mac OS X", "macOS"),
    ("CrOS", "ChromeOS"),
    ("Linux", "Linux"),
)


def browser_words(user_agent: str) -> str:
    """A browser in plain words: ``Firefox on Linux``."""
    browser = next((name for mark, name in _BROWSERS if mark in user_agent), None)
    system = next((name for mark, name in _SYSTEMS if mark in user_agent), None)
    if browser is not None:
        return f"{browser} on {system}" if system else browser
    program = re.match(r"[\w.-]{1,40}", user_agent)
    return program[0] if program else "an unknown browser"


def address_shortened(address: str) -> str:
    """An address without what tells one machine from its neighbours: ``192.0.2.…``."""
    try:
        known = ip_address(address)
    except ValueError:
        return ""
    if known.version == 4:  # noqa: PLR2004 - IPv4
        return f"{address.rpartition('.')[0]}.…"
    return f"{str(ip_network((known, 48), strict=False).network_address).rstrip(':')}:…"


def sessions_of(user: User) -> Sequence[SignedInSession]:
    """Where a user is signed in now, last seen first."""
    living = Session.objects.filter(expire_date__gt=timezone.now()).values("session_key")
    return list(user.signed_in_sessions.filter(session_key__in=living))


def session_end(*, user: User, session_id: int) -> None:
    """End one session of a user.

    Raises:
        ProductError: they have no such session.

    """
    known = user.signed_in_sessions.filter(pk=session_id).first()
    if known is None:
        raise ProductError(404, "unknown_session", "There is no such session; it may have ended already.")
    _end([known])


def sessions_end(*, user: User, but: str | None = None) -> int:
    """End all sessions of a user except the one with a key; return how many."""
    return _end(list(user.signed_in_sessions.exclude(session_key=but)))


def _end(known: Sequence[SignedInSession]) -> int:
    with transaction.atomic():
        Session.objects.filter(session_key__in=[each.session_key for each in known]).delete()
        return SignedInSession.objects.filter(pk__in=[each.pk for each in known]).delete()[0]


def session_renamed(*, before: str | None, after: str | None) -> None:
    """Note that a session goes on under another key, as Django has it after a password was changed."""
    SignedInSession.objects.filter(session_key=before).update(session_key=after)


def watch_sessions(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Middleware that notes when a session of an account was last seen."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        if request.session.accessed and isinstance(request.user, User) and request.session.session_key:
            try:
                _note_seen(request, request.user)
            except DatabaseError as error:
                # It is no reason to fail a request that was answered: the database may be full, or only to be read.
                log.warning("that a session was seen could not be written down: %s", error)
        return response

    return middleware


def _note_seen(request: HttpRequest, user: User) -> None:
    now = timezone.now()
    known = SignedInSession.objects.filter(session_key=request.session.session_key, user=user).first()
    if known is None:
        _note_begun(request, user)
    elif known.seen_at < now - _SEEN_AGAIN:
        SignedInSession.objects.filter(pk=known.pk).update(
            seen_at=now, address=address_shortened(client_address(request))
        )


def _note_begun(request: HttpRequest, user: User) -> None:
    if request.session.session_key is None:
        request.session.create()
    SignedInSession.objects.update_or_create(
        session_key=request.session.session_key,
        defaults={
            "user": user,
            "browser": browser_words(request.headers.get("User-Agent", "")),
            "address": address_shortened(client_address(request)),
        },
    )


@receiver(user_logged_in)
def _began(request: HttpRequest, user: User, **_: Any) -> None:
    living = Session.objects.filter(expire_date__gt=timezone.now()).values("session_key")
    user.signed_in_sessions.exclude(session_key__in=living).delete()
    _note_begun(request, user)


@receiver(user_logged_out)
def _ended(request: HttpRequest, **_: Any) -> None:
    SignedInSession.objects.filter(session_key=request.session.session_key).delete()
