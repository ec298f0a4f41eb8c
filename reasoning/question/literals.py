"""The numbers and dates that a question names: those that may become targets of constraints."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from kgstore.terms import Date, Number, TermError, parse_date, parse_number
from reasoning.core.options import Mention

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

Span = tuple[int, int]

_MONTHS = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
_MONTH = "|".join(_MONTHS)
_DATES = (
    re.compile(r"\b(?P<year>\d{4})-(?P<month>\d{2})(?:-(?P<day>\d{2}))?\b"),
    re.compile(rf"\b(?P<name>{_MONTH})\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?,?\s+(?P<year>\d{{4}})\b", re.IGNORECASE),
    re.compile(
        rf"\b(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?(?P<name>{_MONTH}),?\s+(?P<year>\d{{4}})\b", re.IGNORECASE
    ),
    re.compile(rf"\b(?P<name>{_MONTH}),?\s+(?:of\s+)?(?P<year>\d{{4}})\b", re.IGNORECASE),
    re.compile(r"\b(?P<year>1\d{3}|20\d{2})\b"),
)  # fmt: skip

_DECADES = ("twenties", "thirties", "forties", "fifties", "sixties", "seventies", "eighties", "nineties")
_TENS_OF = {word: 20 + 10 * place for place, word in enumerate(_DECADES)}
_LAST_CENTURY = 1900
_DECADE = re.compile(
    r"(?<!\w)(?:(?P<year>1\d|20)(?P<decade>\d)0|['\u2019]?(?P<short>[2-9])0)['\u2019]?s\b"
    rf"|\b(?P<word>{'|'.join(_DECADES)})\b",
    re.IGNORECASE,
)
_CENTURY = re.compile(r"\b(?P<ordinal>[1-9]\d?)(?:st|nd|rd|th)\s+century\b", re.IGNORECASE)
_SEASON = re.compile(
    r"\b(?P<first>1\d{3}|20\d{2})(?:[-\u2013/](?P<last>\d{2}|\d{4})(?=\s+(?:\w+\s+)?(?:season|campaign)\b)|/(?P<next>\d{2}))(?![\w/-])"
    r"|(?<=season\s)(?P<named>1\d{3}|20\d{2})[-\u2013/](?P<end>\d{2}|\d{4})(?![\w/-])",
    re.IGNORECASE,
)
"""*The 2010-11 season*, *season 2010-2011*, *in 2010/11*; a month is never written with a slash alone."""

_NUMBER = re.compile(
    r"(?<![\w.])(?P<digits>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)(?!\d|(?:st|nd|rd|th)\b)(?:\s*(?P<scale>hundred|thousand|million|billion)\b)?",
    re.IGNORECASE,
)
_SCALES = {"": 1, "hundred": 100, "thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000}
_UNITS = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_WORDS = {word: value for value, word in enumerate(_UNITS)} | {word: 20 + 10 * i for i, word in enumerate(_TENS)}
_HUNDRED = 100
_NUMBER_WORD = "|".join((*sorted(_WORDS, key=len, reverse=True), "hundred", "thousand", "million", "billion"))
_NUMBER_IN_WORDS = re.compile(
    rf"\b(?:a\s+(?=hundred|thousand|million|billion))?(?:{_NUMBER_WORD})(?:(?:\s+and\s+|[\s-]+)(?:{_NUMBER_WORD}))*\b",
    re.IGNORECASE,
)
_NO_NUMBERS = frozenset({"one", "zero"})
"""*Which one* counts nothing."""


def literals(question: str, taken: Collection[Span]) -> Iterator[Mention]:
    """The dates and numbers of a question, but for what names have taken.

    A year alone may be either, so it is both. A decade, a century or a season of two years is its first and its last
    year: what lies in it is not before the one and not after the other.
    """
    dates: list[Span] = []
    for match in (*_DECADE.finditer(question), *_CENTURY.finditer(question), *_SEASON.finditer(question)):
        years = _first_and_last(match)
        if years and not overlaps(match.span(), (*dates, *taken)):
            dates.append(match.span())
            for year in years:
                yield Mention(*match.span(), parse_date(f"{year:04}"))
    spans_of_years = tuple(dates)
    for pattern in _DATES:
        for match in pattern.finditer(question):
            if overlaps(match.span(), (*dates, *taken)):
                continue
            date = _date(match)
            if date is not None:
                dates.append(match.span())
                yield Mention(*match.span(), date)
    for match in _NUMBER.finditer(question):
        within_date = overlaps(match.span(), dates) and match.span() not in dates
        if not within_date and not overlaps(match.span(), (*taken, *spans_of_years)):
            scale = _SCALES[(match["scale"] or "").lower()]
            number = parse_number(match["digits"].replace(",", ""))
            yield Mention(*match.span(), number if scale == 1 else Number(number.value * scale))
    for match in _NUMBER_IN_WORDS.finditer(question):
        follows_digits = question[: match.start()].rstrip()[-1:].isdigit()
        if match[0].lower() not in _NO_NUMBERS and not follows_digits and not overlaps(match.span(), taken):
            yield Mention(*match.span(), Number(float(_value(match[0]))))


def within_a_date(question: str, spans: Collection[Span]) -> set[Span]:
    """Parts of the question that a longer written date contains: *July* in *July 2009*."""
    matches = (match for pattern in _DATES for match in pattern.finditer(question))
    dates = [match.span() for match in matches if _date(match) is not None]
    return {span for span in spans for date in dates if within(span, date) and span != date}


def overlaps(span: Span, others: Collection[Span]) -> bool:
    """Whether a part of the question shares characters with one of others."""
    return any(span[0] < end and start < span[1] for start, end in others)


def within(span: Span, other: Span) -> bool:
    """Whether another part of the question holds all of this one."""
    return other[0] <= span[0] and span[1] <= other[1]


def _value(text: str) -> int:
    """*two hundred and one thousand* is 201,000."""
    total = part = 0
    for word in re.findall(r"[a-z]+", text.lower()):
        if word in _WORDS:
            part += _WORDS[word]
        elif word == "hundred":
            part = max(part, 1) * _HUNDRED
        elif word in _SCALES:
            total += max(part, 1) * _SCALES[word]
            part = 0
    return total + part


def _first_and_last(match: re.Match[str]) -> tuple[int, int] | tuple[()]:
    """The years of a decade, a century, of *the 1800s* or of a season; decades without a century are the last one's.

    None where they are not two that follow one another, and so no season.
    """
    parts = match.groupdict()
    if begins := parts.get("first") or parts.get("named"):
        first = int(begins)
        ends = parts["last"] or parts["next"] or parts["end"]
        return (first, first + 1) if ends in (f"{first + 1}", f"{(first + 1) % _HUNDRED:02}") else ()
    if parts.get("ordinal"):
        last = int(parts["ordinal"]) * _HUNDRED
        return last - _HUNDRED + 1, last
    if parts["year"]:
        first = int(parts["year"]) * _HUNDRED + int(parts["decade"]) * 10
        return first, first + (_HUNDRED if first % _HUNDRED == 0 and first < _LAST_CENTURY else 10) - 1
    tens = int(parts["short"]) * 10 if parts["short"] else _TENS_OF[parts["word"].lower()]
    return _LAST_CENTURY + tens, _LAST_CENTURY + tens + 9


def _date(match: re.Match[str]) -> Date | None:
    parts = match.groupdict()
    month = parts.get("month")
    if parts.get("name"):
        month = f"{_MONTHS.index(parts['name'].lower()) + 1:02}"
    day = parts.get("day")
    text = "-".join(filter(None, (parts["year"], month, f"{int(day):02}" if day else None)))
    try:
        return parse_date(text)
    except TermError:
        return None
