"""What a graph is made of: entities, relations with a direction, typed literals, triples.

Every term has one textual form, used in files, in events and on the wire:

* an entity is its mid: ``m.027rn``, ``en.knight_rider``;
* a literal is quoted in N-Triples style: ``"Knight Rider"@en``, ``"2011-02-06"^^xsd:date``, ``"42"^^xsd:integer``; one
  that is neither a number nor a date is a text that keeps its datatype: ``"true"^^xsd:boolean``,
  ``"P1Y"^^xsd:duration``, ``"POINT(1 2)"^^<http://www.opengis.net/ont/geosparql#wktLiteral>``;
* a relation followed from object to subject bears SPARQL's caret: ``^film.film.directed_by``.
"""

from __future__ import annotations

import calendar
import math
import re
from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import Decimal, InvalidOperation
from enum import StrEnum
from functools import total_ordering
from typing import Self, TypeAlias

from kgstore.freebase_ids import plain_id
from kgstore.iris import is_conceptnet

_LITERAL = re.compile(
    r'"(?P<body>(?:[^"\\]|\\.)*)"(?:@(?P<language>[A-Za-z0-9-]+)|\^\^(?:<(?P<iri>[^<>"\s]+)>|(?P<short>[^<>"\s]+)))?',
    re.DOTALL,
)
_XSD = "http://www.w3.org/2001/XMLSchema#"
_DATE = re.compile(r"^(?P<year>-?\d{4,12})(?!\d)(?:-(?P<month>\d{2})(?!:)(?:-(?P<day>\d{2})(?!:))?)?", re.ASCII)
"""Years have at most twelve digits: the universe is 13,800,000,000 years old."""
_TIME = re.compile(
    r"(?:T(?:(?:[01]\d|2[0-3])(?::[0-5]\d(?::[0-5]\d(?:\.\d+)?)?)?|(?P<midnight>24(?::00(?::00(?:\.0+)?)?)?)))?"
    r"(?:Z|[+-](?:(?:0\d|1[0-3]):?[0-5]\d|14:?00))?",
    re.ASCII,
)
"""What may follow a date: a time of day, a time zone, both or neither. XML Schema wants the seconds; few files do."""
_ESCAPES = {"\\": "\\", '"': '"', "n": "\n", "r": "\r", "t": "\t"}
_SPACE = " \t\n\r"
"""White space of XML Schema, which may stand around numbers and dates."""
_DATE_TYPES = frozenset({"date", "dateTime", "dateTimeStamp", "gYear", "gYearMonth"})
_YEAR_ALONE = frozenset({"gYear"})
_YEAR_DIGITS = 4
"""Of years of a date; years with more digits must be followed by a month, or 20110206 would be one."""
_BARE_NUMBER = re.compile(
    r"(?!\d+[eE]\d+$)-?(?:0|[1-9]\d{0,14})(?:\.\d+)?(?:[eE][+-]?\d{1,2})?",
    re.ASCII,
)
"""``1E5`` is none: codes are written so, and numbers with a sign or a point."""
NUMBER_PATTERN = "^-?[0-9]{1,15}([.][0-9]+([eE][+-]?[0-9]{1,2})?)?$"
"""A text that is ordered as a number, see `ordered_as`; queries say it so."""
_WRITTEN_AS_NUMBER = re.compile(NUMBER_PATTERN[1:-1])
_WRITTEN_OUT = 1e21
"""Integers below it are written with all their digits, larger ones with an exponent unless they have more digits."""
_INTEGER = re.compile(r"-?\d+", re.ASCII)
_SURELY_HELD = 15
"""A float holds numbers of this many characters."""
_MAX_DIGITS = 400
"""Of a number with more digits, the nearest float is kept."""
_MAX_SHOWN_LENGTH = 200
_BITS = {"long": 64, "int": 32, "short": 16, "byte": 8}
_INTEGER_TYPES: dict[str, tuple[float, float]] = {
    "integer": (-math.inf, math.inf),
    "nonNegativeInteger": (0, math.inf),
    "positiveInteger": (1, math.inf),
    "nonPositiveInteger": (-math.inf, 0),
    "negativeInteger": (-math.inf, -1),
    **{name: (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) for name, bits in _BITS.items()},
    **{f"unsigned{name.capitalize()}": (0, 2**bits - 1) for name, bits in _BITS.items()},
}
"""Integer datatypes of XML Schema, each with the smallest and the largest of its numbers."""
_INTEGER_FORM = re.compile(r"[+-]?\d+", re.ASCII)
_DECIMAL_FORM = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?|-?inf", re.ASCII)
"""With an exponent, too, and ``inf``: graphs of earlier versions hold such decimals."""
_FLOAT_FORM = re.compile(r"[+-]?(?:(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?|INF)", re.ASCII)
_FLOATS = frozenset({"double", "float"})
"""Datatypes whose values are floats, however many digits are written."""
_TRUTH = {"1": "true", "0": "false"}
"""How truth values are written besides."""
_STRING_TYPES = frozenset(
    {"xsd:string", "xsd:normalizedString", "xsd:token", "http://www.w3.org/1999/02/22-rdf-syntax-ns#langString"}
)
"""Datatypes of plain texts, which need not be kept."""


