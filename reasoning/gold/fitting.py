"""Gold derivations fitted to the graph at hand.

Benchmarks write their gold queries for the whole of Freebase. A graph may offer a relation's reverse instead of the
relation, may have dropped mediators and joined the two relations over them (``a|b``), or may lack a part of the way.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from kgstore.freebase.knowledge import load_knowledge
from kgstore.terms import Direction, Entity, Relation, TermKind
from reasoning.core.compared import as_compared
from reasoning.core.derivation import Constraint, Derivation, Operator, SearchStep
from reasoning.core.structure import ROOT, AbstractStructure, InstanceGraph
from reasoning.facts.pools import facts_of
from reasoning.facts.pruning import prune
from reasoning.question.counting import terms_shown
from reasoning.question.kinds import of_kind

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from kgstore.store import GraphStore
    from kgstore.terms import Term

FACTS_PER_STEP = 5_000
"""As many facts of a step are read as the engine reads."""
_LITERALS = (TermKind.NUMBER, TermKind.DATE, TermKind.TEXT)
_WIDEST = 300
"""Maximum of terms from which a second step is tried."""


class Fit(StrEnum):
    """How a derivation came to fit a graph."""

    EXACT = "exact"
    """As the benchmark gives it."""
    READ_OTHERWISE = "read otherwise"
    """Some relation is followed by its reverse reading, or joined with the next over a mediator."""
    WEAK = "weak"
    """The benchmark's way does not lead to a gold answer here; this path of at most two steps does, and fits best."""


@dataclass(frozen=True, slots=True)
class Fitted:
    """A derivation that leads to gold answers in a graph."""

    derivation: Derivation
    fit: Fit
    f1: float
    """Of its answers against the gold ones, over this graph."""


def fit(
    derivation: Derivation | None,
    topic: Entity,
    answers: frozenset[Term],
    store: GraphStore,
    *,
    topic_may_answer: bool = False,
) -> Fitted | None:
    """The best fit of a gold derivation; None where no way of at most two steps leads to a gold answer.

    The topic entity is no answer unless ``topic_may_answer`` or nothing else is left.

    Raises:
        GraphStoreError: the graph cannot be read.

    """
    if derivation is not None:
        found = read_with_answers(store, derivation, topic_may_answer=topic_may_answer)
        if found is not None:
            read, given = found
            f1 = answer_f1(given, answers)
            if f1 > 0:
                return Fitted(read, Fit.EXACT if read == derivation else Fit.READ_OTHERWISE, f1)
    return weakly(topic, answers, store, topic_may_answer=topic_may_answer)


def read_on(store: GraphStore, derivation: Derivation) -> Derivation | None:
    """A gold derivation in the relations that a graph offers; None where the graph lacks a part of the way.

    Raises:
        GraphStoreError: the graph cannot be read.

    """
    return _Reading(derivation, store).derivation()


def read_with_answers(
    store: GraphStore, derivation: Derivation, *, topic_may_answer: bool = False
) -> tuple[Derivation, frozenset[Term]] | None:
    """What `read_on` reads, and what `replay` gives for that: the graph is walked once for both.

    Raises:
        GraphStoreError: the graph cannot be read.

    """
    reading = _Reading(derivation, store)
    read = reading.derivation()
    return None if read is None else (read, _answers(read, reading.walk, topic_may_answer=topic_may_answer))


def weakly(
    topic: Entity, answers: frozenset[Term], store: GraphStore, *, topic_may_answer: bool = False
) -> Fitted | None:
    """The path of at most two steps whose answers are most like the gold ones by F1; the shorter one of equals."""
    gold = [term for term in answers if isinstance(term, Entity)]
    best: Fitted | None = None
    for path in _paths(topic, answers, gold, store):
        derivation = Derivation(topic, tuple(SearchStep(i, r) for i, r in enumerate(path)), (), len(path))
        f1 = answer_f1(replay(derivation, store, topic_may_answer=topic_may_answer), answers)
        if f1 > (best.f1 if best else 0.0):
            best = Fitted(derivation, Fit.WEAK, f1)
    return best


def replay(derivation: Derivation, store: GraphStore, *, topic_may_answer: bool = False) -> frozenset[Term]:
    """The answers that a derivation leads to, or how many they are; none where the graph lacks a part of it."""
    walk = _Walk(derivation.topic, store)
    for step in derivation.steps:
        offered = walk.offered(step.position)
        if step.relation not in offered:
            return frozenset()
        walk.take(step, offered[step.relation])
    return _answers(derivation, walk, topic_may_answer=topic_may_answer)


def _answers(derivation: Derivation, walk: _Walk, *, topic_may_answer: bool) -> frozenset[Term]:
    """The answers of a derivation all steps of which were taken; their number where they are counted."""
    found = prune(walk.structure, walk.graph, derivation.constraints, walk.store).members[derivation.answer_position]
    kept = found if topic_may_answer else found - {derivation.topic} or found
    return frozenset(terms_shown(tuple(kept), counted=derivation.counted))


def answer_f1(predicted: Collection[Term], gold: frozenset[Term]) -> float:
    """The harmonic mean of precision and recall, of terms as they are compared."""
    found, known = as_compared(predicted), as_compared(gold)
    right = len(known & found)
    return 2 * right / (len(found) + len(known)) if right else 0.0


