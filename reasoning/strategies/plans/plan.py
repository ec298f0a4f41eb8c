"""A plan: the relations to follow from the topic entity, one after the other, and how much it weighs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kgstore.terms import Relation
    from reasoning.core.options import StepOption
    from reasoning.scorers.base import Cost

Way: TypeAlias = "tuple[Relation, ...]"
"""Relations from the topic entity on. A relation knows its direction, and parallel ones differ by their name."""


@dataclass(frozen=True, slots=True)
class Plan:
    """A relation path from a topic entity to where the answer may stand."""

    relations: Way
    """At least one."""
    weight: float
    """Its share of what all plans that were proposed with it have; they sum to one."""
    grounded: bool = True
    """Whether the graph holds facts along all of it."""


@dataclass(frozen=True, slots=True)
class WayOn:
    """A relation that may be followed from where the first relations of plans lead."""

    begins: Way
    """Those first relations; empty at the topic entity."""
    option: StepOption
    """The position of its step is that of a chain of those relations alone."""
    probability: float
    """Of these and it together."""


@dataclass(frozen=True, slots=True)
class Round:
    """A round of the search for plans: what it weighed, and what it went on with."""

    ways: tuple[WayOn, ...]
    """In the order in which they were weighed."""
    kept: tuple[int, ...]
    """Which of them, the most probable first."""


@dataclass(frozen=True, slots=True)
class Looked:
    """How far it was looked for relation paths."""

    followed: int
    """The number of paths that were extended."""
    leading_on: int
    """The number of paths that do not end with a text, a number or a date."""

    @property
    def is_whole(self) -> bool:
        """Whether all paths were found."""
        return self.followed == self.leading_on


@dataclass(frozen=True, slots=True)
class Plans:
    """What was proposed of one topic entity."""

    plans: tuple[Plan, ...]
    """The weightiest first."""
    total: int
    """Of how many complete plans that were weighed."""
    covered: float | None
    """What these have together of all the plans that there may be, before their weights were made to sum to one; None
    where there are none, no probability is known, or not all were found."""
    cost: Cost
    """What the scorer was asked for them."""
    rounds: tuple[Round, ...] = ()
    """How the scorer came to them."""
    looked: Looked | None = None
    """Where whole paths were weighed: how far it was looked for them."""

    @property
    def grounded(self) -> list[Plan]:
        """Those that the graph holds."""
        return [plan for plan in self.plans if plan.grounded]

    def share(self, way: Way) -> float:
        """What the grounded plans that begin with a way weigh together."""
        return sum(plan.weight for plan in self.grounded if plan.relations[: len(way)] == way)


def weighed(found: Sequence[tuple[Way, float]]) -> tuple[tuple[Plan, ...], float]:
    """Grounded plans with their probabilities, as plans whose weights sum to one, and what they have together."""
    covered = sum(probability for _, probability in found)
    return tuple(Plan(way, probability / covered) for way, probability in found), covered
