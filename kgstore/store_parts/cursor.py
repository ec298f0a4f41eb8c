"""Where a page of facts ended, as opaque text; the same format in every store."""

from __future__ import annotations

import base64
import binascii
import re

from kgstore.store import GraphStoreError

_CONTENT = re.compile(r"(?P<version>[0-9a-f]+)(?P<places>(?: [0-9]{1,18})+)")


class CursorError(GraphStoreError):
    """A cursor that does not fit the graph; the message says what to do."""


def encode_cursor(version: str, *places: int) -> str:
    """The cursor of what comes after some places, those of one fact, in the order of a graph of a version."""
    return base64.urlsafe_b64encode(" ".join([version, *map(str, places)]).encode()).decode().rstrip("=")


def decode_cursor(cursor: str, version: str, places: int = 1) -> tuple[int, ...]:
    """The places after which a page begins, as many as make a place in the list.

    Raises:
        CursorError: it is no cursor, or one of another version of the graph.

    """
    try:
        content = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True).decode("ascii")
    except (binascii.Error, UnicodeError, ValueError):
        content = ""
    match = _CONTENT.fullmatch(content)
    after = tuple(map(int, match["places"].split())) if match else ()
    if match is None or len(after) != places:
        raise CursorError(f"{cursor[:80]!r} is no cursor of a list of facts. Begin again at the first page.")
    if match["version"] != version:
        raise CursorError("The graph was replaced since this list was begun. Begin again at the first page.")
    return after