def _paths(
    topic: Entity, answers: frozenset[Term], gold: Sequence[Entity], store: GraphStore
) -> Iterator[tuple[Relation, ...]]:
    counts = store.relations([topic])
    literals = as_compared(term for term in answers if not isinstance(term, Entity))
    first = {link.relation for link in store.links([topic], gold)} if gold else set()
    behind: dict[Relation, list[Entity]] = {}
    for count in counts:
        triples = store.expand([topic], count.relation, _WIDEST).triples
        ends = {t.subject if count.relation.is_reverse else t.object for t in triples}
        if count.relation in first or as_compared(ends) & literals:
            yield (count.relation,)
        behind[count.relation] = [end for end in sorted(ends, key=str) if isinstance(end, Entity)]
    for relation, entities in behind.items():
        if not entities:
            continue
        leading = {link.relation for link in store.links(entities, gold)} if gold else set()
        literal = [] if len(gold) == len(answers) else [c for c in store.relations(entities) if c.kind in _LITERALS]
        for second in sorted({*leading, *(count.relation for count in literal)}, key=str):
            if second != relation.inverse:
                yield (relation, second)


class _Walk:
    """S_k and G_k while given search steps are taken in a graph."""

    def __init__(self, topic: Entity, store: GraphStore) -> None:
        self.store = store
        self.structure = AbstractStructure.rooted("")
        self.graph = InstanceGraph.rooted(topic)

    def offered(self, position: int) -> Mapping[Relation, TermKind]:
        """The relations that lead on from a position, and what each leads to."""
        entities = self.graph.entities_at(position)
        return {count.relation: count.kind for count in self.store.relations(entities)} if entities else {}

    def take(self, step: SearchStep, kind: TermKind) -> None:
        """Take a step that is offered."""
        self.structure = self.structure.grow(step.position, step.relation, kind)
        self.graph = self.graph.grow(step.relation, facts_of(step, self.graph, self.store, FACTS_PER_STEP).triples)


class _Reading:
    """A derivation, step by step in the relations that the graph offers."""

    def __init__(self, derivation: Derivation, store: GraphStore) -> None:
        self._gold = derivation
        self.walk = _Walk(derivation.topic, store)
        self._steps: list[SearchStep] = []
        self._places: dict[int, int] = {ROOT: ROOT}
        self._dropped: dict[int, tuple[int, Relation]] = {}

    def derivation(self) -> Derivation | None:
        """The whole of it, or None where the graph lacks a part that the answer hangs on."""
        needed = self._needed()
        for position, step in enumerate(self._gold.steps, start=1):
            if not self._take(position, step) and position in needed:
                return None
        constraints = tuple(
            replace(c, position=self._places[c.position]) for c in self._gold.constraints if c.position in self._places
        )
        answer = self._places.get(self._gold.answer_position)
        if answer is None or any(c.position == answer and not c.operator.leaves_answer for c in constraints):
            return None
        constraints = _possible(constraints, self.walk)
        return Derivation(self._gold.topic, tuple(self._steps), constraints, answer, self._gold.counted)

    def _needed(self) -> set[int]:
        """The positions on the way to the answer: the rest only prunes."""
        needed: set[int] = set()
        at = self._gold.answer_position
        while at != ROOT:
            needed.add(at)
            at = self._gold.steps[at - 1].position
        return needed

    def _take(self, position: int, step: SearchStep) -> bool:
        if step.position in self._dropped:
            start, before = self._dropped[step.position]
            wanted: Sequence[Relation] = joined(before, step.relation)
        elif step.position in self._places:
            start, wanted = self._places[step.position], readings(step.relation)
        else:
            return False
        offered = self.walk.offered(start)
        relation = next((reading for reading in wanted if reading in offered), None)
        if relation is None:
            if step.position in self._places and any(later.position == position for later in self._gold.steps):
                self._dropped[position] = start, step.relation
                return True
            return False
        taken = SearchStep(start, relation)
        self.walk.take(taken, offered[relation])
        self._steps.append(taken)
        self._places[position] = len(self._steps)
        return True


def readings(relation: Relation) -> tuple[Relation, ...]:
    """The relation, and the reverse relation followed the other way, which says the same."""
    reverse = load_knowledge().reverse_of(relation.predicate)
    return (relation,) if reverse is None else (relation, Relation(reverse, relation.inverse.direction))


def joined(first: Relation, second: Relation) -> tuple[Relation, ...]:
    """How two relations over a dropped mediator may be named as one."""
    found: list[Relation] = []
    for a in readings(first):
        for b in readings(second):
            if a.is_reverse == b.is_reverse:
                parts = (b, a) if a.is_reverse else (a, b)
                direction = Direction.REVERSE if a.is_reverse else Direction.FORWARD
                found.append(Relation("|".join(part.predicate for part in parts), direction))
    return tuple(found)


def _possible(constraints: tuple[Constraint, ...], walk: _Walk) -> tuple[Constraint, ...]:
    """The constraints that the graph can meet: an entity must stand where it is demanded, a kind must tell something.

    A kind that all have, or that the graph knows of none, tells nothing.
    """
    return tuple(c for c in constraints if not isinstance(c.target, Entity) or _is_possible(c, c.target, walk))


def _is_possible(constraint: Constraint, target: Entity, walk: _Walk) -> bool:
    members = walk.graph.members[constraint.position]
    if constraint.operator is Operator.KIND:
        return 0 < len(of_kind(members, target, walk.store)) < len(members)
    return target in members
