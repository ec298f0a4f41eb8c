"""The shortest paths between two entities, by breadth-first search from both ends.

Bidirectional search after Pohl, *Bi-directional Search*, Machine Intelligence 6, 1971. The last step of a path is not
searched but probed: `ExplorableStore.joining` finds the facts between what was reached from either end without reading
a hub. So hubs are read last, and most often never.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import TYPE_CHECKING

from kgstore.terms import Direction, Entity, Relation

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from kgstore.exploring.explorable import ExplorableStore
    from kgstore.terms import Triple

_ENTITIES_AT_ONCE = 500
MAX_FACTS = 20_000
"""Default maximum of facts that are read: about a second's work."""


@dataclass(frozen=True, slots=True)
class Step:
    """A fact of a path, and which way it is followed."""

    triple: Triple
    is_reverse: bool
    """Whether it is followed from its object to its subject."""

    @property
    def relation(self) -> Relation:
        """As it is read along the path."""
        return Relation(self.triple.predicate, Direction.REVERSE if self.is_reverse else Direction.FORWARD)


class Ending(Enum):
    """How a search for paths came to its end."""

    FOUND = auto()
    """The shortest paths were found; there may be more than those that are given."""
    ONE_ENTITY = auto()
    """Both ends are the same entity."""
    TOO_FAR = auto()
    """There is none as short as was asked for."""
    UNLINKED = auto()
    """There is none at all: everything that one of the ends is linked with was looked at."""
    STOPPED = auto()
    """The maximum of facts was read, and no path was found."""


@dataclass(frozen=True, slots=True)
class Paths:
    """What a search for paths came to."""

    paths: Sequence[Sequence[Step]]
    ending: Ending
    is_complete: bool
    """Whether nothing was left out for its cost: where something was, there may be other or shorter paths."""
    looked_at: int
    """The number of facts that were read."""


def shortest_paths(
    store: ExplorableStore, source: Entity, target: Entity, *, longest: int, limit: int, most: int = MAX_FACTS
) -> Paths:
    """The shortest paths from one entity to another, over facts in either direction and over entities alone.

    Each path is another sequence of entities; where several facts join two of them, it has the one that is read
    forwards, then the first by its name. Paths over less known entities come first, at every step. Both stores give the
    same paths.

    Args:
        store: the graph.
        source: where the paths begin.
        target: where they end.
        longest: maximum length of a path, in facts.
        limit: maximum of paths that are returned.
        most: maximum of facts that are read.

    """
    if source == target:
        return Paths([], Ending.ONE_ENTITY, is_complete=True, looked_at=0)
    return _Search(store, source, target, most).run(longest, limit)


@dataclass(slots=True)
class _Side:
    """What was reached from one of the ends."""

    end: Entity
    frontier: set[Entity] = field(default_factory=set)
    """What was reached last, all of it by as many steps."""
    seen: set[Entity] = field(default_factory=set)
    nearer: defaultdict[Entity, list[tuple[Entity, Triple]]] = field(default_factory=lambda: defaultdict(list))
    """For each entity the facts that lead from it one step nearer to the end, and where to."""
    popularity: dict[Entity, int] = field(default_factory=dict)
    """Of the frontier."""

    def __post_init__(self) -> None:
        self.frontier = {self.end}
        self.seen = {self.end}

    @property
    def cost(self) -> int:
        """How many facts going on from here would look at."""
        return sum(self.popularity.values())


