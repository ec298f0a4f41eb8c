"""The relation paths around a topic entity: the candidates that a reader of whole paths chooses from.

A path has at most three steps. A mediator belongs to its step: no path ends at one, and the relation that leads on from
it counts as the same step. A path may lead back through the topic entity, but does not end in it alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from kgstore.terms import Entity, TermKind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from kgstore.store import GraphStore, RelationCount
    from kgstore.terms import Relation, Term

RelationPath: TypeAlias = "tuple[Relation, ...]"
"""Relations from the topic entity on, one after the other."""
Rank: TypeAlias = "Callable[[Sequence[RelationPath]], Sequence[float]]"
"""How like the question each path is."""

Targets: TypeAlias = "Sequence[frozenset[Entity]]"
"""What a question names besides its topic: for each name, the entities that have it."""

MAX_STEPS = 3
MAX_RELATIONS = 4
"""Maximum of relations of a path, those from mediators included."""
MAX_EXTENDED = 48
"""Maximum of paths of one length that are extended: those most like the question."""
ENTITIES_LOOKED_AT = 50
"""Of what a path leads to, this many entities are asked for their relations."""
ENTITIES_NAMED = 3
"""Of what a path leads to, this many entities are named."""


@dataclass(frozen=True, slots=True)
class PathEnd:
    """Some of what a path leads to."""

    kind: TermKind
    names: tuple[str, ...]
    types: tuple[tuple[str, ...], ...]
    """Of each entity among them, the most telling first."""
    targets: float = 0.0
    """The share of the names of `Targets` that one step from here leads to, through a mediator or not."""


@dataclass(frozen=True, slots=True)
class RelationPaths:
    """What was found around a topic entity."""

    kinds: Mapping[RelationPath, TermKind]
    """What each path leads to; the shortest first."""
    before: Mapping[RelationPath, tuple[Entity, ...]]
    """What each path without its last relation leads to, as far as it was looked at."""
    extended: int
    """The number of paths that were extended."""
    extensible: int
    """The number of paths that could have been extended."""

    @property
    def paths(self) -> tuple[RelationPath, ...]:
        """Each once, the shortest first."""
        return tuple(self.kinds)

    def ends(
        self, store: GraphStore, paths: Sequence[RelationPath], targets: Targets = (), *, typed: bool = True
    ) -> list[PathEnd]:
        """Some of what each of the paths leads to. Without ``typed``, as in a graph that tells no types.

        Raises:
            GraphStoreError: the graph cannot be read.

        """
        reached = [_reached(store, self.before[path], path[-1], ENTITIES_NAMED) for path in paths]
        terms = {term for each in reached for term in each}
        names = store.labels(terms)
        cards = store.cards([term for term in terms if isinstance(term, Entity)]) if typed else {}
        return [
            PathEnd(
                self.kinds[path] if typed else TermKind.ENTITY,
                tuple(names[term] for term in each),
                tuple(cards[term].types for term in each if isinstance(term, Entity) and term in cards),
                self._leads_to(store, path, targets),
            )
            for path, each in zip(paths, reached, strict=True)
        ]

    def _leads_to(self, store: GraphStore, path: RelationPath, targets: Targets) -> float:
        ends = _entities(store, self.before[path], path[-1]) if targets else ()
        if not ends:
            return 0.0
        wanted = frozenset[Entity]().union(*targets)
        found = {link.target for link in store.links(ends, wanted)}
        for option in store.relations(ends) if any(found.isdisjoint(each) for each in targets) else ():
            if option.kind is TermKind.MEDIATOR:
                found |= {link.target for link in store.links(_entities(store, ends, option.relation), wanted)}
        return sum(not found.isdisjoint(each) for each in targets) / len(targets)


class _Prefix(NamedTuple):
    relations: RelationPath
    steps: int
    ends: tuple[Entity, ...]
    at_mediator: bool


class _Next(NamedTuple):
    """A prefix and the relation to follow from it."""

    prefix: _Prefix
    relations: RelationPath
    option: RelationCount

    @property
    def steps(self) -> int:
        return self.prefix.steps + (not self.prefix.at_mediator)

    @property
    def leads_on(self) -> bool:
        """Whether a longer path may begin with it."""
        if len(self.relations) == MAX_RELATIONS:
            return False
        return self.option.kind is TermKind.MEDIATOR or (self.option.kind is TermKind.ENTITY and self.steps < MAX_STEPS)


def relation_paths(store: GraphStore, topic: Entity, rank: Rank, *, topic_may_recur: bool = True) -> RelationPaths:
    """The relation paths that the graph holds around a topic entity, breadth first.

    Raises:
        GraphStoreError: the graph cannot be read.

    """
    kinds: dict[RelationPath, TermKind] = {}
    before: dict[RelationPath, tuple[Entity, ...]] = {}
    extended = extensible = 0
    level = [_Prefix((), 0, (topic,), at_mediator=False)]
    while level:
        nexts = [one for prefix in level for one in _nexts(store, prefix, topic)]
        for one in nexts:
            if one.option.kind is not TermKind.MEDIATOR:
                kinds[one.relations] = one.option.kind
                before[one.relations] = one.prefix.ends
        further = [one for one in nexts if one.leads_on]
        extensible += len(further)
        if len(further) > MAX_EXTENDED:
            ranks = rank([one.relations for one in further])
            best = sorted(range(len(further)), key=lambda place: -ranks[place])[:MAX_EXTENDED]
            further = [further[place] for place in best]
        extended += len(further)
        level = [_extended(store, one, topic, topic_may_recur=topic_may_recur) for one in further]
    return RelationPaths(kinds, before, extended, extensible)


def _nexts(store: GraphStore, prefix: _Prefix, topic: Entity) -> Iterator[_Next]:
    if not prefix.ends:
        return
    back = {link.relation for link in store.links(prefix.ends, [topic])} if prefix.relations else set()
    for option in store.relations(prefix.ends):
        relation = option.relation
        if relation in back and _reached(store, prefix.ends, relation, ENTITIES_LOOKED_AT) == [topic]:
            continue
        yield _Next(prefix, (*prefix.relations, relation), option)


def _extended(store: GraphStore, one: _Next, topic: Entity, *, topic_may_recur: bool) -> _Prefix:
    relation = one.option.relation
    entities = [end for end in _entities(store, one.prefix.ends, relation) if topic_may_recur or end != topic]
    return _Prefix(one.relations, one.steps, tuple(entities), one.option.kind is TermKind.MEDIATOR)


def _entities(store: GraphStore, entities: Sequence[Entity], relation: Relation) -> list[Entity]:
    """Some of the entities that others lead to along a relation, each once."""
    ends = _reached(store, entities, relation, ENTITIES_LOOKED_AT)
    return [end for end in ends if isinstance(end, Entity)]


def _reached(store: GraphStore, entities: Sequence[Entity], relation: Relation, limit: int) -> list[Term]:
    """Some of what the entities lead to along a relation, each once."""
    triples = store.expand(entities, relation, limit).triples
    return list(dict.fromkeys(triple.subject if relation.is_reverse else triple.object for triple in triples))