class TermError(ValueError):
    """A text that is not a term; the message says what was expected."""


class Direction(StrEnum):
    """Which way a relation is followed from an entity."""

    FORWARD = "forward"
    """From subject to object."""
    REVERSE = "reverse"
    """From object to subject."""


class TermKind(StrEnum):
    """What a term is, as far as reasoning cares."""

    ENTITY = "entity"
    MEDIATOR = "mediator"
    """An entity without a name that only links others (Freebase's compound value type, CVT)."""
    NUMBER = "number"
    DATE = "date"
    TEXT = "text"


@dataclass(frozen=True, slots=True, order=True)
class Entity:
    """A node of the graph, known by its mid. Names are for people and live in the store."""

    mid: str

    def __str__(self) -> str:
        return self.mid


@dataclass(frozen=True, slots=True, order=True)
class Text:
    """A text literal with its language tag, if any, or with a datatype that is neither a number's nor a date's."""

    value: str
    language: str = ""
    datatype: str = ""
    """``xsd:boolean``, or an address in full; empty for a plain text."""

    def __str__(self) -> str:
        if self.language:
            return f"{_quoted(self.value)}@{self.language}"
        if self.datatype:
            is_short = self.datatype.startswith("xsd:") or "/" not in self.datatype
            return f"{_quoted(self.value)}^^{self.datatype if is_short else f'<{self.datatype}>'}"
        return _quoted(self.value)


@total_ordering
@dataclass(frozen=True, slots=True, eq=False)
class Number:
    """A number. Equal numbers are one number: ``"42"^^xsd:integer`` is ``"42.0"^^xsd:decimal``."""

    value: float
    """The nearest that a float can be."""
    exact: str = ""
    """All its digits, where they are more than a float holds: ``708663653625634817``. Empty where they are not."""

    @property
    def rank(self) -> tuple[float, float]:
        """Its place among numbers: the float, and how much it is more than that."""
        return self.value, float(Decimal(self.exact) - Decimal(self.value)) if self.exact else 0.0

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Number) and (self.value, self.exact) == (other.value, other.exact)

    def __hash__(self) -> int:
        return hash(self.value)

    def __lt__(self, other: Number) -> bool:
        return self.rank < other.rank

    @property
    def digits(self) -> str:
        """As people write it: all its digits, without a needless fraction."""
        if self.exact:
            return self.exact
        value = float(self.value)
        return str(int(value)) if value.is_integer() and abs(value) < _WRITTEN_OUT else repr(value)

    def __str__(self) -> str:
        digits = self.digits
        if _INTEGER.fullmatch(digits):
            return f'"{digits}"^^xsd:integer'
        if digits.endswith("inf"):
            return f'"{digits.upper()}"^^xsd:double'
        return f'"{digits}"^^xsd:{"double" if "e" in digits else "decimal"}'


@total_ordering
@dataclass(frozen=True, slots=True, eq=False)
class Date:
    """A date known to the year, the month or the day: an interval of days.

    ``value`` is the ISO text with exactly the precision that is known: ``2011``, ``2011-02`` or ``2011-02-06``.
    Dates order by their first day, then by their last.
    """

    value: str

    @property
    def interval(self) -> tuple[tuple[int, int, int], tuple[int, int, int]]:
        """First and last day, each as (year, month, day)."""
        match = _DATE.match(self.value)
        if match is None:
            raise TermError(f"{self.value!r} is not a date; write 2011, 2011-02 or 2011-02-06")
        year = int(match["year"])
        if match["month"] is None:
            return (year, 1, 1), (year, 12, 31)
        month = int(match["month"])
        if match["day"] is None:
            # The Gregorian calendar repeats every 400 years; `calendar` knows no year before 1.
            return (year, month, 1), (year, month, calendar.monthrange(year % 400 + 400, month)[1])
        return (year, month, int(match["day"])), (year, month, int(match["day"]))

    def contains(self, other: Date) -> bool:
        """Whether every day of ``other`` is a day of this date: 2011 contains 2011-02-06."""
        (first, last), (other_first, other_last) = self.interval, other.interval
        return first <= other_first and other_last <= last

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Date) and self.value == other.value

    def __hash__(self) -> int:
        return hash(self.value)

    def __lt__(self, other: Date) -> bool:
        return self.interval < other.interval

    def __str__(self) -> str:
        precision = {0: "gYear", 1: "gYearMonth"}.get(self.value.lstrip("-").count("-"), "date")
        return f'"{self.value}"^^xsd:{precision}'


