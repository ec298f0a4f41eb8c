"""The parts that a file is sent in: each a request of its own, so that no process holds a file in memory."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from webapp.platform.http.errors import ProductError

if TYPE_CHECKING:
    from django.http import HttpRequest

PART_BYTES = 1 << 20
"""Maximum size of a part: what proxies let through by default."""
PART_TYPE = "application/octet-stream"
_ADDRESS = re.compile(r"/api/uploads/[^/]+")


def part_size_ensure(size: int) -> None:
    """See that a part is neither empty nor too large.

    Raises:
        ProductError: it is.

    """
    if size > PART_BYTES:
        message = f"A part of a file may have {PART_BYTES // 1024} kB. Send it in smaller ones."
        raise ProductError(413, "too_large", message, limit=PART_BYTES)
    if size == 0:
        raise ProductError(422, "empty_part", "A part of a file has at least one byte.")


def is_part(request: HttpRequest) -> bool:
    """Whether a request brings bytes to where parts of files are sent; by which method, the route looks itself."""
    return request.content_type == PART_TYPE and _ADDRESS.fullmatch(request.path_info) is not None
