"""What a question says that no method here understands yet: negation, comparing two named values, a second question.

They are found by words alone and shown to the asker. Nothing is decided by them: the question is answered as if they
were not there, and the answer says so.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import TYPE_CHECKING

from kgstore.terms import Entity
from reasoning.question.literals import overlaps
from reasoning.question.word_lists import word_list

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from reasoning.question.linking import Linking
    from reasoning.question.literals import Span


class NotUnderstood(StrEnum):
    """The kinds of what is not understood."""

    NEGATION = "negation"
    """Something is left out: *not*, *never*, *except*, *other than*."""
    COMPARISON = "comparison"
    """Two named things, or what is known of them, are held against one another: *is X older than Y*."""
    SECOND_QUESTION = "second question"
    """Something else is asked for too: *who wrote it, and when*."""


@dataclass(frozen=True, slots=True)
class NotUnderstoodWords:
    """Words of a question, ``question[start:end]`` in Unicode code points, and what they say."""

    start: int
    end: int
    kind: NotUnderstood


_HELPED = re.compile(
    r"\b(?:is|are|was|were|be|been|do|does|did|has|have|had|can|could|will|would|should|may|must|but|and|or)\b",
    re.IGNORECASE,
)
"""*Not* negates a sentence next to an auxiliary verb; alone it is most likely part of a name."""
_QUOTED = re.compile(r"[\"\u201c][^\"\u201c\u201d]*[\"\u201d]|(?<!\w)['\u2018][^'\u2018\u2019]*['\u2019](?!\w)")
_ARTICLE = r"(?:(?:the|a|an|his|her|their)\s+)?"
_AFTER_THAN = re.compile(rf"\s+(?:(?:that|those)\s+of\s+|in\s+|of\s+)?{_ARTICLE}", re.IGNORECASE)
_ARTICLE_AT_END = re.compile(r"\b(?:the|an?|his|her|their)\s+$", re.IGNORECASE)
_CAPITALS = re.compile(r"(?:(?<!\S)[^\W\d_a-z]\S*\s+)*(?<!\S)[^\W\d_a-z]\S*$")
_SET_OFF = (",", ":", "?", "-", "\u2013", ";")
_SECOND = re.compile(
    r",?\s+and\s+(?:(?:in|on|at|for|by|from|to|with)\s+)?"
    r"(?:(?:when|where|why|how|what|in\s+which)\b[^?!.;]*"
    r"|(?:who|whom|whose|which)\b(?=[^?!.;]*\b(?:it|he|she|they|him|her|them|its|his|their|there)\b|[\s?!.;]*$)[^?!.;]*)",
    re.IGNORECASE,
)
"""*and who* may also go on with what was said before: *the man who wrote it and who directed Inception*."""
_ASKS = re.compile(r"\b(?:who|whom|whose|which|what|when|where|why|how)\b", re.IGNORECASE)
ASKS_IF = re.compile(r"\s*(?:is|are|was|were|does|do|did|has|have|had)(?:n['\u2019]?t)?\b", re.IGNORECASE)
"""How a question begins that asks if something is so."""
_ASKS_IF_NOT = re.compile(r"(?:is|are|was|were|does|do|did|has|have|had)n['\u2019]?t", re.IGNORECASE)
_OF_USUAL = re.compile(r"(?:average|normal|usual|half|twice|that|this|it|hours?|days?|years?)\b", re.IGNORECASE)
_IN_TIME = re.compile(rf"\b(?P<word>before|after)\s+{_ARTICLE}", re.IGNORECASE)
_OF_BOTH = re.compile(r"\b(?:which|who|what)\s+(?:one\s+)?of\b|\bbetween\b", re.IGNORECASE)
_AND = re.compile(rf"\s+and\s+{_ARTICLE}", re.IGNORECASE)
_OR = re.compile(rf"(?:['\u2019]s)?\s*,?\s+or\s+{_ARTICLE}", re.IGNORECASE)


def not_understood(question: str, linking: Linking) -> list[NotUnderstoodWords]:
    """The words that negate, compare or ask a second question, by place.

    A word within a name is none: one that linking found, one in quotation marks, or one that is written with a capital
    within the sentence. A comparison needs named things: *older than 30* compares with a number, which a condition can
    say.

    Args:
        question: as it was asked.
        linking: what it names.

    """
    names = linking.names
    closed = [*names, *(match.span() for match in _QUOTED.finditer(question))]
    patterns = _patterns()
    found: list[NotUnderstoodWords] = []
    for match in patterns["negation"].finditer(question):
        within = any(_may_be_name(question, match.start() + word.start()) for word in re.finditer(r"\S+", match[0]))
        none = patterns["none"].match(question, match.start()) or (
            match[0].lower() == "not" and _HELPED.search(question, 0, match.start()) is None
        )
        # *Isn't Paris the capital* asks what *is Paris the capital* does.
        is_first = not question[: match.start()].strip() and _ASKS_IF_NOT.fullmatch(match[0]) is not None
        if not overlaps(match.span(), closed) and not within and not none and not is_first:
            found.append(NotUnderstoodWords(*match.span(), NotUnderstood.NEGATION))
    taken = [(one.start, one.end) for one in found]
    entities = [(one.start, one.end) for one in linking.mentions if isinstance(one.term, Entity)]
    literals = [one.start for one in linking.mentions if not isinstance(one.term, Entity)]
    for start, end in _compared(question, entities, literals, patterns):
        if not overlaps((start, end), (*closed, *taken)):
            taken.append((start, end))
            found.append(NotUnderstoodWords(start, end, NotUnderstood.COMPARISON))
    for match in _SECOND.finditer(question):
        start = match.start() + len(match[0]) - len(match[0].lstrip(", "))
        end = match.start() + len(match[0].rstrip())
        taken = [(one.start, one.end) for one in found]
        if _ASKS.search(question, 0, start) and not overlaps((start, start + len("and")), (*closed, *taken)):
            found.append(NotUnderstoodWords(start, end, NotUnderstood.SECOND_QUESTION))
    return sorted(found, key=lambda one: one.start)


def _compared(
    question: str, names: Sequence[Span], literals: Sequence[int], patterns: Mapping[str, re.Pattern[str]]
) -> Iterator[Span]:
    """*older than* before a named thing; a word of degree where *X or Y* are both named, and set off from the rest.

    After *is X older than* follows a thing, named or not, unless it is one of the ``literals``, which begin there.
    """
    for match in patterns["than"].finditer(question):
        after = _AFTER_THAN.match(question, match.end())
        if after is None:
            continue
        is_amount = after.end() in literals or _OF_USUAL.match(question, after.end())
        if (ASKS_IF.match(question) and not is_amount) or _begins_name(question, after.end(), names):
            yield match.span()
    for match in _IN_TIME.finditer(question) if ASKS_IF.match(question) else ():
        follows_name = any(end <= match.start() for _, end in names)
        if follows_name and _begins_name(question, match.end(), names):
            yield match.span("word")
    degrees = [match.span() for match in patterns["degree"].finditer(question)]
    comparatives = [match.span() for match in patterns["comparative"].finditer(question)]
    joined = [*_OR.finditer(question), *(_AND.finditer(question) if _OF_BOTH.search(question) else ())]
    for match in joined:
        first = _name_before(question, match.start(), names)
        if first is None or not degrees:
            continue
        if not _begins_name(question, match.end(), names) and not any(end <= first for _, end in comparatives):
            continue
        if match.re is _AND:
            yield degrees[0]
            return
        before = _ARTICLE_AT_END.sub("", question[:first]).rstrip()
        if not before or before[-1:] in _SET_OFF or any(end == len(before) for _, end in degrees):
            yield degrees[0]
            return


def _begins_name(question: str, start: int, names: Sequence[Span]) -> bool:
    return any(begin <= start < end for begin, end in names) or _may_be_name(question, start)


def _name_before(question: str, end: int, names: Sequence[Span]) -> int | None:
    """Where the name begins that ends there: one that linking found, else words with capitals within the sentence."""
    found = [begin for begin, last in names if begin < end <= last]
    capitals = _CAPITALS.search(question, 0, end)
    if capitals is not None and capitals.start() > 0:
        found.append(capitals.start())
    return min(found, default=None)


def _may_be_name(question: str, start: int) -> bool:
    """Whether a word within the sentence begins with a capital."""
    return start > 0 and question[start : start + 1].isupper()


@cache
def comparatives() -> frozenset[str]:
    """Words that hold two things against one another: *older*."""
    lines = (line.split("\t") for line in word_list("not_understood.tsv"))
    return frozenset(written for written, what in lines if what == "more")


@cache
def _patterns() -> Mapping[str, re.Pattern[str]]:
    """Of each list of words a pattern that finds them, the longest first."""
    words: dict[str, list[str]] = {"negation": [], "none": [], "more": []}
    for line in word_list("not_understood.tsv"):
        written, what = line.split("\t")
        words[what].append(re.escape(written).replace(r"\ ", r"\s+").replace("'", "['\u2019]?"))
    either = {what: "|".join(sorted(some, key=len, reverse=True)) for what, some in words.items()}
    more = rf"(?:more|less|fewer|{either['more']})(?:\s+\w+){{0,2}}?\s+than"
    as_much = r"as\s+(?!well|far|soon|long|such|known)\w+\s+as"
    most = "|".join(word.removesuffix("er") + "est" for word in words["more"] if word.endswith("er"))
    return {
        "negation": re.compile(rf"\b(?:{either['negation']})(?!\w)", re.IGNORECASE),
        "none": re.compile(rf"(?:{either['none']})(?!\w)", re.IGNORECASE),
        "than": re.compile(rf"\b(?:{more}|{as_much})(?!\w)", re.IGNORECASE),
        "comparative": re.compile(rf"\b(?:more|less|fewer|{either['more']})(?!\w)", re.IGNORECASE),
        "degree": re.compile(
            rf"\b(?:more|less|fewer|most|least|{either['more']}|{most}|first|last|best|worst)(?!\w)", re.IGNORECASE
        ),
    }
