"""Pruning: what constraints leave of G_k, by a semi-join pass up and down the tree S_k.

S_k is an acyclic query, so two passes give exactly the terms that stand in some solution (Yannakakis 1981): up, a term
stays if every branch that bears a constraint has a term left for it; down, a term stays under one that stayed.
Branches without constraints are optional.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from kgstore.terms import Date, Number, Term, Text, ordered_as
from reasoning.core.derivation import Constraint, Operator
from reasoning.core.structure import ROOT, AbstractStructure, Fact, InstanceGraph
from reasoning.facts.validity import that_held
from reasoning.question.kinds import of_kind

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from kgstore.store import GraphStore

Reason = Literal["fails", "unsupported", "cut_off"]


@dataclass(frozen=True, slots=True)
class Removal:
    """Why a fact left: it fails a constraint, lacks a branch that meets one, or hangs on a term that left."""

    reason: Reason
    constraint: int | None
    """The number of the constraint behind it, counted from 1, where one alone is."""


@dataclass(frozen=True, slots=True)
class Pruning:
    """What is left of G_k."""

    members: tuple[frozenset[Term], ...]
    """For every position, the terms that stay."""
    removed: Mapping[int, Removal]
    """By fact id."""

    @property
    def leaves_nothing(self) -> bool:
        """No solution meets all constraints."""
        return not self.members[ROOT]


def meets(term: Term, operator: Operator, target: Term) -> bool:
    """Whether a term by itself compares so with a target; terms of different kinds never do.

    A text compares with a number as the number that it is written like, see `kgstore.terms.ordered_as`. Languages of
    texts compare without case.
    A date is an interval of days. ``=`` holds if either contains the other (2011 and 2011-02-06); ``<`` and ``>`` if it
    lies wholly before or after; ``<=`` if it begins before the target ends, ``>=`` if it ends after the target begins.
    """
    value = ordered_as(term)
    if isinstance(value, Number) and isinstance(target, Number):
        return _NUMBER_TESTS[operator](value, target)
    if isinstance(term, Date) and isinstance(target, Date):
        return _DATE_TESTS[operator](term, target)
    if isinstance(term, Text) and isinstance(target, Text):
        return operator is Operator.EQUAL and _without_case(term) == _without_case(target)
    return operator is Operator.EQUAL and term == target


def _without_case(text: Text) -> Text:
    return replace(text, language=text.language.lower())


def prune(
    structure: AbstractStructure, graph: InstanceGraph, constraints: Sequence[Constraint], store: GraphStore
) -> Pruning:
    """Keep the root's subtrees that meet every constraint.

    Comparisons and kinds come first; then minima and maxima rank what is left, in the order given, and keep every tie.
    The second largest is the largest of what is smaller than the largest. The store is asked for what G_k does not tell
    of a term: its types, and when it held.

    Raises:
        GraphStoreError: the graph cannot be read.

    """
    alive = list(graph.members)
    failing: dict[int, int] = {}
    for number, constraint in enumerate(constraints, start=1):
        target = constraint.target
        if target is not None and not constraint.operator.is_extremal:
            kept = _meeting(alive[constraint.position], constraint.operator, target, store)
            lost = alive[constraint.position] - kept
            _note_failures(failing, graph, constraint.position, lost, number)
            alive[constraint.position] = kept
    required = _required(structure, constraints)
    _semi_join(structure, graph, alive, required)
    for number, constraint in enumerate(constraints, start=1):
        if constraint.operator.is_extremal and alive[constraint.position]:
            kept = _extremes(alive[constraint.position], constraint)
            lost = alive[constraint.position] - kept
            _note_failures(failing, graph, constraint.position, lost, number)
            alive[constraint.position] = kept
            _semi_join(structure, graph, alive, required)
    removed = {
        fact.id: _removal(fact, structure, alive, failing, constraints)
        for node in structure.nodes
        if node.parent is not None
        for fact in graph.facts_at(node.position)
        if not (fact.target in alive[node.position] and fact.source in alive[node.parent])
    }
    return Pruning(tuple(alive), removed)


def _meeting(terms: frozenset[Term], operator: Operator, target: Term, store: GraphStore) -> frozenset[Term]:
    if operator is Operator.HOLDS:
        return that_held(store, terms, target)
    if operator is Operator.KIND:
        return of_kind(terms, target, store)
    return frozenset(term for term in terms if meets(term, operator, target))


def _semi_join(
    structure: AbstractStructure, graph: InstanceGraph, alive: list[frozenset[Term]], required: frozenset[int]
) -> None:
    for node in reversed(structure.nodes):
        if node.parent is not None and node.position in required:
            supported = {f.source for f in graph.facts_at(node.position) if f.target in alive[node.position]}
            alive[node.parent] &= supported
    for node in structure.nodes:
        if node.parent is not None:
            reached = {f.target for f in graph.facts_at(node.position) if f.source in alive[node.parent]}
            alive[node.position] &= reached


def _required(structure: AbstractStructure, constraints: Sequence[Constraint]) -> frozenset[int]:
    """The positions that bear a constraint or lead to one."""
    return frozenset(node.position for c in constraints for node in structure.path(c.position))


def _extremes(terms: frozenset[Term], constraint: Constraint) -> frozenset[Term]:
    """The terms at a place in their order, with every tie; those that have no order are left out."""
    values = {term: value for term in terms if (value := ordered_as(term)) is not None}
    ranks = sorted({_rank(value) for value in values.values()}, reverse=constraint.operator is Operator.MAX)
    kept = ranks[constraint.place - 1 : constraint.place]
    return frozenset(term for term, value in values.items() if _rank(value) in kept)


def _rank(value: Number | Date) -> tuple[float, ...]:
    """A number as it is, a date by its first day: among dates, a number is the beginning of a year."""
    return value.rank if isinstance(value, Number) else value.interval[0]


def _note_failures(
    failing: dict[int, int], graph: InstanceGraph, position: int, lost: frozenset[Term], number: int
) -> None:
    for fact in graph.facts_at(position):
        if fact.target in lost:
            failing.setdefault(fact.id, number)


def _removal(
    fact: Fact,
    structure: AbstractStructure,
    alive: Sequence[frozenset[Term]],
    failing: Mapping[int, int],
    constraints: Sequence[Constraint],
) -> Removal:
    if fact.id in failing:
        return Removal("fails", failing[fact.id])
    below = [n for n, c in enumerate(constraints, 1) if _is_below(structure, c.position, fact.position)]
    unsupported = bool(below) and fact.target not in alive[fact.position]
    behind = below if unsupported else range(1, len(constraints) + 1)
    return Removal("unsupported" if unsupported else "cut_off", behind[0] if len(behind) == 1 else None)


def _is_below(structure: AbstractStructure, position: int, ancestor: int) -> bool:
    return position != ancestor and any(node.position == ancestor for node in structure.path(position))


_NUMBER_TESTS: Mapping[Operator, Callable[[Number, Number], bool]] = {
    Operator.EQUAL: lambda a, b: a == b,
    Operator.LESS: lambda a, b: a < b,
    Operator.AT_MOST: lambda a, b: a <= b,
    Operator.GREATER: lambda a, b: a > b,
    Operator.AT_LEAST: lambda a, b: a >= b,
}
_DATE_TESTS: Mapping[Operator, Callable[[Date, Date], bool]] = {
    Operator.EQUAL: lambda a, b: a.contains(b) or b.contains(a),
    Operator.LESS: lambda a, b: a.interval[1] < b.interval[0],
    Operator.AT_MOST: lambda a, b: a.interval[0] <= b.interval[1],
    Operator.GREATER: lambda a, b: a.interval[0] > b.interval[1],
    Operator.AT_LEAST: lambda a, b: a.interval[1] >= b.interval[0],
}
