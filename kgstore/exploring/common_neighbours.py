"""What two entities are both directly joined with."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kgstore.terms import Entity

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kgstore.exploring.explorable import ExplorableStore
    from kgstore.terms import Triple

MAX_FACTS = 20_000
"""Default maximum of facts that are read."""


@dataclass(frozen=True, slots=True)
class CommonNeighbour:
    """An entity that two others are joined with, and the facts that join them."""

    entity: Entity
    with_one: Sequence[Triple]
    with_other: Sequence[Triple]


@dataclass(frozen=True, slots=True)
class CommonNeighbours:
    """The first of them, those that are less known first."""

    neighbours: Sequence[CommonNeighbour]
    found: int
    """The number of common neighbours found, listed or not."""
    is_complete: bool
    """Whether there are no others: False where looking further would have cost more than was allowed."""
    looked_at: int


def common_neighbours(
    store: ExplorableStore, one: Entity, other: Entity, *, limit: int, most: int = MAX_FACTS
) -> CommonNeighbours:
    """Entities that stand in a fact with one and in a fact with the other.

    The facts of the less known of the two are read, and its neighbours asked for the other one, so that a hub is never
    read. Where both are hubs, only the relations of the less known that have fewest facts are read.

    Args:
        store: the graph.
        one: an entity.
        other: another one.
        limit: maximum of neighbours that are listed.
        most: maximum of facts that are read for each entity, and again for what is asked for.

    """
    cards = store.cards([one, other])
    less, more = sorted((one, other), key=lambda each: (cards[each].popularity, each))
    is_small = cards[less].popularity <= most
    near = store.neighbourhood([less]) if is_small else _some_facts(store, less, most)
    by_neighbour = _by_far_end(near, less)
    candidates = by_neighbour.keys() - {one, other}
    joined = store.joining(candidates, [more], most)
    shared = _by_far_end(joined.triples, more)
    popularity = {entity: card.popularity for entity, card in store.cards(shared.keys()).items()}
    order = sorted(shared, key=lambda each: (popularity[each], each))
    of_one, of_other = (by_neighbour, shared) if less == one else (shared, by_neighbour)
    return CommonNeighbours(
        [CommonNeighbour(each, of_one[each], of_other[each]) for each in order[:limit]],
        found=len(shared),
        is_complete=is_small and joined.is_complete,
        looked_at=len(near) + joined.looked_at,
    )


def _some_facts(store: ExplorableStore, entity: Entity, most: int) -> list[Triple]:
    facts: list[Triple] = []
    for count in sorted(store.relations([entity]), key=lambda each: (each.triples, each.relation)):
        if len(facts) < most:
            facts += store.expand([entity], count.relation, most - len(facts)).triples
    return facts


def _by_far_end(triples: Iterable[Triple], near: Entity) -> dict[Entity, list[Triple]]:
    found: defaultdict[Entity, list[Triple]] = defaultdict(list)
    for triple in triples:
        far = triple.object if triple.subject == near else triple.subject
        if isinstance(far, Entity):
            found[far].append(triple)
    return dict(found)
