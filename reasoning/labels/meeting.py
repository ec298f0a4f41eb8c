"""Paths of relations from a topic to marked answers, searched from both ends until they meet.

From the topic forwards and from the answers backwards, what a hub leads to is read up to a limit; what was cut is
counted. A fact between the two ends is never missed for a hub at either of them: such facts are probed for.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

from kgstore.terms import Entity, Relation, TermKind
from reasoning.core.compared import as_compared, compared_term
from reasoning.gold.fitting import readings

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from kgstore.store import GraphStore
    from kgstore.terms import Term

Path: TypeAlias = tuple[Relation, ...]
"""Relations, each followed from what the one before it leads to."""

MAX_LENGTH = 4
"""Maximum length of a path, in facts."""
FARTHEST = 3.0
"""Maximum length of a path, in hops. A step to a mediator, and one from it, counts as half a hop."""
_WIDEST = 1_000
"""Maximum of facts of a relation that are read from one set of nodes."""
_NODES = 3_000
"""Maximum of nodes that are expanded."""
_SOUGHT = 20
"""Maximum of marked answers from which the search starts."""
_MET = 50_000
"""Maximum of meetings between paths of one length."""
_PROBED = 500
"""Maximum of nodes near the answers that are looked up among the neighbours of a topic that is a hub."""
_LITERALS = frozenset({TermKind.NUMBER, TermKind.DATE, TermKind.TEXT})


def hops(kinds: Sequence[TermKind]) -> float:
    """How long a path is, by what each of its relations leads to."""
    halves = [kind is TermKind.MEDIATOR for kind in kinds]
    return sum(0.5 if before or at else 1.0 for before, at in zip([False, *halves], halves, strict=False))


@dataclass(slots=True)
class Meeting:
    """A search from both ends. Its parts are read when they are first needed."""

    store: GraphStore
    topic: Entity
    marked: Collection[Term]
    late: Callable[[], bool]
    """Whether to read no further."""
    cut: int = 0
    """The number of times that facts of a hub, nodes or answers were left out."""
    _kinds: dict[Relation, TermKind] = field(default_factory=dict)
    _forwards: list[dict[Term, set[Path]]] = field(default_factory=list)
    """By number of facts from the topic: the terms, each with the paths to it."""
    _backwards: list[dict[Entity, dict[Path, set[Term]]]] = field(default_factory=list)
    """By number of facts to the answers: the entities, each with the paths from it and the answers that they reach."""
    _topic_is_hub: bool = False
    _hubs: list[Entity] = field(default_factory=list)
    """Answers to which not all facts were read backwards."""

    def __post_init__(self) -> None:
        entities = sorted(term for term in self.marked if isinstance(term, Entity) and term != self.topic)
        self.cut += len(entities) > _SOUGHT
        self._forwards.append({self.topic: {()}})
        self._backwards.append({answer: {(): {answer}} for answer in entities[:_SOUGHT]})

    def paths(self, length: int) -> Mapping[Path, set[Term]]:
        """The paths of this length, with the marked answers that each was seen to reach, some of them perhaps not.

        Raises:
            GraphStoreError: the graph cannot be read.

        """
        found: defaultdict[Path, set[Term]] = defaultdict(set)
        for path, answer in self._entity_paths(length):
            found[path].add(answer)
        for path, answer in self._literal_paths(length):
            found[path].add(answer)
        return {path: reached for path, reached in found.items() if self._is_near(path)}

    def _entity_paths(self, length: int) -> Iterator[tuple[Path, Term]]:
        answers = self._backwards[0].keys()
        if not answers:
            return
        if length == 1:
            yield from (((link.relation,), link.target) for link in self.store.links([self.topic], answers))
            return
        ahead, behind = self._split(length)
        starts, ends = self._from_topic(ahead), self._to_answers(behind)
        met = 0
        for node in starts.keys() & ends.keys():
            met += len(starts[node]) * len(ends[node])  # type: ignore[index]
            if met > _MET:
                self.cut += 1
                break
            for begun in starts[node]:
                for ended, reached in ends[node].items():  # type: ignore[index]
                    yield from ((begun + ended, answer) for answer in reached)
        if behind == 1:
            yield from self._into_hubs(starts)
        if ahead == 1:
            yield from self._out_of_hub(starts, ends)

    def _literal_paths(self, length: int) -> Iterator[tuple[Path, Term]]:
        """Nothing leads back from a literal, so what leads to one is read forwards."""
        literals = as_compared(term for term in self.marked if not isinstance(term, Entity))
        if not literals or length == MAX_LENGTH:
            return
        starts = self._from_topic(length - 1)
        for source, relation, target in self._facts(starts, _LITERALS):
            if compared_term(target) in literals:
                yield from (((*path, relation), target) for path in starts[source])

    def _split(self, length: int) -> tuple[int, int]:
        """How many facts to go forwards and how many backwards: where one end must go on, the narrower one does."""
        if length == MAX_LENGTH:
            return 2, 2
        if length == 2:  # noqa: PLR2004 - one from each end
            return 1, 1
        ahead = sum(count.triples for count in self.store.relations(_entities(self._from_topic(1))))
        behind = sum(count.triples for count in self.store.relations(_entities(self._to_answers(1))))
        return (1, 2) if behind < ahead and not self._hubs else (2, 1)

    def _from_topic(self, steps: int) -> Mapping[Term, set[Path]]:
        while len(self._forwards) <= steps:
            starts = self._forwards[-1]
            found: defaultdict[Term, set[Path]] = defaultdict(set)
            before = self.cut
            for source, relation, target in self._facts(starts):
                found[target].update((*path, relation) for path in starts[source])
            self._topic_is_hub |= len(self._forwards) == 1 and self.cut > before
            self._forwards.append(dict(found))
        return self._forwards[steps]

    def _to_answers(self, steps: int) -> Mapping[Entity, Mapping[Path, set[Term]]]:
        while len(self._backwards) <= steps:
            ends = self._backwards[-1]
            found: defaultdict[Entity, defaultdict[Path, set[Term]]] = defaultdict(_sets)
            before = self.cut
            for source, relation, target in self._facts(ends, backwards=True):
                if isinstance(target, Entity):
                    for path, answers in ends[source].items():
                        found[target][(relation.inverse, *path)] |= answers
            if len(self._backwards) == 1 and self.cut > before:
                self._hubs = [
                    answer for answer in ends if any(c.triples > _WIDEST for c in self.store.relations([answer]))
                ]
            self._backwards.append({node: dict(paths) for node, paths in found.items()})
        return self._backwards[steps]

    def _facts(
        self, nodes: Iterable[Term], kinds: Collection[TermKind] = frozenset(TermKind), *, backwards: bool = False
    ) -> Iterator[tuple[Entity, Relation, Term]]:
        """The facts of nodes, relation by relation, those of few facts first; what they lead to must be of a kind.

        ``backwards``, those are read too that a relation's reverse tells of the same nodes: a graph may tell some facts
        in one way, some in the other, and offers the nodes only one of the two.
        """
        for relation, entities in self._having(nodes, kinds):
            if self.late():
                self.cut += 1
                return
            for reading in readings(relation) if backwards else (relation,):
                self._kinds.setdefault(reading, self._kinds[relation])
                yield from self._along(entities, reading)

    def _having(self, nodes: Iterable[Term], kinds: Collection[TermKind]) -> Iterator[tuple[Relation, list[Entity]]]:
        """The relations of nodes, each with those that have it and are no hubs along it."""
        entities = _entities(nodes)
        self.cut += len(entities) > _NODES
        having: defaultdict[Relation, list[tuple[int, Entity]]] = defaultdict(list)
        for entity in entities[:_NODES]:
            if self.late():
                self.cut += 1
                break
            for count in self.store.relations([entity]):
                self._kinds[count.relation] = count.kind
                if count.kind in kinds:
                    having[count.relation].append((count.triples, entity))
        for relation, counts in sorted(having.items(), key=_narrow_first):
            few, total = [], 0
            for triples, entity in sorted(counts):
                total += triples
                if total > _WIDEST:
                    self.cut += 1
                    break
                few.append(entity)
            if few:
                yield relation, few

    def _along(self, entities: Sequence[Entity], relation: Relation) -> Iterator[tuple[Entity, Relation, Term]]:
        found = self.store.expand(entities, relation, _WIDEST)
        self.cut += found.total > len(found.triples)
        for triple in found.triples:
            if not relation.is_reverse:
                yield triple.subject, relation, triple.object
            elif isinstance(triple.object, Entity):
                yield triple.object, relation, triple.subject

    def _into_hubs(self, starts: Mapping[Term, set[Path]]) -> Iterator[tuple[Path, Term]]:
        """The last facts to answers of which not all facts were read backwards."""
        if not self._hubs or self.late():
            return
        entities, hubs = _entities(starts)[:_NODES], set(self._hubs)
        for relation in sorted({link.relation for link in self.store.links(entities, hubs)}):
            for source, _, target in self._along(entities, relation):
                if target in hubs:
                    yield from (((*path, relation), target) for path in starts[source])

    def _out_of_hub(
        self, starts: Mapping[Term, set[Path]], ends: Mapping[Entity, Mapping[Path, set[Term]]]
    ) -> Iterator[tuple[Path, Term]]:
        """The first facts of a topic of which not all facts were read."""
        if not self._topic_is_hub or self.late():
            return
        beyond = sorted(ends.keys() - starts.keys())
        self.cut += len(beyond) > _PROBED
        for link in self.store.links([self.topic], beyond[:_PROBED]):
            for path, answers in ends[link.target].items():
                yield from (((link.relation, *path), answer) for answer in answers)

    def _is_near(self, path: Path) -> bool:
        kinds = [
            self._kinds.get(relation) or self._kinds.get(onward.inverse, TermKind.ENTITY)
            for relation, onward in pairwise(path)
        ]
        return hops([*kinds, TermKind.ENTITY]) <= FARTHEST


def _sets() -> defaultdict[Path, set[Term]]:
    return defaultdict(set)


def _entities(nodes: Iterable[Term]) -> list[Entity]:
    return [node for node in nodes if isinstance(node, Entity)]


def _narrow_first(having: tuple[Relation, Sequence[tuple[int, Entity]]]) -> tuple[int, Relation]:
    relation, counts = having
    return sum(triples for triples, _ in counts), relation
