"""How the numbers and dates of a question may compare, by the words before them: *more than 10*, *in the 1960s*.

A period, which `reasoning.question.literals` reads as its first and its last year, is one condition with two ends:
*in the 1960s* is not before 1960 and not after 1969. So is *between 10 and 20*.
"""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cache
from typing import TYPE_CHECKING, TypeAlias

from kgstore.terms import Date, Number
from reasoning.core.derivation import Constraint, Operator
from reasoning.question.word_lists import word_pairs

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from kgstore.terms import Term
    from reasoning.core.options import Mention
    from reasoning.question.literals import Span

Comparisons: TypeAlias = "Mapping[Term, tuple[Operator, ...]]"
"""By number or date of the question, the operators that it may have."""

_ALL = (Operator.EQUAL, Operator.LESS, Operator.AT_MOST, Operator.GREATER, Operator.AT_LEAST)
_BEFORE_TWO = re.compile(r"\b(?:between|from)\s+(?:the\s+years?\s+)?$", re.IGNORECASE)
_BETWEEN_TWO = re.compile(r"\s+(?:and|to|until|till)\s+|\s*[-\u2013]\s*", re.IGNORECASE)
_NEGATED = {
    Operator.LESS: Operator.AT_LEAST,
    Operator.GREATER: Operator.AT_MOST,
    Operator.AT_LEAST: Operator.LESS,
    Operator.AT_MOST: Operator.GREATER,
}
_ENDS: Mapping[Operator | None, tuple[tuple[Operator, ...], tuple[Operator, ...]]] = {
    None: ((Operator.AT_LEAST,), (Operator.AT_MOST,)),
    Operator.LESS: ((Operator.LESS,), ()),
    Operator.AT_LEAST: ((Operator.AT_LEAST,), ()),
    Operator.AT_MOST: ((), (Operator.AT_MOST,)),
    Operator.GREATER: ((), (Operator.GREATER,)),
}
"""By the operator that the words say, how what is meant compares with the first and the last year of a period."""


def comparisons_offered(targets: Collection[Mention], question: str) -> Comparisons:
    """The operators that each number and date may have: the one that the words before it say, else all."""
    offered: dict[Term, tuple[Operator, ...]] = {}
    for mention in targets:
        if isinstance(mention.term, Number | Date):
            said = _said_before(question, mention.start)
            offered[mention.term] = _ALL if said is None else (said,)
    for start, first, last in _periods(targets, question):
        offered[first], offered[last] = _ENDS[_said_before(question, start)]
    return offered


def other_ends(
    chosen: Sequence[Constraint], targets: Collection[Mention], question: str, offered: Comparisons
) -> set[Constraint]:
    """Where one end of a period is a condition, the condition that is its other end."""
    ends = {one: other for _, *both in _periods(targets, question) for one, other in (both, both[::-1])}
    missing = {
        Constraint(c.position, operator, ends[c.target])
        for c in chosen
        if c.target is not None and c.target in ends and c.operator in offered[c.target]
        for operator in offered[ends[c.target]]
    }
    return missing - {*chosen}


def _periods(targets: Collection[Mention], question: str) -> list[tuple[int, Term, Term]]:
    """Where each decade, century, season or *between … and …* begins, with its first and its last year or number."""
    values: defaultdict[Span, list[Number | Date]] = defaultdict(list)
    for mention in targets:
        if isinstance(mention.term, Number | Date):
            values[mention.start, mention.end].append(mention.term)
    periods: list[tuple[int, Term, Term]] = []
    for (start, end), firsts in values.items():
        dates = [value for value in firsts if isinstance(value, Date)]
        if len(dates) == 2:  # noqa: PLR2004
            periods.append((start, dates[0], dates[1]))
        if _BEFORE_TWO.search(question[:start]):
            after = (each for (at, _), each in values.items() if _BETWEEN_TWO.fullmatch(question[end:at]))
            # A year is a date and a number; each goes with its like.
            pairs = ((first, last) for lasts in after for last in lasts for first in firsts)
            periods += [(start, first, last) for first, last in pairs if type(first) is type(last)]
    return periods


def _said_before(question: str, start: int) -> Operator | None:
    pattern, operators = _comparing_words()
    found = pattern.search(question[:start])
    if found is None:
        return None
    operator = operators[" ".join(found["words"].lower().split())]
    return _NEGATED[operator] if found["negation"] else operator


@cache
def _comparing_words() -> tuple[re.Pattern[str], Mapping[str, Operator]]:
    """A pattern that finds such words at the end of a text, and the operator of each."""
    operators = {words: Operator(sign) for words, sign in word_pairs("comparing_words.tsv").items()}
    either = "|".join(re.escape(words).replace(r"\ ", r"\s+") for words in sorted(operators, key=len, reverse=True))
    return re.compile(
        rf"\b(?P<negation>(?:no|not)\s+)?(?P<words>{either})\s+(?:the\s+)?(?:year\s+)?[$€£]?$", re.IGNORECASE
    ), operators
