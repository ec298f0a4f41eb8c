"""Where a request or a socket came from, behind as many proxies as the settings say."""

from __future__ import annotations

from ipaddress import ip_address
from typing import TYPE_CHECKING, Any

from django.conf import settings

if TYPE_CHECKING:
    from django.http import HttpRequest


def client_address(request: HttpRequest) -> str:
    """The address that a request came from."""
    return _address(request.headers.get("X-Forwarded-For", ""), str(request.META.get("REMOTE_ADDR", "")))


def socket_address(scope: dict[str, Any]) -> str:
    """The address that a socket was opened from, by the same rule; ``scope`` is ASGI's."""
    forwarded = [value.decode("latin-1") for name, value in scope["headers"] if name == b"x-forwarded-for"]
    peer = scope.get("client")
    return _address(",".join(forwarded), str(peer[0]) if peer else "")


def _address(forwarded: str, peer: str) -> str:
    """Ignore a forwarded value that is not an address: its sender could choose another one for each request."""
    hops = [part.strip() for part in forwarded.split(",") if part.strip()]
    trusted: int = settings.ENVIRONMENT.proxies
    try:
        return str(ip_address(_without_port(hops[-min(trusted, len(hops))]))) if trusted and hops else peer
    except ValueError:
        return peer


def _without_port(hop: str) -> str:
    """Some proxies write ``203.0.113.9:4711`` and ``[2001:db8::9]:4711``."""
    if hop.startswith("["):
        return hop[1:].partition("]")[0]
    return hop.partition(":")[0] if hop.count(":") == 1 else hop