class _Search:
    def __init__(self, store: ExplorableStore, source: Entity, target: Entity, most: int) -> None:
        self._store = store
        self._source, self._target = _Side(source), _Side(target)
        self._most = most
        self._looked_at = 0
        self._is_complete = True

    def run(self, longest: int, limit: int) -> Paths:
        sides = (self._source, self._target)
        for side in sides:
            self._weigh(side)
        for length in range(1, longest + 1):
            joints = self._joints()
            if joints:
                return self._ended(Ending.FOUND, self._paths(joints, limit))
            if length == longest:
                break
            side = min(sides, key=lambda each: each.cost)
            self._grow(side)
            other = sides[side is self._source]
            if met := side.frontier & other.seen:
                # Only where something was left out before.
                return self._ended(Ending.FOUND, self._paths([(entity, None) for entity in met], limit))
            if not side.frontier:
                return self._ended(Ending.UNLINKED if self._is_complete else Ending.STOPPED)
            self._weigh(side)
        return self._ended(Ending.TOO_FAR if self._is_complete else Ending.STOPPED)

    def _ended(self, ending: Ending, paths: Sequence[Sequence[Step]] = ()) -> Paths:
        return Paths(paths, ending, self._is_complete, self._looked_at)

    def _weigh(self, side: _Side) -> None:
        cards = self._store.cards(side.frontier)
        side.popularity = {entity: cards[entity].popularity for entity in side.frontier if entity in cards}

    def _joints(self) -> list[tuple[Entity, Triple | None]]:
        """The facts that join both frontiers, each with its end at the source's side."""
        own = self._source.frontier
        joined = self._store.joining(own, self._target.frontier, self._most - self._looked_at)
        self._looked_at += joined.looked_at
        self._is_complete &= joined.is_complete
        ends = ((triple.subject if triple.subject in own else triple.object, triple) for triple in joined.triples)
        return [(_entity(end), triple) for end, triple in ends]

    def _grow(self, side: _Side) -> None:
        """Go one step further; from the best known entities last, and not at all where that would cost too much."""
        reached: set[Entity] = set()
        for some in self._affordable(side):
            triples = self._store.neighbourhood(some)
            self._looked_at += len(triples)
            own = frozenset(some)
            for triple in triples:
                ends = (triple.subject, triple.object)
                for near, far in (ends, ends[::-1]):
                    if near in own and isinstance(far, Entity) and far not in side.seen:
                        reached.add(far)
                        side.nearer[far].append((_entity(near), triple))
        side.frontier = reached
        side.seen |= reached

    def _affordable(self, side: _Side) -> Iterator[list[Entity]]:
        """The entities of the frontier from which the search may go on, some at a time."""
        some: list[Entity] = []
        cost = 0
        for entity in sorted(side.popularity, key=lambda each: (side.popularity[each], each)):
            cost += side.popularity[entity]
            if self._looked_at + cost > self._most:
                self._is_complete = False
                break
            some.append(entity)
            if len(some) == _ENTITIES_AT_ONCE:
                yield some
                some, cost = [], 0
        if some:
            yield some

    def _paths(self, joints: Collection[tuple[Entity, Triple | None]], limit: int) -> list[list[Step]]:
        """The first paths over some joints; where one has no fact, both searches met in its entity."""
        onwards = self._onwards(joints)
        cards = self._store.cards({*onwards, self._target.end})

        def order(entity: Entity) -> tuple[int, Entity]:
            return cards[entity].popularity, entity

        found: list[list[Step]] = []
        waiting: list[tuple[list[Entity], list[Step]]] = [([self._source.end], [])]
        while waiting and len(found) < limit:
            passed, steps = waiting.pop()
            if passed[-1] == self._target.end:
                found.append(steps)
                continue
            further = onwards[passed[-1]]
            least_last = sorted(further.keys() - set(passed), key=order, reverse=True)
            waiting += [([*passed, each], [*steps, further[each]]) for each in least_last]
        return found

    def _onwards(self, joints: Collection[tuple[Entity, Triple | None]]) -> Mapping[Entity, dict[Entity, Step]]:
        """For each entity of a path those that may follow it, and by which fact."""
        onwards: defaultdict[Entity, dict[Entity, Step]] = defaultdict(dict)

        def lead(near: Entity, far: Entity, triple: Triple) -> None:
            step = Step(triple, is_reverse=triple.subject != near)
            onwards[near][far] = min(onwards[near].get(far, step), step, key=_preference)

        before, after = set(), set()
        for entity, triple in joints:
            before.add(entity)
            if triple is None:
                after.add(entity)
                continue
            far = _entity(triple.object if triple.subject == entity else triple.subject)
            lead(entity, far, triple)
            after.add(far)
        for entity, nearer, triple in _back(self._source, before):
            lead(nearer, entity, triple)
        for entity, nearer, triple in _back(self._target, after):
            lead(entity, nearer, triple)
        return onwards


def _back(side: _Side, begun: set[Entity]) -> Iterator[tuple[Entity, Entity, Triple]]:
    """All facts on the ways from some entities back to an end: where each comes from and leads to, and the fact."""
    waiting, known = list(begun), set(begun)
    while waiting:
        entity = waiting.pop()
        for nearer, triple in side.nearer.get(entity, ()):
            yield entity, nearer, triple
            if nearer not in known:
                known.add(nearer)
                waiting.append(nearer)


def _preference(step: Step) -> tuple[bool, str]:
    return step.is_reverse, step.triple.predicate


def _entity(term: object) -> Entity:
    if not isinstance(term, Entity):
        raise TypeError(f"{term} is no entity")
    return term
