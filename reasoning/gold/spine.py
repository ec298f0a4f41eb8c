"""The way from the topic entity to the answer in gold queries that no derivation expresses, without their conditions.

A spine teaches which relations to follow, and no more: neither the conditions nor where the search ends are known.
"""

from __future__ import annotations

import re
from collections import deque
from typing import TYPE_CHECKING

from kgstore.sparql.query_graph import MAX_QUERY_LENGTH
from kgstore.terms import Direction, Entity, Relation
from reasoning.core.derivation import Derivation, SearchStep

if TYPE_CHECKING:
    from collections.abc import Iterator

_COMMENT = re.compile(r"#[^\n]*")
_FILTER = re.compile(r"FILTER\s*(?:(?:NOT\s+)?EXISTS\s*\{[^}]*\}|\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))")
_TOKEN = re.compile(r'ns:[\w.]+|\?\w+|[;.{}]|"[^"]*"\S*|\S+')
_SELECTED = re.compile(r"SELECT\s+(?:DISTINCT\s+)?(\?\w+)")


def spine(query: str, topic: Entity) -> Derivation | None:
    """The shortest way of relations from the topic to what is selected, over a query's triple patterns.

    The query need not be one that a parser of SPARQL accepts: benchmarks hold some that were written by hand.
    """
    if len(query) > MAX_QUERY_LENGTH:
        return None
    selected = _SELECTED.search(query)
    edges = list(_patterns(query))
    ways: dict[str, tuple[Relation, ...]] = {f"ns:{topic}": ()}
    waiting = deque(ways)
    while waiting:
        at = waiting.popleft()
        for subject, predicate, target in edges:
            for start, end, direction in ((subject, target, Direction.FORWARD), (target, subject, Direction.REVERSE)):
                if start == at and end not in ways and end.startswith("?"):
                    ways[end] = (*ways[at], Relation(predicate, direction))
                    waiting.append(end)
    way = ways.get(selected[1]) if selected else None
    if not way:
        return None
    return Derivation(topic, tuple(SearchStep(place, relation) for place, relation in enumerate(way)), (), len(way))


def _patterns(query: str) -> Iterator[tuple[str, str, str]]:
    """The triple patterns whose predicates are named; those within filters are left out."""
    text = _FILTER.sub(" ", _COMMENT.sub("", query.partition("WHERE")[2]))
    parts: list[str] = []
    for word in _TOKEN.findall(text):
        if word in (".", "{", "}"):
            parts = []
        elif word == ";":
            parts = parts[:1]
        else:
            parts.append(word.rstrip("."))
            if len(parts) == len(("subject", "predicate", "object")) and parts[1].startswith("ns:"):
                yield parts[0], parts[1].removeprefix("ns:"), parts[2]
