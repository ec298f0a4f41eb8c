"""Units after the numbers of a question: *longer than 2 hours* is 120 where a graph counts minutes."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from kgstore.terms import Number
from reasoning.core.options import Mention
from reasoning.question.word_lists import word_list

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

_DIGITS = 12
"""Significant digits of a converted number: 5 feet are 1.524 m, not 1.5240000000000002."""


class Unit(NamedTuple):
    """A unit of measurement."""

    name: str
    """As `kgstore.freebase.labels.RelationLabel.unit` has it."""
    measures: str
    """*Length*, *time* and so on; units of one kind can be converted."""
    size: float
    """How many of the first unit of its kind it is."""


def in_every_unit(mention: Mention, question: str) -> Iterator[Mention]:
    """A number as it is said, and in the other units of what its own unit measures; as it is, where it has none."""
    unit = unit_after(question, mention.end)
    if unit is None or not isinstance(mention.term, Number):
        yield mention
        return
    yield Mention(mention.start, mention.end, mention.term, unit.name)
    for other in _units():
        if other.measures == unit.measures and other != unit:
            value = float(f"{mention.term.value * unit.size / other.size:.{_DIGITS}g}")
            yield Mention(mention.start, mention.end, Number(value), other.name, is_converted=True)


def unit_after(question: str, end: int) -> Unit | None:
    """The unit that follows a number, or the number after it: *between 1 and 2 hours*."""
    found = _pattern().match(question, end)
    return None if found is None else _by_word()[" ".join(found["unit"].lower().split())]


def with_unit(question: str, mention: Mention) -> tuple[int, int]:
    """The part of the question that a mention takes, with its unit where it has one."""
    found = _pattern().match(question, mention.end) if mention.unit else None
    return mention.start, mention.end if found is None else found.end()


def said_for(targets: Iterable[Mention], unit: str) -> list[Mention]:
    """Of the numbers that a question names, those to compare with numbers of a unit; empty where that is not known.

    What has another unit is what it is converted to; a number of kilometres compares with no minutes. Where the unit is
    not known, numbers are compared as they are said.
    """
    return [each for each in targets if not each.unit or (each.unit == unit if unit else not each.is_converted)]


@cache
def _units() -> Sequence[Unit]:
    rows = (line.split("\t") for line in word_list("measurement_units.tsv"))
    return [Unit(name, measures, float(size)) for name, measures, size, _ in rows]


@cache
def _by_word() -> Mapping[str, Unit]:
    words = (line.split("\t")[3].split(",") for line in word_list("measurement_units.tsv"))
    return {word: unit for unit, own in zip(_units(), words, strict=True) for word in own}


@cache
def _pattern() -> re.Pattern[str]:
    either = "|".join(re.escape(word).replace(r"\ ", r"\s+") for word in sorted(_by_word(), key=len, reverse=True))
    another = r"(?:\s*(?:and|to|or|[-\u2013])\s*\d[\d.,]*)?"
    return re.compile(rf"{another}[\s-]*(?P<unit>{either})(?![\w²])", re.IGNORECASE)
