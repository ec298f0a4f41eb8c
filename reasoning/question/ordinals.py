"""Which place in an order a question asks for: *the second largest*, *her third husband*, *the 4th oldest*.

READS takes the smallest or the largest (section 4.2). Another place from there is Discern's own: it is the target of
the same two operators. A pool offers it instead of the first one, for *the second largest* is never the largest.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from reasoning.question.literals import Span, overlaps, within_a_date

if TYPE_CHECKING:
    from collections.abc import Collection

_WORDS = ("second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_PLACES = {word: place for place, word in enumerate(_WORDS, start=2)}
_LAST_BUT_ONE = 2
_ORDINAL = re.compile(
    rf"\b(?P<last>second[\s-]+(?:to[\s-]+)?last|next[\s-]+to[\s-]+last|last\s+but\s+one|penultimate)\b"
    rf"|\b(?:(?P<word>{'|'.join(_WORDS)})|(?P<digits>\d{{1,2}})(?:nd|rd|th|st))\b"
    r"(?![\s-]+(?:century|centuries|time|times|hand|degree|grade|floor|party|half|quarter)\b)",
    re.IGNORECASE,
)
"""An ordinal number, unless it belongs to a word with which it says no place."""


def ordinals(question: str) -> list[tuple[Span, int]]:
    """The ordinal numbers from 2 on that are neither of a date nor of a century, each with its place."""
    found = [(match.span(), _place(match)) for match in _ORDINAL.finditer(question)]
    dates = within_a_date(question, [span for span, _ in found])
    return [(span, place) for span, place in found if place > 1 and span not in dates]


def place_asked(question: str, names: Collection[Span]) -> tuple[Span, int] | None:
    """The first ordinal number of a question that is no part of a name, with its place; None where there is none."""
    return next(((span, place) for span, place in ordinals(question) if not overlaps(span, names)), None)


def _place(match: re.Match[str]) -> int:
    if match["last"]:
        return _LAST_BUT_ONE
    return int(match["digits"]) if match["digits"] else _PLACES[match["word"].lower()]
