"""How the terms of a graph stand in RDF, for the queries that `reasoning.compiling` writes.

What is an address already stands as it is, so that a query finds it in the user's own store; all other entities and
relations are in Freebase's namespace. A number is an ``xsd:integer``, or an ``xsd:double`` where it is
none; a date an ``xsd:gYear``, ``xsd:gYearMonth`` or ``xsd:date``, as precise as it is known; a text a plain literal or
one with its language.
"""

from __future__ import annotations

import re
from urllib.parse import quote, unquote

from kgstore.freebase.knowledge import TYPE
from kgstore.freebase.spans import BOUNDS, Bound, bound_names
from kgstore.freebase_ids import FREEBASE
from kgstore.iris import is_iri
from kgstore.terms import Date, Entity, Number, Term, Text

XSD = "http://www.w3.org/2001/XMLSchema#"
PREFIXES = f"PREFIX ns: <{FREEBASE}>\nPREFIX xsd: <{XSD}>\n"
"""What a query that is made of `sparql_name` and `sparql_term` begins with."""

RDF_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
_IN_NO_ADDRESS = re.compile(r"[\x00-\x20<>\"{}|^`\\]")
_PREFIXABLE = re.compile(r"[A-Za-z]\w*(?:\.\w+)+", re.ASCII)


def address(name: str) -> str:
    """The address of an entity or a relation, by its id."""
    if is_iri(name) and not _IN_NO_ADDRESS.search(name):
        return name
    escaped = quote(name, safe="")
    # The reader keeps names that begin so for itself.
    return f"{FREEBASE}%5F{escaped[1:]}" if escaped.startswith("_") else f"{FREEBASE}{escaped}"


def sparql_name(name: str) -> str:
    """An entity or a relation as it stands in a query: ``ns:film.film.directed_by``, else its whole address."""
    return f"ns:{name}" if _PREFIXABLE.fullmatch(name) else f"<{address(name)}>"


def type_relation(kind: str) -> str:
    """What joins an entity with a type: RDF's own relation where the type is an address, else Freebase's."""
    return RDF_TYPE if is_iri(kind) else TYPE


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


def sparql_term(term: Term) -> str:
    """A term as it stands in a query."""
    match term:
        case Entity(mid):
            return sparql_name(mid)
        case Number():
            text = str(term)
            return text if term.exact or text.endswith("integer") else f'"{float(term.value)!r}"^^xsd:double'
        case Text(value=value, datatype=datatype) if datatype and not datatype.startswith("xsd:"):
            return f"{Text(value)}^^<{datatype}>"
        case Date() | Text():
            return str(term)
