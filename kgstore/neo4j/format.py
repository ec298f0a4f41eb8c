"""The layout of a graph in Neo4j, for the loaders and the store.

Several graphs share a database, for the Community edition has but one. Every load of a graph has a number of its own:

* ``(:Graph {graph, name, title, version, source, filters, loaded_at, …, state})`` says what it is. Its ``state`` is
  ``loading`` until all of it is there, then ``complete``; a graph that another took the place of is ``replaced`` and
  is removed by the next load of that name.
* ``(:Predicate {graph, number, name, …})``, one each, in the order of their names.
* ``(:Term:Entity {graph, place, mid, name, names, folded, keys, types, mediator, popularity, relations})``.
* ``(:Term:Number {place, text, value})``, ``(:Term:Date {place, text, first, last})`` and ``(:Term:Text {place, text,
  value, language})``: literals. A date is the interval of its days, each written as the number yyyymmdd, so that
  numbers and dates compare in Cypher as they do in `kgstore.terms`.
* One relationship type a predicate, from subject to object, without properties.
* ``(:Hub {graph, entity, code, last, numbers})``: where an entity has more than `HUB_TRIPLES` triples along a relation,
  what they lead to, in order and in parts. ``entity`` is its place, ``code`` the relation's, ``numbers`` the numbers of
  up to `HUB_PART` terms and ``last`` the last of them. Neo4j keeps no order of edges, so this is what an ordered cut of
  a hub is read from. Graphs of version 1 have none. The subjects of every predicate stand there, too, under the place
  of the graph's term 0, which there is none of; those of versions 1 and 2 lack them, the triples of each `Predicate`
  and the ``schema`` of the `Graph`. So do the instances of every type, under codes that no relation has; the ``types``
  of the `Graph` say which. Those of versions 1 to 3 lack these, and the ``label`` of each `Predicate`.

``place`` orders the terms of a graph like the ids of `kgstore.loading.arrange`: the graph's number, then the term's.
``relations`` holds the entity's packed relations; see `kgstore.store_parts.relation_codes` and `kgstore.neo4j.store`.
"""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_left

from kgstore.names import errors_allowed
from kgstore.terms import Date, Number, TermKind, Text, parse_term

FORMAT_VERSION = 4
"""Changes whenever what lies in the database, or the order of places, changes."""
READABLE_VERSIONS = (1, 2, 3, FORMAT_VERSION)
"""Graphs of these are read; those of an earlier one say that they should be loaded again."""

HUBS_SINCE = 2
"""The first version with hubs."""
ABOUT = "graph {.*, schema: NULL, types: NULL}"
"""What a graph is, in Cypher; its schema and types are long, and read only where they are asked for."""

HUB_TRIPLES = 100
"""Up to this number of triples along a relation are sorted when they are read."""
HUB_PART = 500

ENTITY_NAMES = "discern_entity_names"
"""The full-text index over names and aliases."""

SCHEMA = {
    "discern_graph": "CREATE CONSTRAINT discern_graph IF NOT EXISTS FOR (n:Graph) REQUIRE n.graph IS UNIQUE",
    "discern_lock": "CREATE CONSTRAINT discern_lock IF NOT EXISTS FOR (n:GraphLock) REQUIRE n.name IS UNIQUE",
    "discern_predicate": "CREATE INDEX discern_predicate IF NOT EXISTS FOR (n:Predicate) ON (n.graph)",
    "discern_place": "CREATE INDEX discern_place IF NOT EXISTS FOR (n:Term) ON (n.place)",
    "discern_hub": "CREATE INDEX discern_hub IF NOT EXISTS FOR (n:Hub) ON (n.entity, n.code, n.last)",
    "discern_mid": "CREATE CONSTRAINT discern_mid IF NOT EXISTS FOR (n:Entity) REQUIRE (n.graph, n.mid) IS UNIQUE",
    ENTITY_NAMES: f"""
CREATE FULLTEXT INDEX {ENTITY_NAMES} IF NOT EXISTS FOR (n:Entity) ON EACH [n.folded, n.keys]
OPTIONS {{indexConfig: {{`fulltext.analyzer`: 'whitespace'}}}}
""",
}
"""Every index, by its name; a constraint bears the range index that it needs."""

MAX_MID_LENGTH = 4_000
"""In bytes: what a range index takes, with room to spare."""
MAX_PREDICATES = 65_000
"""What the store format of the Community edition takes."""

_NUMBER_BITS = 36
_GRAPH_BITS = 26
_TIERS = (1_000, 32_000, 1_000_000)
_UNSAFE = re.compile(r"[%`\\\x00-\x1f\x7f-\x9f]")
_NOT_A_WORD = re.compile(r"(\W)")

