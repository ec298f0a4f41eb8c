"""Which triples of a set of entities are given where not all of them may be; the same in every store."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, TypeVar

from kgstore.terms import Entity, Triple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from kgstore.terms import Relation, Term

Reached = TypeVar("Reached")


def fair_shares(counts: Mapping[int, int], limit: int) -> dict[int, int]:
    """How many of its edges each entity may give, as equal as can be, ``limit`` in all; the best known get the rest."""
    left = max(limit, 0)
    waiting = sorted(counts, key=lambda entity: (counts[entity], entity))
    shares = {}
    while waiting and counts[waiting[0]] * len(waiting) <= left:
        entity = waiting.pop(0)
        shares[entity] = counts[entity]
        left -= counts[entity]
    for place, entity in enumerate(sorted(waiting)):
        shares[entity] = left // len(waiting) + (place < left % len(waiting))
    return {entity: share for entity, share in shares.items() if share}


def in_turns(pairs: Iterable[tuple[int, Reached]]) -> list[tuple[int, Reached]]:
    """Pairs (entity, what it leads to): the first of every entity, the best known first, then the second of every."""
    turn: defaultdict[int, int] = defaultdict(int)
    ordered = []
    for entity, reached in pairs:
        ordered.append((turn[entity], entity, reached))
        turn[entity] += 1
    ordered.sort(key=lambda row: row[:2])
    return [(entity, reached) for _, entity, reached in ordered]


def triple_of(source: Entity, relation: Relation, reached: Term) -> Triple:
    """The triple that leads from an entity along a relation to a term."""
    if not relation.is_reverse:
        return Triple(source, relation.predicate, reached)
    if not isinstance(reached, Entity):
        raise TypeError(f"{reached} is the subject of a triple and no entity")
    return Triple(reached, relation.predicate, source)
