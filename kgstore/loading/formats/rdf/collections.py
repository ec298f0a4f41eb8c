"""RDF collections and containers: ``ex:members (a b c)``, ``rdf:Seq``. Their members become facts of what has them.

A collection is a chain of nodes without a label, ``rdf:first`` and ``rdf:rest``; here each of its members is an object
of the statement that has the collection as its object. Members of a container have one relation, ``rdfs:member``,
instead of ``rdf:_1``, ``rdf:_2`` and so on.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from typing import TYPE_CHECKING

from kgstore.iris import is_blank_node

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from kgstore.loading.formats.lines import TripleText

_RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
FIRST, REST, NIL = f"{_RDF}first", f"{_RDF}rest", f"{_RDF}nil"
MEMBER = "http://www.w3.org/2000/01/rdf-schema#member"
_MEMBERSHIP = re.compile(rf"{re.escape(_RDF)}_[1-9]\d*")
_HELD = 10_000
"""Number of statements about nodes without a label that wait for the collection that these may be. One that comes later
is a node of its own, which has the members."""


def with_members(triples: Iterable[TripleText]) -> Iterator[TripleText]:
    """Triples in which collections are replaced by their members, in their order.

    Memory holds the nodes of all collections.
    """
    first: dict[str, str] = {}
    rest: dict[str, str] = {}
    held: OrderedDict[str, list[TripleText]] = OrderedDict()
    owners: dict[str, list[TripleText]] = {}
    waiting = 0
    for triple in triples:
        subject, predicate, obj = triple
        if predicate == FIRST and is_blank_node(subject) and subject not in first:
            first[subject] = obj
        elif predicate == REST and is_blank_node(subject) and subject not in rest:
            rest[subject] = obj
        elif obj == NIL:
            # An empty collection has no members.
            continue
        elif is_blank_node(obj):
            held.setdefault(obj, []).append(_member(triple))
            waiting += 1
            while waiting > _HELD:
                node, some = held.popitem(last=False)
                waiting -= len(some)
                if node in first:
                    owners.setdefault(node, []).extend(some)
                else:
                    yield from some
            continue
        else:
            yield _member(triple)
    for node, some in held.items():
        if node in first:
            owners.setdefault(node, []).extend(some)
        else:
            yield from some
    yield from _members(first, rest, owners)


def _member(triple: TripleText) -> TripleText:
    subject, predicate, obj = triple
    return (subject, MEMBER, obj) if _MEMBERSHIP.fullmatch(predicate) else triple


def _members(first: dict[str, str], rest: dict[str, str], owners: dict[str, list[TripleText]]) -> Iterator[TripleText]:
    within = set(rest.values())
    for head in first:
        if head in within and head not in owners:
            continue
        having = [(subject, predicate) for subject, predicate, _ in owners.get(head, ())] or [(head, MEMBER)]
        seen: set[str] = set()
        node = head
        while node in first and node not in seen:
            seen.add(node)
            for subject, predicate in having:
                yield subject, predicate, first[node]
            node = rest.get(node, NIL)