GRAPH_NUMBERS = range(1, 1 << _GRAPH_BITS)
"""What a graph's number may be."""


def place(graph: int, number: int) -> int:
    """The place of a term by its number within its graph."""
    return graph << _NUMBER_BITS | number


def type_code(predicates: int, number: int) -> int:
    """The code under which the instances of a type stand, by its number; those of relations are lower."""
    return 2 * (predicates + number)


def relationship_type(predicate: str) -> str:
    """The relationship type of a predicate: itself, but for the characters that could end a quoted name."""
    return _UNSAFE.sub(lambda match: f"%{ord(match[0]):02X}", predicate)


def quoted_type(predicate: str) -> str:
    """The relationship type as it stands in a query.

    Neo4j plans a relationship type that is a parameter as a walk over all edges of a node, so the type must be part of
    the query's text. This is the only place where something of a graph gets there.
    """
    return f"`{relationship_type(predicate)}`"


def keys(graph: int, number: int, folded: list[str]) -> str:
    """What the full-text index holds of an entity besides words: how well known it is, and each whole name."""
    tier = bisect_left(_TIERS, number)
    return " ".join((f"{graph}r{tier}", *(_name_key(graph, name) for name in folded)))


def exact_pattern(graph: int, folded: list[str]) -> str:
    """A full-text query for the entities that bear one of the names."""
    return " ".join(f"keys:{_name_key(graph, name)}" for name in folded)


def prefix_patterns(graph: int, words: list[str]) -> list[str]:
    """Full-text queries for names with these words, the last of them perhaps half typed; the best known come first.

    The index knows no order but its own, and a letter or two begin countless names. So the best known thousand are
    asked first, then the next tens of thousands, and so on: what begins many names is found among the first.
    """
    escaped = [_escaped(word) for word in words]
    wanted = [*(f"+folded:{word}" for word in escaped[:-1]), f"+folded:{escaped[-1]}*"]
    return [" ".join((f"+keys:{graph}r{tier}", *wanted)) for tier in range(len(_TIERS) + 1)]


def part_patterns(graph: int, words: list[str]) -> list[str]:
    """Full-text queries for names that hold all of the words, wherever; the best known come first as above."""
    wanted = [f"+folded:{_escaped(word)}" for word in words]
    return [" ".join((f"+keys:{graph}r{tier}", *wanted)) for tier in range(len(_TIERS) + 1)]


def holding_pattern(part: list[str]) -> str:
    """A regular expression for names that `kgstore.store_parts.matching.holds_part` takes, and the part itself."""
    words = " (.* )?".join(_escaped(word) for word in part)
    return f"(.* )?{words}( .*)?"


def similar_patterns(graph: int, words: list[str], errors: int) -> list[str]:
    """Full-text queries for names that may be this number of typing errors away.

    Of one error, a query for each word that may have it; of two, one query in which each word may have some.
    """
    tiers = " ".join(f"{graph}r{tier}" for tier in range(len(_TIERS) + 1))
    allowed = [errors_allowed(word) for word in words]
    some = [[min(1, own) * (at == place) for at, own in enumerate(allowed)] for place, own in enumerate(allowed) if own]
    wanted = some if errors == 1 else [allowed] if any(allowed) else []
    return [
        " ".join((f"+keys:({tiers})", *(f"+folded:{_fuzzy(word, own)}" for word, own in zip(words, each, strict=True))))
        for each in wanted
    ]


def _fuzzy(word: str, errors: int) -> str:
    return f"{_escaped(word)}~{errors}" if errors else _escaped(word)


def _escaped(word: str) -> str:
    return _NOT_A_WORD.sub(r"\\\1", word)


def day_number(day: tuple[int, int, int]) -> int:
    """A day as the number yyyymmdd."""
    year, month, day_of_month = day
    return 10_000 * year + 100 * month + day_of_month


def literal_properties(text: str) -> tuple[TermKind, dict[str, str | float | int | None]]:
    """What kind of literal a text is, and the properties of its node."""
    literal = parse_term(text)
    match literal:
        case Number():
            return TermKind.NUMBER, {"text": text, "value": float(literal.value)}
        case Date():
            first, last = map(day_number, literal.interval)
            return TermKind.DATE, {"text": text, "first": first, "last": last}
        case Text():
            return TermKind.TEXT, {"text": text, "value": literal.value, "language": literal.language or None}
    raise TypeError(f"{text} is no literal")


def _name_key(graph: int, folded: str) -> str:
    return f"{graph}n{hashlib.blake2b(folded.encode(), digest_size=8).hexdigest()}"
