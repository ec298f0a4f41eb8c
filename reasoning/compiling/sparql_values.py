"""How values compare and rank in SPARQL: what `reasoning.facts.pruning` says, for engines that know datatypes only.

A number is what its digits say, whatever its datatype: 0.1 as a float, a double and a decimal is one number. So is a
plain text that is written like a number (`kgstore.terms.ordered_as`). A date is an interval of days. A time of day and
a time zone are cut off.
"""

from __future__ import annotations

from kgstore.sparql.rdf import FIRST_DAY, LAST_DAY, day_number, quoted, rdf_literal, sparql_term
from kgstore.terms import NUMBER_PATTERN, Date, Entity, Number, Term
from reasoning.core.derivation import Operator

_CUT = "(T.*|Z|[+-][0-9][0-9]:[0-9][0-9])$"
"""A time of day and a time zone. It matches no empty text, as XPath demands of a pattern that is replaced."""
_RANKED_FROM = "-01-01"
"""What makes a year or a month its first day, to be ranked: 2011 and 2011-01-01 share a place."""


def never(variable: str) -> str:
    """A condition that nothing meets. Engines differ over a plain ``false``: some drop the row of a count with it."""
    return f"{variable} != {variable}"


def is_date(node: str) -> str:
    """Whether a value is a date."""
    return f"DATATYPE({node}) IN (xsd:date, xsd:dateTime, xsd:dateTimeStamp, xsd:gYear, xsd:gYearMonth)"


def has_order(node: str) -> str:
    """Whether a value can be ranked."""
    return f"{_is_number(node)} || {is_date(node)}"


def rank(node: str) -> str:
    """A number that orders numbers and days as `reasoning.facts.pruning` does: 2011-02-06 is 2011.0206."""
    return f"IF({is_date(node)}, {_day(node, _RANKED_FROM)}, {_number(node)})"


def condition(node: str, operator: Operator, target: Term) -> str:
    """What `reasoning.facts.pruning.meets` says of a variable."""
    if isinstance(target, Number):
        return f"{_is_number(node)} && {_number(node)} {operator} {sparql_term(target)}"
    if isinstance(target, Date):
        return f"{is_date(node)} && {date_condition(node, operator, target)}"
    if operator is not Operator.EQUAL:
        return never(node)
    if isinstance(target, Entity):
        return f"{node} = {sparql_term(target)}"
    _, language, datatype = rdf_literal(target)
    same = f"STR({node}) = STR({sparql_term(target)})"
    if language:
        return f"{same} && LCASE(LANG({node})) = {quoted(language.lower())}"
    return f"{same} && DATATYPE({node}) IN (<{datatype}>)" if datatype else f"{node} = {sparql_term(target)}"


def date_condition(node: str, operator: Operator, target: Date) -> str:
    """How a date compares with another: whole intervals of days do."""
    if operator is Operator.EQUAL:
        texts = f'CONCAT(REPLACE(STR({node}), "{_CUT}", ""), "-")', quoted(f"{target.value}-")
        return f"(STRSTARTS({texts[0]}, {texts[1]}) || STRSTARTS({texts[1]}, {texts[0]}))"
    if operator in (Operator.LESS, Operator.AT_LEAST):
        return f"{_day(node, LAST_DAY)} {operator} {day_number(target, FIRST_DAY):.4f}"
    return f"{_day(node, FIRST_DAY)} {operator} {day_number(target, LAST_DAY):.4f}"


def _is_number(node: str) -> str:
    text = f'DATATYPE({node}) IN (xsd:string) && REGEX(STR({node}), "{NUMBER_PATTERN}")'
    return f"(isNUMERIC({node}) || ({text}))"


def _number(node: str) -> str:
    """The number that a number or a text is. A decimal has all digits; a double what no decimal can hold: 1E300."""
    return f"COALESCE(xsd:decimal(STR({node})), xsd:double(STR({node})))"


def _day(node: str, end: str) -> str:
    """A date as `kgstore.sparql.rdf.day_number` writes it."""
    year = f'xsd:decimal(REPLACE(STR({node}), "^(-?[0-9]+).*$", "$1"))'
    padded = f'CONCAT(REPLACE(STR({node}), "{_CUT}", ""), "{end}")'
    return f'{year} + xsd:decimal(REPLACE({padded}, "^-?[0-9]+-([0-9]+)-([0-9]+).*$", "0.$1$2"))'
