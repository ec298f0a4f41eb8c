"""The answers of a run, each with the facts that prove it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kgstore.terms import Date, Entity, Number, Term
from reasoning.core.derivation import Operator
from reasoning.core.structure import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from kgstore.store import EntityCard
    from reasoning.core.derivation import Constraint
    from reasoning.core.structure import AbstractStructure, Fact, InstanceGraph
    from reasoning.facts.pruning import Pruning


@dataclass(frozen=True, slots=True)
class Answer:
    """A term at the answer position."""

    term: Term
    path: tuple[Fact, ...]
    """One chain of facts from the topic entity to it."""
    conditions: tuple[Fact, ...]
    """For each constraint, the facts that lead from that chain to a term that meets it."""
    held: tuple[tuple[int, Term], ...] = ()
    """The number of each constraint that something held then, counted from 1, and what held."""


class Prover:
    """Finds the facts that prove an answer among those that pruning left.

    Every term that is left stands in some solution, and branches are independent of each other given the term where
    they part, so any chain upwards and any chain down a constrained branch belong to one solution.
    """

    def __init__(self, structure: AbstractStructure, graph: InstanceGraph, pruning: Pruning) -> None:
        self._structure = structure
        self._above: dict[tuple[int, Term], Fact] = {}
        self._below: dict[tuple[int, Term], Fact] = {}
        for fact in graph.facts:
            if fact.id not in pruning.removed:
                self._above.setdefault((fact.position, fact.target), fact)
                self._below.setdefault((fact.position, fact.source), fact)

    def prove(self, term: Term, position: int, constraints: Sequence[Constraint]) -> Answer:
        """The facts from the topic entity to a term left at ``position``, and those that meet each constraint."""
        path: list[Fact] = []
        at: Term = term
        for node in reversed(self._structure.path(position)[1:]):
            fact = self._above[node.position, at]
            path.append(fact)
            at = fact.source
        path.reverse()
        standing = {ROOT: at} | {fact.position: fact.target for fact in path}
        conditions: dict[int, Fact] = {}
        for constraint in constraints:
            for fact in self._witness(constraint.position, standing):
                conditions.setdefault(fact.id, fact)
        held = tuple(
            (number, standing[constraint.position])
            for number, constraint in enumerate(constraints, start=1)
            if constraint.operator is Operator.HOLDS
        )
        return Answer(term, tuple(path), tuple(conditions.values()), held)

    def _witness(self, position: int, standing: dict[int, Term]) -> Sequence[Fact]:
        """The facts from the proven chain down to a constrained position; what is passed joins the chain."""
        facts: list[Fact] = []
        for node in self._structure.path(position):
            if node.position in standing or node.parent is None:
                continue
            fact = self._below[node.position, standing[node.parent]]
            standing[node.position] = fact.target
            facts.append(fact)
        return facts


def in_order(
    terms: Iterable[Term],
    structure: AbstractStructure,
    graph: InstanceGraph,
    pruning: Pruning,
    position: int,
    cards: Mapping[Entity, EntityCard],
) -> list[Term]:
    """Terms that pruning left at a position, the best answers first.

    Some chains of facts lead back to the topic entity and on from there (films by the director *of this film*, one of
    them being this film itself). What only they lead to is least likely meant, so it comes last. Before that, what has
    a name comes before what has none, and the best known first; then `answer_order`. ``cards`` are those of the terms.
    """
    topic = graph.members[ROOT]
    reached = topic
    for node in structure.path(position)[1:]:
        facts = graph.facts_at(node.position)
        reached = frozenset(f.target for f in facts if f.source in reached and f.id not in pruning.removed) - topic
    return sorted(terms, key=lambda term: (term not in reached, _fame(term, cards), answer_order(term)))


def _fame(term: Term, cards: Mapping[Entity, EntityCard]) -> tuple[bool, int]:
    """What has a name before what has none, and what stands in most facts first; literals are all alike."""
    card = cards.get(term) if isinstance(term, Entity) else None
    return isinstance(term, Entity) and (card is None or card.name is None), 0 if card is None else -card.popularity


def answer_order(term: Term) -> tuple[int, tuple[float, ...], tuple[str, ...]]:
    """Numbers first, then dates, each in their own order, then everything else by its text; no two terms are equal."""
    if isinstance(term, Number):
        return 0, term.rank, ()
    if isinstance(term, Date):
        first, last = term.interval
        return 1, (*first, *last), ()
    return 2, (), (term.mid,) if isinstance(term, Entity) else (term.value, term.language)
