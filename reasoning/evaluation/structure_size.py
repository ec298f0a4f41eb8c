"""How large a gold structure is: leaves, branches, hops."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reasoning.gold.structure_table import shape_of
from reasoning.structure import ROOT

if TYPE_CHECKING:
    from reasoning.derivation import Derivation


def leaves(derivation: Derivation) -> int:
    """The ends of the structure, the topic entity being one of them (READS, Table 12); see `shape_of`."""
    return shape_of(derivation).leaves


def branches(derivation: Derivation) -> int:
    """The leaves beside the topic entity: a chain has one branch, and every condition beside it adds one."""
    return leaves(derivation) - 1


def hops(derivation: Derivation) -> int:
    """The steps from the topic entity to the answer; a relation joined over a dropped mediator is one."""
    count, at = 0, derivation.answer_position
    while at != ROOT:
        count, at = count + 1, derivation.steps[at - 1].position
    return count
