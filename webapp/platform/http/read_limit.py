"""How often an address may read of the API. Each web process counts for itself, so that reading needs no Redis."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.conf import settings
from django.core.cache import caches

from webapp.platform.environment import Rate
from webapp.platform.http.addresses import client_address
from webapp.platform.http.errors import ProductError, error_response
from webapp.platform.http.rate_limit import allowance_take, network_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.http import HttpRequest, HttpResponseBase


def reads_limited(get_response: Callable[[HttpRequest], HttpResponseBase]) -> Callable[[HttpRequest], HttpResponseBase]:
    """Middleware that refuses what is one too many, with the time to wait."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        if request.method not in ("GET", "HEAD") or not request.path.startswith("/api/"):
            return get_response(request)
        try:
            read_allowance_take(address=client_address(request))
        except ProductError as error:
            refusal = error_response(error.status, error.code, error.message, error.extra)
            refusal.headers["Retry-After"] = str(error.extra["wait_seconds"])
            return refusal
        return get_response(request)

    return middleware


def read_allowance_take(*, address: str) -> None:
    """Count one more read of an address; for those that come as another method than GET, too.

    Raises:
        ProductError: it was one too many.

    """
    allowance_take(
        what="read",
        who=network_of(address),
        rate=Rate(settings.ENVIRONMENT.read_rate),
        message="More than {count} requests came from this address within {period}. Try again in {wait_words}.",
        counted=caches["process"],
    )
