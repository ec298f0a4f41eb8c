"""How the terms of a graph stand in RDF, for the queries of `reasoning.compiling` and for exported graphs.

What is an address already stands as it is, so that a query finds it in the user's own store; all other entities and
relations are in Freebase's namespace. A number is an ``xsd:integer``, an ``xsd:decimal``, or an ``xsd:double`` where it
needs an exponent; a date an ``xsd:gYear``, ``xsd:gYearMonth`` or ``xsd:date``, as precise as it is known; a text a
plain literal or one with its language or datatype.
"""

from __future__ import annotations

import math
import re
from decimal import Decimal
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote, unquote

from kgstore.freebase.knowledge import TYPE, load_knowledge
from kgstore.freebase.spans import BOUNDS, Bound, bound_names
from kgstore.freebase_ids import FREEBASE, MID_PATTERN
from kgstore.iris import is_iri
from kgstore.terms import Date, Entity, Number, Term, Text, parse_date

if TYPE_CHECKING:
    from kgstore.terms import Literal

XSD = "http://www.w3.org/2001/XMLSchema#"
PREFIXES = f"PREFIX xsd: <{XSD}>\n"
"""What a query that is made of `sparql_name` and `sparql_term` begins with."""

RDF_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
RDFS_LABEL = "http://www.w3.org/2000/01/rdf-schema#label"
SKOS_ALT_LABEL = "http://www.w3.org/2004/02/skos/core#altLabel"
MID_ADDRESS = f"/ns/{MID_PATTERN}$"
"""A regular expression for the addresses of Freebase's mids, in XPath's syntax."""
FIRST_DAY, LAST_DAY = "-00-00", "-99-99"
"""What makes a year or a month its first or last day, to be compared: `day_number`. No calendar needs to have it."""
_IN_NO_ADDRESS = re.compile(r"[\x00-\x20<>\"{}|^`\\]")


def address(name: str) -> str:
    """The address of an entity or a relation, by its id."""
    if is_iri(name) and not _IN_NO_ADDRESS.search(name):
        return name
    escaped = quote(name, safe="")
    # The reader keeps names that begin so for itself.
    return f"{FREEBASE}%5F{escaped[1:]}" if escaped.startswith("_") else f"{FREEBASE}{escaped}"


def sparql_name(name: str) -> str:
    """An entity or a relation as it stands in a query: its whole address.

    Some engines refuse prefixed names with two dots, ``ns:film.film.directed_by``, though SPARQL allows them.
    """
    return f"<{address(name)}>"


def type_relation(kind: str) -> str:
    """What joins an entity with a type: RDF's own relation where the type is an address, else Freebase's."""
    return RDF_TYPE if is_iri(kind) else TYPE


def completing_relation(predicate: str) -> str | None:
    """The relation whose facts, turned round, are facts of this one; None where facts are not completed so.

    See `kgstore.loading.completing`: it adds them between things with mids, and to no mediator.
    """
    knowledge = load_knowledge()
    if predicate in knowledge.naming_relations:
        return None
    reverse = knowledge.reverse_of(predicate)
    kinds = {knowledge.subject_type(predicate), knowledge.object_type(predicate)}
    return reverse if kinds.isdisjoint(knowledge.mediator_types) else None


def id_of(address: str) -> str:
    """The id of the entity or relation that has an address; see `address`."""
    if address == RDF_TYPE:
        return TYPE
    return unquote(address.removeprefix(FREEBASE)) if address.startswith(FREEBASE) else address


def bound_pattern(bound: Bound) -> str:
    """A regular expression for the addresses of all relations that lead to this end of a time, in XPath's syntax.

    `kgstore.freebase.spans.bound_of` says which they are; what comes before the last part of a name may be escaped.
    """
    return f"([./#]|%2F|%23)({'|'.join(bound_names(bound))})$"


def bound_read(pattern: str) -> Bound | None:
    """The end of a time whose `bound_pattern` this is."""
    return next((bound for bound in BOUNDS if bound_pattern(bound) == pattern), None)


def day_number(date: Date, end: str) -> Decimal:
    """A date as a number that orders days: 2011-02-06 is 2011.0206; with `LAST_DAY`, 2011-02 is 2011.0299."""
    sign, digits = ("-", date.value[1:]) if date.value.startswith("-") else ("", date.value)
    year, month, day = (digits + end).split("-")[:3]
    return Decimal(sign + year) + Decimal(f"0.{month}{day}")


def day_read(number: Number, end: str) -> Date:
    """The date that `day_number` makes this number of.

    Raises:
        TermError: it is the number of no date.

    """
    exact = Decimal(number.digits)
    year = math.floor(exact)
    days = f"{exact - year:.4f}".partition(".")[2]
    parts = [part for part in (days[:2], days[2:]) if part != end[1:3]]
    return parse_date("-".join((f"{'-' * (year < 0)}{abs(year):04d}", *parts)))


class RdfLiteral(NamedTuple):
    """A literal as RDF writes it."""

    text: str
    language: str
    datatype: str
    """In full; empty for a plain text or one with a language."""


def rdf_literal(literal: Literal) -> RdfLiteral:
    """A literal as it stands in exported graphs and in queries."""
    if isinstance(literal, Number):
        return _rdf_number(literal)
    if isinstance(literal, Date):
        _, body, datatype = str(literal).split('"')
        return RdfLiteral(body, "", datatype.replace("^^xsd:", XSD))
    return RdfLiteral(literal.value, literal.language, literal.datatype.replace("xsd:", XSD, 1))


def _rdf_number(number: Number) -> RdfLiteral:
    digits = number.digits
    if math.isinf(number.value) and not number.exact:
        return RdfLiteral("INF" if number.value > 0 else "-INF", "", f"{XSD}double")
    if "e" in digits:
        return RdfLiteral(digits, "", f"{XSD}double")
    return RdfLiteral(digits, "", f"{XSD}{'decimal' if '.' in digits else 'integer'}")


def sparql_term(term: Term) -> str:
    """A term as it stands in a query."""
    if isinstance(term, Entity):
        return sparql_name(term.mid)
    text, language, datatype = rdf_literal(term)
    short = datatype.replace(XSD, "xsd:") if datatype.startswith(XSD) else f"<{datatype}>"
    return f"{quoted(text)}{f'@{language}' if language else f'^^{short}' if datatype else ''}"


def quoted(text: str) -> str:
    """A text between quotation marks, as SPARQL and N-Triples write it."""
    return str(Text(text))