Literal: TypeAlias = Text | Number | Date
Term: TypeAlias = Entity | Literal


@dataclass(frozen=True, slots=True, order=True)
class Relation:
    """A predicate together with the direction in which it is followed."""

    predicate: str
    direction: Direction = Direction.FORWARD
    label: str = field(default="", compare=False)
    """What its graph calls the predicate; empty where its id is all there is. It makes no other relation."""

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read ``film.film.directed_by`` or ``^film.film.directed_by``."""
        if text.startswith("^"):
            return cls(text[1:], Direction.REVERSE)
        return cls(text)

    @property
    def is_reverse(self) -> bool:
        """Whether it is followed from object to subject."""
        return self.direction is Direction.REVERSE

    @property
    def inverse(self) -> Relation:
        """The same predicate followed the other way."""
        return Relation(self.predicate, Direction.FORWARD if self.is_reverse else Direction.REVERSE, self.label)

    def __str__(self) -> str:
        return f"^{self.predicate}" if self.is_reverse else self.predicate


@dataclass(frozen=True, slots=True)
class Triple:
    """A fact t = (s, p, o): subject entity, predicate, object entity or literal, in the graph's own direction."""

    subject: Entity
    predicate: str
    object: Term

    def __str__(self) -> str:
        return f"{self.subject}\t{self.predicate}\t{self.object}"


def parse_term(text: str) -> Term:
    """Read a term from its textual form.

    Freebase's ways of writing a mid, ``/m/027rn``, ``ns:m.027rn`` and ``m.027rn``, are one entity.

    Raises:
        TermError: the text is empty, or a literal that is not well formed.

    """
    if not text.strip("/"):
        raise TermError("an empty term; expected a name, an id or a quoted literal")
    if not text.startswith('"'):
        return read_entity(text)
    match = _LITERAL.fullmatch(text)
    if match is None:
        raise TermError(f'{_shown(text)} is not a literal; expected "value", "value"@language or "value"^^xsd:type')
    body = re.sub(r"\\(.)", lambda m: _ESCAPES.get(m[1], m[1]), match["body"], flags=re.DOTALL)
    return literal_of(body, language=match["language"] or "", datatype=match["iri"] or match["short"] or "")


def read_entity(text: str) -> Entity:
    """An entity by its id, in any of the ways in which Freebase's are written."""
    if text.startswith("/"):
        return Entity(text if is_conceptnet(text) else text[1:].replace("/", "."))
    return Entity(plain_id(text))


def literal_of(value: str, *, language: str = "", datatype: str = "") -> Literal:
    """The literal of a value that is not quoted or escaped any more.

    ``datatype`` is an address in full, or XML Schema's own name with or without the prefix ``xsd:``. A datatype that is
    not known makes a text that keeps it.

    Raises:
        TermError: a value that is not of its datatype.

    """
    if not datatype:
        return Text(value, language)
    local = datatype.removeprefix(_XSD).removeprefix("xsd:")
    if local in _INTEGER_TYPES or local in _FLOATS or local == "decimal":
        return _number_of(value.strip(_SPACE), local)
    if local in _DATE_TYPES:
        return _date_of(value.strip(_SPACE), local)
    kept = f"xsd:{local}" if local.isalnum() else datatype
    if kept == "xsd:boolean":
        value = _TRUTH.get(value.strip(_SPACE), value)
    return Text(value, datatype="" if kept in _STRING_TYPES else kept)


def _number_of(text: str, local: str) -> Number:
    """A number as XML Schema writes those of a datatype; no sign of other alphabets, no ``1_000``.

    Raises:
        TermError: it is none, or beyond those of the datatype.

    """
    if local in _INTEGER_TYPES:
        if not _INTEGER_FORM.fullmatch(text):
            raise TermError(f"{_shown(text)} is not a number of xsd:{local}: these are whole")
        least, most = _INTEGER_TYPES[local]
        number = parse_number(text)
        # Of a number of any size, the digits are compared; float or not, Python does so exactly.
        exact = int(number.exact) if number.exact else number.value
        if not least <= exact <= most:
            raise TermError(f"{_shown(text)} is not a number of xsd:{local}: these go from {least} to {most}")
        return number
    if not (_FLOAT_FORM if local in _FLOATS else _DECIMAL_FORM).fullmatch(text):
        raise TermError(f"{_shown(text)} is not a number of xsd:{local}")
    return Number(parse_number(text).value) if local in _FLOATS else parse_number(text)


