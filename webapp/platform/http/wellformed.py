"""Middleware that checks every request before anything else of the site reads it.

Text must be UTF-8 without NUL, because no database stores anything else. A body for the API must be small, and JSON
that all parsers read alike, or a part of a file. Everything else is refused here, so that no route has to check it.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NoReturn
from urllib.parse import unquote_to_bytes

from ninja.errors import ValidationError as InvalidRequest
from ninja.parser import Parser

from webapp.platform.http.body_limit import body_limit
from webapp.platform.http.errors import ProductError, invalid_request_response, product_error_response, too_large
from webapp.platform.http.file_parts import is_part, part_size_ensure

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from django.http import HttpRequest, HttpResponse, HttpResponseBase

NOT_TEXT = "has a null character, or characters that are not UTF-8"
_LARGEST_INTEGER = 2**63 - 1
"""No database counts further."""


def refuse_malformed(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponseBase]:
    """Middleware that answers requests that are not well formed, whatever they ask for."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        _drop_broken_cookies(request)
        try:
            _address_check(request)
            _body_check(request)
        except InvalidRequest as error:
            return invalid_request_response(error)
        except ProductError as error:
            return product_error_response(error)
        return get_response(request)

    return middleware


class StrictParser(Parser):
    """Reads bodies as JSON of RFC 8259 that means one thing: UTF-8, each name once, no NaN, no nulls in texts."""

    def parse_body(self, request: HttpRequest) -> Any:
        """The document of a body.

        Raises:
            ProductError: the body is not such JSON, or too large.
            InvalidRequest: a text or a number in it cannot be stored.

        """
        # What did not say its length could not be refused before it was read.
        if len(request.body) > body_limit(request):
            raise too_large(body_limit(request))
        try:
            document = json.loads(request.body.decode(), parse_constant=_no_number, object_pairs_hook=_each_name_once)
        except UnicodeDecodeError as error:
            raise _not_json("it is not UTF-8") from error
        except RecursionError as error:
            raise _not_json("it is nested too deeply") from error
        except ValueError as error:
            raise _not_json(str(error)) from error
        faults = [{"loc": ("body", *where), "msg": why} for where, why in _faults(document)]
        if faults:
            raise InvalidRequest(faults)
        return document


def _address_check(request: HttpRequest) -> None:
    """See that path and query are text. The path was decoded already, where what was not UTF-8 became U+FFFD."""
    if not _is_text(request.path_info):
        raise InvalidRequest([{"loc": ("path",), "msg": NOT_TEXT}])
    for part in request.META.get("QUERY_STRING", "").split("&"):
        name, value = (unquote_to_bytes(side) for side in (part.partition("=")[::2]))
        for side in (name, value):
            try:
                is_text = _is_text(side.decode())
            except UnicodeDecodeError:
                is_text = False
            if not is_text:
                raise InvalidRequest([{"loc": ("query", ascii(name)[2:-1]), "msg": NOT_TEXT}])


def _body_check(request: HttpRequest) -> None:
    """See that a body is small, and of a type that its reader knows, before anything reads it."""
    length = int(request.META.get("CONTENT_LENGTH") or 0)
    if is_part(request):
        # Of a length that is not given, the route reads no more than a part.
        part_size_ensure(length or 1)
        return
    if length > body_limit(request):
        raise too_large(body_limit(request))
    charset = (request.content_params or {}).get("charset", "utf-8").lower()
    is_json = request.content_type == "application/json" or not request.path_info.startswith("/api/")
    has_body = length > 0 or "Transfer-Encoding" in request.headers
    if has_body and (charset not in ("utf-8", "utf8") or not is_json):
        raise ProductError(
            415, "not_json", "Send the request as JSON in UTF-8, with the header Content-Type: application/json."
        )


def _drop_broken_cookies(request: HttpRequest) -> None:
    """Ignore cookies that cannot be the site's: otherwise their owner would be locked out until they expire."""
    broken = [name for name, value in request.COOKIES.items() if not (_is_text(name) and _is_text(value))]
    for name in broken:
        del request.COOKIES[name]


def _faults(document: Any) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Where a document holds what cannot be stored, and why."""
    waiting: list[tuple[tuple[str | int, ...], Any]] = [((), document)]
    while waiting:
        where, value = waiting.pop()
        if isinstance(value, str) and not _is_text(value):
            yield where, f"it {NOT_TEXT}"
        elif isinstance(value, int) and abs(value) > _LARGEST_INTEGER:
            yield where, "this number is too large"
        elif isinstance(value, list):
            waiting.extend(((*where, place), each) for place, each in enumerate(value))
        elif isinstance(value, dict):
            for name, each in value.items():
                if _is_text(name):
                    waiting.append(((*where, name), each))
                else:
                    yield (*where, ascii(name)[1:-1]), f"the name of this field {NOT_TEXT}"


def _is_text(text: str) -> bool:
    """Whether a text can be stored: a database takes neither nulls nor halves of surrogate pairs."""
    return "\0" not in text and not any("\ud800" <= character <= "\udfff" for character in text)


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"it holds {name}, which is no number in JSON")


def _each_name_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    document = dict(pairs)
    if len(document) < len(pairs):
        raise ValueError("it gives a field twice")
    return document


def _not_json(why: str) -> ProductError:
    return ProductError(400, "bad_request", f"The body is not JSON that can be read: {why}.")
