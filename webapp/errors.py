"""One error body for everything that can go wrong: ``{code, message, extra}``, for programs first, then for people."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from django.db import OperationalError
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from ninja import Schema
from ninja.errors import HttpError
from ninja.errors import ValidationError as InvalidRequest
from redis.exceptions import RedisError

from kgstore.disk import is_disk_full
from kgstore.library import UnknownGraphError
from kgstore.store import GraphStoreError
from webapp.disk import DISK_FULL, REFUSED, reserve_fault, write_refused

if TYPE_CHECKING:
    from collections.abc import Callable

    from ninja import NinjaAPI

log = logging.getLogger(__name__)

_BY_STATUS = {
    400: ("bad_request", "This request makes no sense to the site."),
    403: ("forbidden", "You may not do this."),
    404: ("not_found", "There is nothing at this address."),
    405: ("method_not_allowed", "This address does not take such a request."),
    413: ("too_large", "This request is too large."),
    500: ("unexpected", "Something went wrong on our side. Try again; if it stays, tell whoever runs this site."),
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
    return ProductError(503 if error.retryable else status, "graph_unavailable", str(error))


def not_found(_request: HttpRequest) -> HttpResponse:
    """What every unknown address under ``/api/`` answers."""
    return error_response(404, *_BY_STATUS[404])


def error_body(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponseBase]:
    """Middleware that gives the one body to API errors that never reach the API: wrong method, host, size."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        is_json = response.headers.get("Content-Type", "").startswith("application/json")
        if response.status_code < 400 or is_json or not request.path.startswith("/api/"):  # noqa: PLR2004 - HTTP
            return response
        code, message = _BY_STATUS.get(response.status_code, _BY_STATUS[400])
        replacement = error_response(response.status_code, code, message)
        for header in ("Allow", "Retry-After"):
            if header in response.headers:
                replacement.headers[header] = response.headers[header]
        return replacement

    return middleware


def answer_errors(api: NinjaAPI) -> None:
    """Give every error of the API the one body."""

    @api.exception_handler(ProductError)
    def product_error(_request: HttpRequest, error: ProductError) -> HttpResponse:
        response = error_response(error.status, error.code, error.message, error.extra)
        if "wait_seconds" in error.extra:
            response.headers["Retry-After"] = str(error.extra["wait_seconds"])
        return response

    @api.exception_handler(InvalidRequest)
    def invalid_request(_request: HttpRequest, error: InvalidRequest) -> HttpResponse:
        faults = [
            {"where": ".".join(str(part) for part in fault["loc"] if part != "payload"), "why": fault["msg"]}
            for fault in error.errors
        ]
        sentence = "; ".join(f"{fault['where']}: {fault['why']}" for fault in faults)
        return error_response(
            422, "invalid_request", f"This request is not well formed: {sentence}", {"faults": faults}
        )

    @api.exception_handler(HttpError)
    def http_error(_request: HttpRequest, error: HttpError) -> HttpResponse:
        code, _message = _BY_STATUS.get(error.status_code, _BY_STATUS[400])
        return error_response(error.status_code, code, str(error))

    @api.exception_handler(Http404)
    def missing(request: HttpRequest, _error: Http404) -> HttpResponse:
        return not_found(request)

    @api.exception_handler(RedisError)
    def redis_away(_request: HttpRequest, error: RedisError) -> HttpResponse:
        log.error("redis is away: %s", error)
        return error_response(503, "busy", "The site cannot take questions right now. Try again in a minute.")

    @api.exception_handler(OperationalError)
    def database_away(_request: HttpRequest, error: OperationalError) -> HttpResponse:
        if is_disk_full(error):
            write_refused(error)
            return error_response(503, DISK_FULL, REFUSED)
        log.error("the database is away: %s", error)
        return error_response(503, "busy", "The site cannot write anything down right now. Try again in a minute.")

    @api.exception_handler(GraphStoreError)
    def graph_unavailable(_request: HttpRequest, error: GraphStoreError) -> HttpResponse:
        status = 404 if isinstance(error, UnknownGraphError) else 503
        return error_response(status, "graph_unavailable", str(error))

    @api.exception_handler(Exception)
    def unexpected(request: HttpRequest, error: Exception) -> HttpResponse:
        log.error("%s %s failed", request.method, request.path, exc_info=error)
        return error_response(500, *_BY_STATUS[500])
