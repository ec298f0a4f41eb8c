"""The response for each error, in the API and outside of it."""

from __future__ import annotations

import logging
import sys
from typing import TYPE_CHECKING

from django.core.exceptions import BadRequest, RequestDataTooBig, SuspiciousOperation
from django.db import DatabaseError
from django.http import Http404, HttpRequest, HttpResponse, UnreadablePostError
from django.http.multipartparser import MultiPartParserError
from django.views.defaults import server_error
from ninja.errors import HttpError
from ninja.errors import ValidationError as InvalidRequest
from redis.exceptions import RedisError

from kgstore.disk import is_disk_full
from kgstore.library import UnknownGraphError
from kgstore.store import GraphStoreError
from webapp.platform.disk import write_refused
from webapp.platform.http.body_limit import body_limit
from webapp.platform.http.database_errors import database_error
from webapp.platform.http.errors import (
    BY_STATUS,
    ProductError,
    error_response,
    invalid_request_response,
    not_found,
    product_error_response,
    too_large,
)

if TYPE_CHECKING:
    from ninja import NinjaAPI

log = logging.getLogger(__name__)


def failed(request: HttpRequest) -> HttpResponse:
    """What is answered where something failed that no route saw: sessions are read and kept around all of them."""
    error = sys.exc_info()[1]
    refusal = database_error(error) if isinstance(error, DatabaseError) else None
    return server_error(request) if refusal is None else product_error_response(refusal)


def answer_errors(api: NinjaAPI) -> None:
    """Give every error of the API the one body."""

    @api.exception_handler(ProductError)
    def product_error(_request: HttpRequest, error: ProductError) -> HttpResponse:
        return product_error_response(error)

    @api.exception_handler(InvalidRequest)
    def invalid_request(_request: HttpRequest, error: InvalidRequest) -> HttpResponse:
        return invalid_request_response(error)

    @api.exception_handler(HttpError)
    def http_error(request: HttpRequest, error: HttpError) -> HttpResponse:
        # What the parser of bodies raised, which ninja tells without its reason.
        if isinstance(error.__cause__, ProductError | InvalidRequest):
            return api.on_exception(request, error.__cause__)
        code, _message = BY_STATUS.get(error.status_code, BY_STATUS[400])
        return error_response(error.status_code, code, str(error))

    @api.exception_handler(BadRequest)
    @api.exception_handler(MultiPartParserError)
    @api.exception_handler(SuspiciousOperation)
    @api.exception_handler(UnreadablePostError)
    def unreadable(request: HttpRequest, error: Exception) -> HttpResponse:
        if isinstance(error, RequestDataTooBig):
            return product_error_response(too_large(body_limit(request)))
        return error_response(400, *BY_STATUS[400])

    @api.exception_handler(Http404)
    def missing(request: HttpRequest, _error: Http404) -> HttpResponse:
        return not_found(request)

    _answer_faults(api)


def _answer_faults(api: NinjaAPI) -> None:
    """Answer what the request is not to blame for."""

    @api.exception_handler(RedisError)
    def redis_away(_request: HttpRequest, error: RedisError) -> HttpResponse:
        log.error("redis is away: %s", error)
        return error_response(503, "busy", "The site cannot take questions right now. Try again in a minute.")

    @api.exception_handler(GraphStoreError)
    def graph_unavailable(_request: HttpRequest, error: GraphStoreError) -> HttpResponse:
        status = 404 if isinstance(error, UnknownGraphError) else 503
        return error_response(status, "graph_unavailable", error.for_people)

    @api.exception_handler(DatabaseError)
    def database_failed(request: HttpRequest, error: DatabaseError) -> HttpResponse:
        if is_disk_full(error):
            write_refused(error)
        refusal = database_error(error)
        if refusal is None:
            return unexpected(request, error)
        log.error("%s %s met a fault of the database: %s", request.method, request.path, error)
        return product_error_response(refusal)

    @api.exception_handler(Exception)
    def unexpected(request: HttpRequest, error: Exception) -> HttpResponse:
        log.error("%s %s failed", request.method, request.path, exc_info=error)
        return error_response(500, *BY_STATUS[500])
