"""When two answers are equal, regardless of their source: a benchmark, a system, this site, an annotator or a reviewer.

Neither benchmarks nor systems always write what a value is. ``1523`` may be a year, a count or a text, and the graph
may type it otherwise than the file. So values whose written forms are equal are equal, see `compared_term`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from kgstore.terms import Date, Number, Term, TermError, Text, bare_number, parse_date

if TYPE_CHECKING:
    from collections.abc import Iterable

_DATE = re.compile(r"-?\d{4}(?:-\d{2}(?:-\d{2}(?:T.*)?)?)?", re.ASCII)
_YEAR_BC = re.compile(r"-(?P<year>\d{1,3})", re.ASCII)
_YEAR = re.compile(r"-?\d+", re.ASCII)


def bare_value(text: str) -> Date | Number | None:
    """The value of a text without a type; None for one that is only a text.

    It is a date if it is written like one: four digits are a year, and -479 is one before Christ. Else it is a number
    if `kgstore.terms.bare_number` takes it for one.
    """
    if (year := _YEAR_BC.fullmatch(text)) is not None:
        return Date(f"-{int(year['year']):04}")
    if _DATE.fullmatch(text):
        try:
            return parse_date(text)
        except TermError:
            return None
    return bare_number(text)


def compared_term(term: Term) -> Term:
    """A term as it is compared, gold or predicted.

    Of texts the words count alone, because benchmarks do not say in which language they are. A text that is written
    like a number or a date is equal to that value, and a year to an integer of the same digits. A code such as ``032``
    is no number.
    """
    value: Term = term
    if isinstance(term, Text):
        value = bare_value(term.value) or Text(term.value)
    if isinstance(value, Date) and _YEAR.fullmatch(value.value):
        return Number(float(value.value))
    return value


def as_compared(terms: Iterable[Term]) -> set[Term]:
    """Terms as they are compared."""
    return set(map(compared_term, terms))
