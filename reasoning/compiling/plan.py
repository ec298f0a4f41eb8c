"""The parts of a query that asks for a derivation's answers; the same in every language."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from kgstore.terms import Entity
from reasoning.core.derivation import Operator
from reasoning.core.structure import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kgstore.terms import Relation
    from reasoning.core.derivation import Constraint, Derivation


class NoQueryError(ValueError):
    """A derivation without an answer position below the topic entity, which no query asks for."""


@dataclass(frozen=True)
class Plan:
    """A derivation as the tree that its queries follow.

    What `reasoning.facts.pruning` keeps at a position are the terms that stand there in some solution of the required
    branches and of the way to the position. So branches without constraints do not stand in a query, and a minimum or
    maximum ranks what the required branches leave, whether or not an answer hangs on it.
    """

    derivation: Derivation

    def __post_init__(self) -> None:
        """See that there is something to ask for.

        Raises:
            NoQueryError: see the class.

        """
        if not ROOT < self.derivation.answer_position <= len(self.derivation.steps):
            raise NoQueryError("The derivation has no answer position; choose the node that holds the answers.")

    def parent(self, position: int) -> int:
        """Where a position below the root grew from."""
        return self.derivation.steps[position - 1].position

    def relation(self, position: int) -> Relation:
        """How a position below the root is reached from its parent."""
        return self.derivation.steps[position - 1].relation

    def path(self, position: int) -> tuple[int, ...]:
        """The positions from below the root to this one."""
        path: list[int] = []
        while position != ROOT:
            path.append(position)
            position = self.parent(position)
        return tuple(reversed(path))

    @cached_property
    def required(self) -> frozenset[int]:
        """The positions below the root that bear a constraint or lead to one."""
        return frozenset(position for c in self.derivation.constraints for position in self.path(c.position))

    @cached_property
    def asked(self) -> frozenset[int]:
        """The positions below the root that the query needs: the required ones and the way to the answer."""
        return self.required | frozenset(self.path(self.derivation.answer_position))

    def children(self, position: int, among: frozenset[int]) -> Sequence[int]:
        """The positions that grew from one, oldest first."""
        return [child for child in sorted(among) if self.parent(child) == position]

    def comparisons(self, position: int) -> Iterator[Constraint]:
        """The constraints that compare each term with a target."""
        own = (c for c in self.derivation.constraints if c.position == position)
        return (c for c in own if not c.operator.is_extremal and c.operator is not Operator.KIND)

    def kinds(self, position: int) -> Sequence[Entity]:
        """The types that what stands at a position must be of."""
        own = (c for c in self.derivation.constraints if c.position == position and c.operator is Operator.KIND)
        return [c.target for c in own if isinstance(c.target, Entity)]

    @cached_property
    def rankings(self) -> Sequence[Constraint]:
        """Minima and maxima, each of which ranks what those before it leave."""
        return [c for c in self.derivation.constraints if c.operator.is_extremal]
