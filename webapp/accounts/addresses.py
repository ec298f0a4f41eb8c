"""Where a request came from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.conf import settings

if TYPE_CHECKING:
    from django.http import HttpRequest


def client_address(request: HttpRequest) -> str:
    """The address that a request came from, behind as many proxies as the settings say."""
    hops = [part.strip() for part in request.headers.get("X-Forwarded-For", "").split(",") if part.strip()]
    trusted: int = settings.ENVIRONMENT.proxies
    if trusted and hops:
        return hops[-min(trusted, len(hops))]
    return str(request.META.get("REMOTE_ADDR", ""))
