"""One error body for everything that can go wrong: ``{code, message, extra}``, for programs first, then for people."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from ninja import Schema

from webapp.platform.disk import DISK_FULL, REFUSED, reserve_fault

if TYPE_CHECKING:
    from collections.abc import Callable

    from ninja.errors import ValidationError as InvalidRequest

    from kgstore.store import GraphStoreError

log = logging.getLogger(__name__)

BY_STATUS = {
    400: ("bad_request", "This request makes no sense to the site."),
    403: ("forbidden", "You may not do this."),
    404: ("not_found", "There is nothing at this address."),
    405: ("method_not_allowed", "This address does not take such a request."),
    413: ("too_large", "This request is too large."),
    429: ("too_many_requests", "Too many requests came from here. Try again in a minute."),
    500: ("unexpected", "Something went wrong on our side. Try again; if it stays, tell the administrator."),
}


class ErrorOut(Schema):
    """What every request that fails gets."""

    code: str
    """For programs: ``unknown_run``."""
    message: str
    """For people: what happened and what to do."""
    extra: dict[str, Any]
    """Numbers and names that belong to it."""


class ProductError(Exception):
    """A request that cannot be granted; raised by services and selectors, answered with its body."""

    def __init__(self, status: int, code: str, message: str, **extra: Any) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message
        self.extra = extra


def room_ensure() -> None:
    """See that there is room for new work, while there still is room for what it would leave.

    Raises:
        ProductError: there is none.

    """
    if fault := reserve_fault():
        log.error("new work is refused: %s", fault)
        raise ProductError(503, DISK_FULL, REFUSED)


def error_response(status: int, code: str, message: str, extra: dict[str, Any] | None = None) -> JsonResponse:
    """The body, as a response."""
    return JsonResponse(ErrorOut(code=code, message=message, extra=extra or {}).model_dump(), status=status)


def graph_error(error: GraphStoreError, *, status: int) -> ProductError:
    """What to raise where a graph could not be asked; ``status`` is for what will not pass by waiting."""
    return ProductError(503 if error.retryable else status, "graph_unavailable", error.for_people)


def not_found(_request: HttpRequest) -> HttpResponse:
    """What every unknown address under ``/api/`` answers."""
    return error_response(404, *BY_STATUS[404])


def error_body(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponseBase]:
    """Middleware that gives the one body to API errors that never reach the API: wrong method, host, size."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        is_json = response.headers.get("Content-Type", "").startswith("application/json")
        if response.status_code < 400 or is_json or not request.path.startswith("/api/"):  # noqa: PLR2004 - HTTP
            return response
        code, message = BY_STATUS.get(response.status_code, BY_STATUS[400])
        replacement = error_response(response.status_code, code, message)
        for header in ("Allow", "Retry-After"):
            if header in response.headers:
                replacement.headers[header] = response.headers[header]
        return replacement

    return middleware


def too_large(limit: int) -> ProductError:
    """What a body over a limit, in bytes, is answered."""
    message = f"This request is too large: it may have {limit // 1024} kB. Send less at once."
    return ProductError(413, "too_large", message, limit=limit)


def product_error_response(error: ProductError) -> HttpResponse:
    """The answer to a request that cannot be granted."""
    response = error_response(error.status, error.code, error.message, error.extra)
    if "wait_seconds" in error.extra:
        response.headers["Retry-After"] = str(error.extra["wait_seconds"])
    return response


def invalid_request_response(error: InvalidRequest) -> HttpResponse:
    """The answer to a request that is not well formed: what is wrong, and where."""
    faults = [
        {"where": ".".join(str(part) for part in fault["loc"] if part != "payload"), "why": fault["msg"]}
        for fault in error.errors
    ]
    sentence = "; ".join(f"{fault['where']}: {fault['why']}" for fault in faults)
    return error_response(422, "invalid_request", f"This request is not well formed: {sentence}", {"faults": faults})
