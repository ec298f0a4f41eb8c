"""What an engine finds, written alike whatever the engine."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any, TypeAlias

from kgstore.sparql.rdf import XSD, RdfLiteral, address, rdf_literal
from kgstore.terms import Entity, bare_number, literal_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from kgstore.terms import Term

Answer: TypeAlias = "Mapping[str, Any]"
"""A document of SPARQL's JSON results."""
Found: TypeAlias = "frozenset[tuple[str, ...]] | int"
"""The answers, or how many there are."""
_NUMBERS = frozenset(
    f"{XSD}{name}" for name in ("integer", "decimal", "double", "float", "short", "int", "long", "byte")
)


def found_of(terms: Iterable[Term]) -> frozenset[tuple[str, ...]]:
    """The answers of a replay."""
    return frozenset(_replayed(term) for term in terms)


def _replayed(term: Term) -> tuple[str, ...]:
    return (address(term.mid),) if isinstance(term, Entity) else written_alike(*rdf_literal(term))


def written_alike(text: str, language: str, datatype: str) -> tuple[str, ...]:
    """A literal: a number by its value, all else as it is written."""
    if datatype in _NUMBERS:
        try:
            return "number", str(Decimal(text).normalize())
        except InvalidOperation:
            return text, "", datatype
    plain = {f"{XSD}string", "http://www.w3.org/1999/02/22-rdf-syntax-ns#langString"}
    return text, language.lower(), "" if datatype in plain else datatype


def as_loaded(found: Found, *, is_dump: bool) -> Found:
    """What was found in a file that a graph was loaded from, as loading reads it; ``is_dump`` of Freebase's dump."""
    return found if isinstance(found, int) else frozenset(_loaded(each, is_dump=is_dump) for each in found)


def _loaded(answer: tuple[str, ...], *, is_dump: bool) -> tuple[str, ...]:
    if len(answer) != len(RdfLiteral._fields):
        return answer
    text, language, datatype = answer
    bare = bare_number(text) if is_dump and not language and not datatype else None
    return _replayed(bare or literal_of(text, language=language, datatype=datatype))


def read_answer(document: Answer) -> Found:
    """What an exported query found."""
    [variable] = document["head"]["vars"]
    rows = [row[variable] for row in document["results"]["bindings"]]
    if variable == "count":
        [row] = rows
        return int(row["value"])
    return frozenset(
        written_alike(row["value"], row.get("xml:lang", ""), row.get("datatype", ""))
        if row["type"] in ("literal", "typed-literal")
        else (row["value"],)
        for row in rows
    )
