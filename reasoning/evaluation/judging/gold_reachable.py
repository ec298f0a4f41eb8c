"""Which gold derivations can still be reached after each decision of a run, and what the next one would have to be."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from reasoning.core.derivation import Constraint, SearchStep
from reasoning.core.structure import ROOT
from reasoning.gold.fitting import readings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reasoning.core.derivation import Derivation


@dataclass(frozen=True, slots=True)
class Gold:
    """A gold derivation in the relations that a graph offers."""

    derivation: Derivation
    is_whole: bool
    """Whether the graph can meet all of its constraints; those that it cannot are left out."""


@dataclass(frozen=True, slots=True)
class Followed:
    """A gold derivation, as far as a run has followed it, in whatever order.

    Two branches of a gold derivation may begin with the same relations; then there is one of these for each way to see
    a step of the run as one of its steps.
    """

    gold: Gold
    places: tuple[int, ...] = (ROOT,)
    """Of each position of the run, which one of the gold derivation it is."""
    met: frozenset[int] = frozenset()
    """Which constraints of the gold derivation the run has, by their place in it."""

    def after_step(self, step: SearchStep) -> Iterator[Followed]:
        """With another step; nothing where the gold derivation has none like it left."""
        for number, wanted in self._open_steps():
            if wanted.position == self.places[step.position] and step.relation in readings(wanted.relation):
                yield replace(self, places=(*self.places, number))

    def after_constraint(self, constraint: Constraint) -> Iterator[Followed]:
        """With another constraint; nothing where the gold derivation has none like it left."""
        here = replace(constraint, position=self.places[constraint.position])
        for number, wanted in enumerate(self.gold.derivation.constraints):
            if number not in self.met and wanted == here:
                yield replace(self, met=self.met | {number})

    def next_steps(self) -> list[SearchStep]:
        """The steps that lead on, in the positions of the run; none where it has all."""
        return [
            SearchStep(self.places.index(wanted.position), wanted.relation)
            for _, wanted in self._open_steps()
            if wanted.position in self.places
        ]

    def next_constraints(self) -> list[Constraint]:
        """The constraints that it has not yet, in the positions of the run, which has all steps."""
        return [
            replace(wanted, position=self.places.index(wanted.position))
            for number, wanted in enumerate(self.gold.derivation.constraints)
            if number not in self.met
        ]

    def answer_position(self) -> int:
        """Where the answer stands, in the positions of the run, which has all steps."""
        return self.places.index(self.gold.derivation.answer_position)

    def _open_steps(self) -> Iterator[tuple[int, SearchStep]]:
        """The steps that the run has not taken, with the position that each grows."""
        for number, wanted in enumerate(self.gold.derivation.steps, start=1):
            if number not in self.places:
                yield number, wanted
