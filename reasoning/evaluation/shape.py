"""How large a gold structure is: leaves, branches, hops."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kgstore.terms import Date
from reasoning.derivation import Operator
from reasoning.structure import ROOT

if TYPE_CHECKING:
    from reasoning.derivation import Constraint, Derivation

_FROM = (Operator.LESS, Operator.AT_MOST)
_TO = (Operator.GREATER, Operator.AT_LEAST)


def leaves(derivation: Derivation) -> int:
    """The ends of the structure, the topic entity being one of them (READS, Table 12).

    Two siblings that keep a date between bounds (one from above, one from below) are one.
    """
    inner = {step.position for step in derivation.steps}
    ends = [position for position in range(1, len(derivation.steps) + 1) if position not in inner]
    bounds: dict[tuple[int, bool], int] = {}
    for constraint in derivation.constraints:
        if constraint.position in ends and (side := _side(constraint)) is not None:
            bounds[derivation.steps[constraint.position - 1].position, side] = constraint.position
    ranges = sum(
        1 for parent, side in bounds if side and bounds.get((parent, False), 0) not in (0, bounds[parent, True])
    )
    return 1 + len(ends) - ranges


def branches(derivation: Derivation) -> int:
    """The leaves beside the topic entity: a chain has one branch, and every condition beside it adds one."""
    return leaves(derivation) - 1


def hops(derivation: Derivation) -> int:
    """The steps from the topic entity to the answer; a relation joined over a dropped mediator is one."""
    count, at = 0, derivation.answer_position
    while at != ROOT:
        count, at = count + 1, derivation.steps[at - 1].position
    return count


def _side(constraint: Constraint) -> bool | None:
    if not isinstance(constraint.target, Date):
        return None
    return True if constraint.operator in _FROM else False if constraint.operator in _TO else None