def _date_of(text: str, local: str) -> Date:
    """A date as XML Schema writes it, of any precision, as many files have less or more of it than the datatype says.

    Raises:
        TermError: it is none.

    """
    found = parse_date(text)
    year, _, rest = found.value.lstrip("-").partition("-")
    if len(year) > _YEAR_DIGITS and ((not rest and local not in _YEAR_ALONE) or year.startswith("0")):
        raise TermError(f"{_shown(text)} is not a date, as xsd:{local} has it; write 2011-02-06")
    return found


def parse_number(text: str) -> Number:
    """Read a number as programs write it, with all its digits.

    Raises:
        TermError: not a number: NaN neither, which is not even equal to itself.

    """
    try:
        value = float(text)
    except ValueError as error:
        raise TermError(f"{_shown(text)} is not a number") from error
    if math.isnan(value):
        raise TermError(f"{_shown(text)} is not a number")
    return Number(value, _beyond_floats(text, value))


def _beyond_floats(text: str, value: float) -> str:
    """All digits of a number, if a float does not hold them."""
    if len(text) <= _SURELY_HELD or len(text) > _MAX_DIGITS:
        return ""
    try:
        exact = Decimal(text)
    except InvalidOperation:
        return ""
    if not exact.is_finite() or abs(exact.adjusted()) > _MAX_DIGITS or _is_held(exact, value):
        return ""
    digits = f"{exact:f}"
    return digits.rstrip("0").removesuffix(".") if "." in digits else digits


def _is_held(exact: Decimal, value: float) -> bool:
    """Whether a float is written with the same digits."""
    is_written_out = value.is_integer() and abs(value) < _WRITTEN_OUT
    return exact == (Decimal(value) if is_written_out else Decimal(repr(value)))


def ordered_as(term: Term) -> Number | Date | None:
    """What a term takes part as where values are ranked or compared; None for one that has no order.

    A number or a date is itself. A plain text that is written like a number is that number, though it keeps its text:
    the queries of benchmarks cast codes such as ``032`` to integers, to rank and compare them, and no number of
    Freebase's dump has a datatype.
    """
    if isinstance(term, Text) and not term.language and not term.datatype and _WRITTEN_AS_NUMBER.fullmatch(term.value):
        return parse_number(term.value)
    return term if isinstance(term, Number | Date) else None


def bare_number(text: str) -> Number | None:
    """The number that a text without a datatype is; None for one with zeros in front or too many digits to be kept.

    ``02134`` is a postal code, ``032`` a country's: they are texts.
    """
    return Number(float(text)) if _BARE_NUMBER.fullmatch(text) else None


def parse_date(text: str) -> Date:
    """Read an ISO date of any precision; a time of day and a time zone are dropped. 24:00 is of the next day.

    Raises:
        TermError: not a date, or a day that no calendar has.

    """
    match = _DATE.match(text)
    time = match and _TIME.fullmatch(text, match.end())
    if match is None or time is None:
        raise TermError(f"{_shown(text)} is not a date; write 2011, 2011-02 or 2011-02-06")
    if match["month"] is None:
        return Date(match[0])
    year = int(match["year"])
    try:
        day = date(year % 400 + 400, int(match["month"]), int(match["day"] or 1))
    except ValueError as error:
        raise TermError(f"{_shown(text)} is not a date: {error}") from error
    if time["midnight"] is None or match["day"] is None:
        return Date(match[0])
    following = day + timedelta(days=1)
    year += following.year - day.year
    return Date(f"{'-' * (year < 0)}{abs(year):04}-{following:%m-%d}")


def _shown(text: str) -> str:
    """A text for a message: all of it, or its beginning."""
    return repr(text if len(text) <= _MAX_SHOWN_LENGTH else f"{text[:_MAX_SHOWN_LENGTH]}…")


def _quoted(value: str) -> str:
    for character, escape in (("\\", "\\\\"), ('"', '\\"'), ("\n", "\\n"), ("\r", "\\r"), ("\t", "\\t")):
        value = value.replace(character, escape)
    return f'"{value}"'
