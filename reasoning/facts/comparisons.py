"""How the numbers and dates of a question may compare, by the words next to them: *more than 10*, *1964 or later*.

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
_FROM = re.compile(r"\b(?:from|as\s+of)\s+(?:the\s+year\s+)?$", re.IGNORECASE)
_ON = re.compile(r"\s+on\b(?!\s+(?:the|a|an)\b)", re.IGNORECASE)
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
    """The operators that each number and date may have: the one that the words next to it say, else all."""
    offered: dict[Term, tuple[Operator, ...]] = {}
    for mention in targets:
        if isinstance(mention.term, Number | Date):
            said = _said_of(question, (mention.start, mention.end))
            offered[mention.term] = _ALL if said is None else (said,)
    for span, first, last in _periods(targets, question):
        offered[first], offered[last] = _ENDS[_said_of(question, span)]
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


def _periods(targets: Collection[Mention], question: str) -> list[tuple[Span, Term, Term]]:
    """Each decade, century, season or *between … and …* with its first and its last year or number."""
    values: defaultdict[Span, list[tuple[Number | Date, str]]] = defaultdict(list)
    for mention in targets:
        if isinstance(mention.term, Number | Date):
            values[mention.start, mention.end].append((mention.term, mention.unit))
    periods: list[tuple[Span, Term, Term]] = []
    for (start, end), firsts in values.items():
        dates = [value for value, _ in firsts if isinstance(value, Date)]
        if len(dates) == 2:  # noqa: PLR2004
            periods.append(((start, end), dates[0], dates[1]))
        if _BEFORE_TWO.search(question[:start]):
            after = [(to, each) for (at, to), each in values.items() if _BETWEEN_TWO.fullmatch(question[end:at])]
            # A year is a date and a number; each goes with its like, and so does a number of hours or of minutes.
            pairs = ((to, first, last) for to, lasts in after for last in lasts for first in firsts)
            periods += [
                ((start, to), first[0], last[0])
                for to, first, last in pairs
                if type(first[0]) is type(last[0]) and first[1] == last[1]
            ]
    return periods


def _said_of(question: str, span: Span) -> Operator | None:
    pattern, operators = _comparing_words()
    found = pattern.search(question[: span[0]])
    if found is None:
        return _said_after(question, span)
    operator = operators[" ".join(found["words"].lower().split())]
    return _NEGATED[operator] if found["negation"] else operator


def _said_after(question: str, span: Span) -> Operator | None:
    """*1994 or later*, *10 pounds or more*, *from 1994 on*."""
    pattern, operators = _comparing_words_after()
    if found := pattern.match(question, span[1]):
        return operators[" ".join(found["words"].lower().split())]
    begins = _FROM.search(question[: span[0]]) and _ON.match(question, span[1])
    return Operator.AT_LEAST if begins else None


@cache
def _comparing_words_after() -> tuple[re.Pattern[str], Mapping[str, Operator]]:
    """A pattern that finds such words at the beginning of a text, one word after the number, and their operators."""
    operators = {words: Operator(sign) for words, sign in word_pairs("comparing_words_after.tsv").items()}
    return re.compile(rf"(?:\s+\w+)?\s+(?P<words>{_either(operators)})\b", re.IGNORECASE), operators


def _either(words: Collection[str]) -> str:
    return "|".join(re.escape(each).replace(r"\ ", r"\s+") for each in sorted(words, key=len, reverse=True))


@cache
def _comparing_words() -> tuple[re.Pattern[str], Mapping[str, Operator]]:
    """A pattern that finds such words at the end of a text, and the operator of each."""
    operators = {words: Operator(sign) for words, sign in word_pairs("comparing_words.tsv").items()}
    either = _either(operators)
    return re.compile(
        rf"\b(?P<negation>(?:no|not)\s+)?(?P<words>{either})\s+(?:the\s+)?(?:year\s+)?[$€£]?$", re.IGNORECASE
    ), operators
