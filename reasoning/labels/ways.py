"""Derivations that lead from a topic to answers that a person has marked."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from time import perf_counter
from typing import TYPE_CHECKING, Any

from kgstore.terms import Date, Entity, Number, TermKind
from reasoning.core.compared import as_compared, compared_term
from reasoning.core.derivation import Constraint, Derivation, Operator, SearchStep
from reasoning.core.structure import AbstractStructure
from reasoning.facts.validity import is_dated
from reasoning.gold.fitting import FACTS_PER_STEP, readings, replay
from reasoning.labels.meeting import FARTHEST, MAX_LENGTH, Meeting, hops
from reasoning.question.kinds import kinds_offered
from reasoning.question.linking import link
from reasoning.question.tense import asks_of_now

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from kgstore.store import EntityCard, GraphStore
    from kgstore.terms import Relation, Term
    from reasoning.labels.meeting import Path
    from reasoning.question.linking import Linking

KEPT = 20
"""Maximum of paths that are returned."""
SECONDS = 0.5
_SEARCHED = 0.75
"""The share of the time after which no longer way is looked for; conditions have the rest."""
_PART = 0.6
"""The share of what is left of that which one part of the search may take."""
_REFINED = 8
"""Number of too wide paths that get a condition; then the number of results that get another."""
MAX_CONDITIONS = 3
"""Maximum of conditions of a path: *chancellor*, *held in 1972*."""
_VALUES: Mapping[TermKind, type[Number | Date]] = {TermKind.NUMBER: Number, TermKind.DATE: Date}


@dataclass(frozen=True, slots=True)
class Way:
    """A derivation, and how what it gives fits what was marked."""

    derivation: Derivation
    structure: AbstractStructure
    """S_k after its steps."""
    answers: int
    """How many it gives."""
    right: int
    """How many of them are marked."""
    missed: int
    """How many of the marked answers it does not give."""
    hops: float
    """To a mediator, and on from it, is half a hop; a condition is one."""

    @property
    def precision(self) -> float:
        """The share of its answers that are marked."""
        return self.right / self.answers if self.answers else 0.0

    @property
    def recall(self) -> float:
        """The share of the marked answers that it gives."""
        return self.right / (self.right + self.missed)

    @property
    def f1(self) -> float:
        """The harmonic mean of the two."""
        return 2 * self.right / (self.answers + self.right + self.missed)


@dataclass(frozen=True, slots=True)
class Ways:
    """What was found."""

    ways: tuple[Way, ...]
    """The shortest first, of one length the best by F1."""
    complete: bool
    """Whether all ways were looked at; if not, time was up or hubs were cut."""
    cut: int
    """The number of times that facts of a hub, nodes or answers were left out."""


def ways_to(
    question: str,
    store: GraphStore,
    topic: Entity,
    marked: Collection[Term],
    *,
    today: Date | None = None,
    seconds: float = SECONDS,
    conditions: int = MAX_CONDITIONS,
) -> Ways:
    """The derivations that lead from a topic to some of the marked answers, `KEPT` of them.

    A way is a path of relations; where it gives all that was marked and more, also with up to ``conditions`` conditions
    on what the question names, of a kind that it asks for, that something holds now where it asks of that, or the
    smallest or largest of something, if with each the answers fit better. ``today`` is the day that *now* means.

    Raises:
        GraphStoreError: the graph cannot be read.

    """
    return _Search(question, store, topic, frozenset(marked), today, seconds, conditions).ways()


class _Search:
    def __init__(
        self,
        question: str,
        store: GraphStore,
        topic: Entity,
        marked: frozenset[Term],
        today: Date | None,
        seconds: float,
        conditions: int,
    ) -> None:
        self._question = question
        self._store = store
        self._topic = topic
        self._marked = as_compared(marked)
        self._today = today
        self._began = perf_counter()
        self._seconds = seconds
        self._conditions_wanted = conditions
        self._walks = _Walks(store, topic)
        self._found: dict[Derivation, Way] = {}
        self._tried: set[frozenset[object]] = set()
        self._in_time = True

    def ways(self) -> Ways:
        until = [0.0]
        meeting = Meeting(self._store, self._topic, self._marked, lambda: self._is_late(until[0]))
        for length in range(1, MAX_LENGTH + 1):
            if not self._marked or self._is_late(_SEARCHED):
                break
            until[0] = self._part_of_rest()
            paths = meeting.paths(length)
            self._walk_all(paths, _SEARCHED if length == MAX_LENGTH else self._part_of_rest())
        # A read that took longer than all of the search's time takes none from the conditions.
        self._began = max(self._began, perf_counter() - _SEARCHED * self._seconds)
        too_many = _too_many(self._found.values(), _shortest) if self._conditions_wanted else ()
        named = self._named() if too_many else ()
        for _ in range(self._conditions_wanted):
            refined = [found for way in too_many for found in self._refined(way, named)]
            self._found.update({way.derivation: way for way in refined})
            too_many = _too_many(refined, _best)
        return Ways(_kept(self._found.values()), complete=self._in_time and not meeting.cut, cut=meeting.cut)

    def _part_of_rest(self) -> float:
        """Until which share of the time a part of the search may go on; what comes after it has its share too."""
        now = (perf_counter() - self._began) / self._seconds
        return now + (_SEARCHED - now) * _PART

    def _walk_all(self, paths: Mapping[Path, set[Term]], until: float) -> None:
        """Walk the paths, those to most marked answers first."""
        for path in sorted(paths, key=lambda path: (-len(paths[path]), [str(relation) for relation in path])):
            if self._is_late(until):
                return
            straight = [found for found in map(self._found.get, self._without_detour(path)) if found is not None]
            if any(not found.missed for found in straight):
                continue
            way = self._walked(path)
            if way is not None and way.right and all(found.f1 < way.f1 for found in straight):
                self._found[way.derivation] = way

    def _without_detour(self, path: Path) -> Iterator[Derivation]:
        """The path without what it goes and comes back along: with it, it gives the same answers or more."""
        for place, (there, back) in enumerate(pairwise(path)):
            straight = path[:place] + path[place + 2 :]
            if straight and back.inverse in readings(there):
                yield self._derivation(straight)

    def _walked(self, path: Path) -> Way | None:
        walked = self._walks.along(path)
        if walked is None:
            return None
        structure = walked.structure
        kinds = [node.kind for node in structure.nodes[1:]]
        if kinds[-1] is TermKind.MEDIATOR or hops(kinds) > FARTHEST:
            return None
        answers = walked.members - {self._topic} or walked.members
        return self._way(self._derivation(walked.path), structure, answers, hops(kinds))

    def _derivation(self, path: Path) -> Derivation:
        steps = tuple(SearchStep(place, relation) for place, relation in enumerate(path))
        return Derivation(self._topic, steps, (), len(steps))

    def _way(
        self, derivation: Derivation, structure: AbstractStructure, answers: Collection[Term], length: float
    ) -> Way:
        right = len(self._marked & as_compared(answers))
        return Way(derivation, structure, len(answers), right, len(self._marked) - right, length)

    def _refined(self, way: Way, named: Sequence[Term]) -> Iterator[Way]:
        """The way with one condition more, where that is the better.

        The smallest or the largest of something is often right by chance, so it is tried last.
        """
        conditions = list(self._conditions(way.derivation, named))
        for extremal in (False, True):
            found = False
            for constraint, step in conditions:
                if constraint.operator.is_extremal is not extremal:
                    continue
                if self._is_late():
                    return
                refined = self._with_condition(way, constraint, step)
                if refined is not None and refined.f1 > way.f1:
                    found = True
                    yield refined
            if found:
                return

    def _with_condition(self, way: Way, constraint: Constraint, step: SearchStep | None) -> Way | None:
        """The way with a condition, and with the step that leads to what it is on; None where it was tried before."""
        before, structure = way.derivation, way.structure
        steps = before.steps if step is None else (*before.steps, step)
        derivation = Derivation(self._topic, steps, (*before.constraints, constraint), before.answer_position)
        # Conditions mean the same in any order.
        said = frozenset(
            (steps[each.position - 1], each.operator, each.target) for each in derivation.constraints
        ) | frozenset(steps[: before.answer_position])
        if said in self._tried:
            return None
        self._tried.add(said)
        if step is not None:
            kind = self._walks.offered(tuple(each.relation for each in steps[: step.position]))[step.relation]
            structure = structure.grow(step.position, step.relation, kind)
        return self._way(derivation, structure, replay(derivation, self._store), way.hops + 1)

    def _conditions(
        self, derivation: Derivation, named: Sequence[Term]
    ) -> Iterator[tuple[Constraint, SearchStep | None]]:
        """Every condition on a neighbour of something on the path, with the step that leads to the neighbour.

        There is no such step where an earlier condition is on that neighbour already.
        """
        path = tuple(step.relation for step in derivation.steps[: derivation.answer_position])
        known = {
            step: place for place, step in enumerate(derivation.steps, start=1) if place > derivation.answer_position
        }
        yield from ((kind, None) for kind in self._kinds(path) if kind not in derivation.constraints)
        entities = [term for term in named if isinstance(term, Entity)]
        new = len(derivation.steps) + 1
        for position in range(1, len(path) + 1):
            walked = self._walks.along(path[:position])
            if walked is None or not walked.entities or self._is_late():
                continue
            offered = self._walks.offered(path[:position])
            onward = path[position : position + 1]
            if walked.structure.nodes[-1].kind is TermKind.MEDIATOR and is_dated(offered):
                for day in self._days(named):
                    yield Constraint(position, Operator.HOLDS, day), None
            links = self._store.links(walked.entities, entities) if entities else ()
            for found in sorted(links, key=lambda found: (found.relation, found.target)):
                step = SearchStep(position, found.relation)
                if found.relation in offered and (found.relation,) != onward and step not in known:
                    yield Constraint(new, Operator.EQUAL, found.target), step
            for relation, kind in offered.items():
                if kind in _VALUES and (relation,) != onward:
                    step = SearchStep(position, relation)
                    for constraint in _comparisons(known.get(step, new), _VALUES[kind], named):
                        yield constraint, None if step in known else step

    def _days(self, named: Sequence[Term]) -> list[Date]:
        """The dates that the question names, and now where it asks of that."""
        days = [term for term in named if isinstance(term, Date)]
        if self._today is not None and asks_of_now(self._question, self._linking):
            days.append(self._today)
        return days

    def _kinds(self, path: Path) -> Iterator[Constraint]:
        """The kinds that the question asks for of what stands on a path."""
        walked = [self._walks.along(path[:length]) for length in range(len(path) + 1)]
        members: list[frozenset[Term]] = [frozenset() if each is None else each.members for each in walked]
        last = walked[-1]
        if last is not None and not self._is_late():
            yield from kinds_offered(self._question, self._linking.names, last.structure, members, self._cards)

    def _cards(self, terms: Iterable[Term]) -> Mapping[Entity, EntityCard]:
        return self._store.cards([term for term in terms if isinstance(term, Entity)])

    @cached_property
    def _linking(self) -> Linking:
        return link(self._question, self._store)

    def _named(self) -> Sequence[Term]:
        """What the question names besides the topic and the answers."""
        card = self._store.cards([self._topic]).get(self._topic)
        if card is None:
            return ()
        linking = self._linking.about(card)
        return [
            term
            for term in dict.fromkeys(mention.term for mention in linking.targets)
            if term != self._topic and compared_term(term) not in self._marked
        ]

    def _is_late(self, share: float = 1.0) -> bool:
        late = perf_counter() - self._began >= share * self._seconds
        self._in_time = self._in_time and not late
        return late


@dataclass(frozen=True, slots=True)
class _Walked:
    """What a path leads to."""

    path: Path
    """In the relations that the graph offers at each node."""
    members: frozenset[Term]
    structure: AbstractStructure

    @property
    def entities(self) -> list[Entity]:
        return [term for term in self.members if isinstance(term, Entity)]


class _Walks:
    """Paths from a topic as a run walks them; what begins alike is walked once."""

    def __init__(self, store: GraphStore, topic: Entity) -> None:
        self._store = store
        self._walked: dict[Path, _Walked | None] = {(): _Walked((), frozenset({topic}), AbstractStructure.rooted(""))}
        self._offered: dict[Path, Mapping[Relation, TermKind]] = {}

    def along(self, path: Path) -> _Walked | None:
        """What a path leads to; None where the graph does not offer it."""
        if path not in self._walked:
            before = self.along(path[:-1])
            self._walked[path] = None if before is None else self._on(before, path[-1])
        return self._walked[path]

    def offered(self, path: Path) -> Mapping[Relation, TermKind]:
        """The relations that lead on from the end of a path that the graph offers, and what each leads to."""
        if path not in self._offered:
            walked = self.along(path)
            counts = self._store.relations(walked.entities) if walked is not None and walked.entities else ()
            self._offered[path] = {count.relation: count.kind for count in counts}
        return self._offered[path]

    def _on(self, before: _Walked, wanted: Relation) -> _Walked | None:
        offered = self.offered(before.path)
        relation = next((reading for reading in readings(wanted) if reading in offered), None)
        if relation is None:
            return None
        path = (*before.path, relation)
        if path != (*before.path, wanted):
            return self.along(path)
        triples = self._store.expand(before.entities, relation, FACTS_PER_STEP).triples
        members = frozenset(t.subject if relation.is_reverse else t.object for t in triples)
        return _Walked(path, members, before.structure.grow(len(before.path), relation, offered[relation]))


def _too_many(found: Iterable[Way], first: Callable[[Way], Any]) -> Sequence[Way]:
    """Ways that give all that was marked and more, the first ones."""
    return sorted((way for way in found if not way.missed and way.answers > way.right), key=first)[:_REFINED]


def _comparisons(position: int, kind: type[Number | Date], named: Sequence[Term]) -> Iterator[Constraint]:
    """What may be demanded of numbers or dates, given what the question names."""
    for operator in Operator:
        if operator is Operator.HOLDS:
            continue
        if operator.is_extremal:
            yield Constraint(position, operator)
        elif operator is not Operator.KIND:
            yield from (Constraint(position, operator, term) for term in named if isinstance(term, kind))


def _kept(found: Iterable[Way]) -> tuple[Way, ...]:
    """The shortest first. The best of every length are taken in turn, so that long ones crowd out no short ones."""
    of_length: defaultdict[float, list[Way]] = defaultdict(list)
    for way in sorted(found, key=_shortest):
        of_length[way.hops].append(way)
    turns = sorted((place, way.hops) for ways in of_length.values() for place, way in enumerate(ways))
    kept = Counter(length for _, length in turns[:KEPT])
    return tuple(way for length, ways in of_length.items() for way in ways[: kept[length]])


def _best(way: Way) -> tuple[float, tuple[float, float, int, str]]:
    return -way.f1, _shortest(way)


def _shortest(way: Way) -> tuple[float, float, int, str]:
    steps = way.derivation.steps
    return way.hops, -way.f1, len(steps), " ".join(f"{step.position} {step.relation}" for step in steps)
