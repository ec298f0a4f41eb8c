"""The API's description: what each route says, and what holds for all of them."""

from __future__ import annotations

import hashlib
import json
from functools import cache
from http.client import responses
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.http import quote_etag
from django.views.decorators.http import etag, require_safe
from ninja import NinjaAPI
from ninja.openapi.schema import REF_TEMPLATE

from webapp.platform.http.errors import ErrorOut

if TYPE_CHECKING:
    from ninja.openapi.schema import OpenAPISchema
    from ninja.types import DictStrAny

EVERYWHERE = (400, 401, 422, 429, 503)
"""A request that cannot be read, a token that is none, text that nothing stores, too many requests, a busy database."""
WRITING = (403,)
"""The request did not come from a page of the site."""
WITH_BODY = (413, 415)
"""The body is too large, or not JSON."""


def file_answer(*media_types: str) -> dict[str, Any]:
    """What a route adds to its description (``openapi_extra``) that answers with a file of one of these types."""
    # A file of JSON may hold anything; of others it is known that they are texts.
    content = {each: {"schema": {} if each == "application/json" else {"type": "string"}} for each in media_types}
    return {"responses": {200: {"description": responses[200], "content": content}}}


class DescribedAPI(NinjaAPI):
    """An API whose schema tells, for every route, the refusals that no route declares because all have them.

    A route that takes the ``optional_scheme`` of authentication may be called without any.
    """

    def __init__(self, *, optional_scheme: type, **options: Any) -> None:
        # ninja's own view would build the document for every request, which takes a second of CPU.
        super().__init__(openapi_url=None, **options)
        self._optional_scheme = optional_scheme.__name__

    def get_openapi_schema(
        self, *, path_prefix: str | None = None, path_params: DictStrAny | None = None
    ) -> OpenAPISchema:
        """The OpenAPI document."""
        schema = super().get_openapi_schema(path_prefix=path_prefix, path_params=path_params)
        schema["components"]["schemas"].setdefault(
            ErrorOut.__name__, ErrorOut.model_json_schema(ref_template=REF_TEMPLATE)
        )
        refusals: dict[str, Any] = schema["components"].setdefault("responses", {})
        for path in schema["paths"].values():
            for method, operation in path.items():
                self._complete(method, operation)
                _share_refusals(operation["responses"], refusals)
        return schema

    def _complete(self, method: str, operation: dict[str, Any]) -> None:
        statuses = [*EVERYWHERE, *(() if method == "get" else WRITING), *(WITH_BODY if method != "get" else ())]
        for status in statuses:
            operation["responses"].setdefault(status, _refusal(status))
        operation["responses"] = dict(sorted(operation["responses"].items()))
        if {self._optional_scheme: []} in operation.get("security", ()):
            # A visitor who has no cookie yet may call everything, and an error says where signing in is needed.
            operation["security"].insert(0, {})


@cache
def _document() -> tuple[bytes, str]:
    """The exported OpenAPI document without spaces, and its ETag. Building it takes a second of CPU."""
    document = json.dumps(json.loads(settings.OPENAPI.read_bytes()), separators=(",", ":")).encode()
    return document, quote_etag(hashlib.sha256(document).hexdigest())


@require_safe
@etag(lambda _request: _document()[1])
def openapi(_request: HttpRequest) -> HttpResponse:
    """Send the OpenAPI document, or 304 to a client that has it."""
    return HttpResponse(_document()[0], content_type="application/json")


def _share_refusals(entry: dict[int, Any], refusals: dict[str, Any]) -> None:
    """Name each refusal in place of describing it; the document describes it once."""
    for status, answer in entry.items():
        if answer == (refusal := _refusal(status)):
            name = responses[status].replace(" ", "")
            refusals[name] = refusal
            entry[status] = {"$ref": f"#/components/responses/{name}"}


def _refusal(status: int) -> dict[str, Any]:
    reference = REF_TEMPLATE.format(model=ErrorOut.__name__)
    return {
        "description": responses[status],
        "content": {"application/json": {"schema": {"$ref": reference}}},
    }
