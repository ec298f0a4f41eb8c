"""Types as entities with one relation, to their instances: *films* are what has the type ``film.film``.

A question that names nothing (*which film is the longest?*) starts at a type. No store holds types as nodes: each keeps
their instances in a list of its own, and `TypeEntities` adds to what the store says of its nodes.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Protocol

from kgstore.freebase.knowledge import TYPE, load_knowledge
from kgstore.freebase.labels import type_label
from kgstore.store import EntityCard, Expansion, Link, Page, RelationCount
from kgstore.store_parts.cursor import decode_cursor, encode_cursor
from kgstore.store_parts.truncation import fair_shares, in_turns, page_of, rows_for_page, triple_of
from kgstore.terms import Direction, Entity, Relation, TermKind

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from kgstore.terms import Term

INSTANCES = Relation(TYPE, Direction.REVERSE)
"""The one relation of a type, to what is of it."""
TYPE_OF_TYPES = "type.type"
"""Freebase's type of its types."""


class InstanceLists(Protocol):
    """What a store keeps of types."""

    def read_types(self) -> Mapping[str, int]:
        """How many entities are of each type; empty where an earlier version loaded the graph."""

    def read_instances(self, name: str, limit: int, after: int = 0) -> Sequence[tuple[int, str]]:
        """The first entities of a type as numbers and ids, the best known first, those after a number."""


class TypeEntities:
    """What the types of a graph have as entities."""

    def __init__(self, lists: InstanceLists, version: str) -> None:
        """Take the lists of a graph of a version."""
        self._lists = lists
        self._version = version

    @cached_property
    def counts(self) -> Mapping[Entity, int]:
        """How many entities are of each type."""
        return {Entity(name): count for name, count in self._lists.read_types().items()}

    @cached_property
    def numbers(self) -> Mapping[str, int]:
        """The place of each type among the types of the graph, from 0."""
        return {each.mid: number for number, each in enumerate(self.counts)}

    def among(self, terms: Iterable[Term]) -> list[Entity]:
        """The types among some terms, each once."""
        return [term for term in dict.fromkeys(terms) if isinstance(term, Entity) and term in self.counts]

    def relations(self, entities: Collection[Entity], known: Sequence[RelationCount]) -> Sequence[RelationCount]:
        """The relations of some entities, where ``known`` are those of their nodes."""
        types = self.among(entities)
        if not types:
            return known
        instances = RelationCount(INSTANCES, len(types), sum(map(self.counts.__getitem__, types)), _kind_of(types))
        return sorted((*known, instances), key=lambda count: count.relation)

    def relations_each(
        self, entities: Collection[Entity], known: Mapping[Entity, Sequence[RelationCount]]
    ) -> Mapping[Entity, Sequence[RelationCount]]:
        """The relations of each of some entities."""
        types = self.among(entities)
        return {**known, **{each: self.relations([each], known.get(each, ())) for each in types}} if types else known

    def links(
        self, entities: Collection[Entity], targets: Mapping[Entity, EntityCard], known: Collection[Link]
    ) -> Collection[Link]:
        """The relations along which some entities reach targets, given by their cards."""
        types = {each.mid for each in self.among(entities)}
        found = (target for target, card in targets.items() if not types.isdisjoint(card.types))
        return {*known, *(Link(INSTANCES, target) for target in found)}

    def expand(self, entities: Collection[Entity], limit: int) -> Expansion:
        """The instances of the types among some entities; see `GraphStore.expand`."""
        types = dict(enumerate(sorted(self.among(entities))))
        counts = {place: self.counts[each] for place, each in types.items()}
        reached = in_turns(
            (place, Entity(mid))
            for place, share in fair_shares(counts, limit).items()
            for _, mid in self._lists.read_instances(types[place].mid, share)
        )
        return Expansion([triple_of(types[place], INSTANCES, each) for place, each in reached], sum(counts.values()))

    def page(self, entity: Entity, limit: int, cursor: str | None) -> Page:
        """Some instances of a type; see `GraphStore.page`."""
        wanted = rows_for_page(limit)
        [after] = [0] if cursor is None else decode_cursor(cursor, self._version)
        total = self.counts.get(entity, 0)
        rows = self._lists.read_instances(entity.mid, wanted, after) if total else ()
        return page_of(entity, INSTANCES, rows, limit, total, lambda number: encode_cursor(self._version, number))

    def cards(self, entities: Collection[Entity], known: Mapping[Entity, EntityCard]) -> Mapping[Entity, EntityCard]:
        """The cards of some entities, where ``known`` are those of their nodes."""
        types = self.among(entities)
        return {**known, **{each: self._card(each, known.get(each)) for each in types}} if types else known

    def labels(self, known: Mapping[Term, str]) -> Mapping[Term, str]:
        """Texts for people, where ``known`` are those of nodes: the id of what has no name."""
        types = [each for each in self.among(known) if known[each] == each.mid]
        return {**known, **{each: type_label(each.mid) for each in types}} if types else known

    def _card(self, entity: Entity, known: EntityCard | None) -> EntityCard:
        instances = self.counts[entity]
        if known is None:
            return EntityCard(entity, type_label(entity.mid), (TYPE_OF_TYPES,), popularity=instances)
        return EntityCard(
            entity,
            known.name or type_label(entity.mid),
            known.types or (TYPE_OF_TYPES,),
            known.is_mediator,
            known.popularity + instances,
            known.aliases,
        )


def _kind_of(types: Sequence[Entity]) -> TermKind:
    link = all(each.mid in load_knowledge().mediator_types for each in types)
    return TermKind.MEDIATOR if link else TermKind.ENTITY
