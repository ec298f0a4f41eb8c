"""The line of an entry in a recipe's file, for error messages."""

from __future__ import annotations

import re
from typing import TypeAlias

Place: TypeAlias = tuple[str | int, ...]
"""A way into the document: keys, and of a list the number from 0: ``("sources", 1, "format")``."""

_TABLE = re.compile(r"\s*\[\s*([\w-]+)\s*\]")
_ENTRY = re.compile(r"\s*\[\[\s*([\w-]+)\s*\]\]")
_KEY = re.compile(r"""\s*["']?([\w-]+)["']?\s*=""")


def line_of(text: str, place: Place) -> int | None:
    """The line of a place in a TOML file, from 1; that of the table where its key is not there.

    None where neither is found: the place is the document as a whole, or it is written within another line.
    """
    at: tuple[str | int, ...] = ()
    counts: dict[str, int] = {}
    nearest: int | None = None
    for number, line in enumerate(text.splitlines(), start=1):
        if entry := _ENTRY.match(line):
            name = entry[1]
            at = (name, counts.get(name, 0))
            counts[name] = counts.get(name, 0) + 1
        elif table := _TABLE.match(line):
            at = (table[1],)
        elif (key := _KEY.match(line)) and (*at, key[1]) == place:
            return number
        else:
            continue
        if at == place or (at and at == place[: len(at)]):
            nearest = number
            if at == place:
                return number
    return nearest
