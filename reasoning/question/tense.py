"""Whether a question asks of what is so now: by its words, or by speaking in the present tense.

The day that is meant is handed to the engine; see `reasoning.facts.validity` for what is done with it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from kgstore.terms import Date
from reasoning.question.literals import overlaps

if TYPE_CHECKING:
    from collections.abc import Collection

    from reasoning.question.linking import Linking
    from reasoning.question.literals import Span

_NOW = re.compile(
    r"\b(?:right\s+now|now|nowadays|currently|current|today|at\s+present|presently|at\s+the\s+moment|this\s+year"
    r"|these\s+days|present[- ]day)\b",
    re.IGNORECASE,
)
_PRESENT = re.compile(
    r"\b(?:is|are|am|does|do|has|have)\b|\b(?:who|what|which|where)['\u2019](?:s|re)\b|^\W*who\s+(?!was\b)\w+s\b",
    re.IGNORECASE,
)
_PAST = re.compile(
    r"\b(?:was|were|did|had|been|used\s+to|ever|last|first|former|formerly|previous|previously|once|ago|history)\b",
    re.IGNORECASE,
)
_STORY = re.compile(
    r"\bplays\b(?!\s+(?:for|with|on|at)\b)|\bvoices?\b|\bstars?\b|\bact(?:s|ing|ors?|ress|resses)?\b"
    r"|\bcharacters?\b|\bcast\b",
    re.IGNORECASE,
)
_SINCE = re.compile(r"\bsince\s+(?:the\s+)?$", re.IGNORECASE)


def spoken_now(question: str, linking: Linking) -> tuple[Span, ...]:
    """The words that say *now*; words within a name that linking found do not."""
    return words_for_now(question, linking.names)


def words_for_now(question: str, names: Collection[Span]) -> tuple[Span, ...]:
    """The same, given the parts that name things."""
    return tuple(match.span() for match in _NOW.finditer(question) if not overlaps(match.span(), names))


def asks_of_now(question: str, linking: Linking) -> bool:
    """Whether a question asks of what is so now, by its words or unspoken.

    Unspoken, it speaks in the present tense (*who is the president of …*, *who does … play for*), with no word of the
    past, and of no role in a story, which is always in the present tense. A date that it names is what it asks
    of instead (*the current president in 2010*); one after *since* reaches until now. Whether what it asks of changes,
    the pool tells: only what has a beginning or an end is offered this.
    """
    dates = (m.start for m in linking.mentions if isinstance(m.term, Date))
    if not all(_SINCE.search(question[:start]) for start in dates):
        return False
    if spoken_now(question, linking):
        return True
    return bool(_PRESENT.search(question)) and not _PAST.search(question) and not _STORY.search(question)
