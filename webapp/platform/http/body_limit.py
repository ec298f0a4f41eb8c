"""How large the body of a request may be: small, but for what people keep and draw of a graph."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from django.conf import settings

if TYPE_CHECKING:
    from django.http import HttpRequest

SMALL = 64 * 1024
"""In bytes: what a body may have nearly everywhere."""
# The quotes and line breaks of what is kept are escaped once more on the way, so it needs more than it may have.
_LARGE = re.compile(r"/api/explorations(?:/[^/]+)?|/api/explore/[^/]+/between")


def body_limit(request: HttpRequest) -> int:
    """How many bytes the body of a request may have that is no part of a file."""
    largest: int = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
    return largest if _LARGE.fullmatch(request.path_info) else SMALL
