"""A derivation laid over another: which steps, constraints and answer positions both have, and which one has alone."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from reasoning.core.compared import compared_term
from reasoning.core.structure import ROOT
from reasoning.gold.fitting import readings

if TYPE_CHECKING:
    from reasoning.core.derivation import Constraint, PartialDerivation, SearchStep


class Side(StrEnum):
    """Which of the two has something."""

    BOTH = "both"
    MADE = "made"
    GOLD = "gold"


@dataclass(frozen=True, slots=True)
class LaidOver:
    """What a run made and what the benchmark has, as one structure: positions are those of ``steps``."""

    steps: tuple[SearchStep, ...]
    """Those of the run in their order, then those that gold has alone."""
    sides: tuple[Side, ...]
    """By step."""
    constraints: tuple[tuple[Constraint, Side], ...]
    made_answer: int | None
    gold_answer: int | None


def laid_over(made: PartialDerivation | None, gold: PartialDerivation) -> LaidOver:
    """Lay a run's derivation over a gold one. Where they have other topics, or nothing was made, they share nothing.

    Of two that begin with other topics, only gold's is drawn: one structure has one topic.
    """
    if made is None or made.topic != gold.topic:
        constraints = tuple((each, Side.GOLD) for each in gold.constraints)
        return LaidOver(gold.steps, (Side.GOLD,) * len(gold.steps), constraints, None, gold.answer_position)
    steps, sides = list(made.steps), [Side.MADE] * len(made.steps)
    places = {ROOT: ROOT}
    for number, step in enumerate(gold.steps, start=1):
        at = replace(step, position=places[step.position])
        same = next(
            (
                place
                for place, other in enumerate(steps)
                if sides[place] is Side.MADE
                and other.position == at.position
                and other.relation in readings(at.relation)
            ),
            None,
        )
        if same is None:
            steps.append(at)
            sides.append(Side.GOLD)
            places[number] = len(steps)
        else:
            sides[same] = Side.BOTH
            places[number] = same + 1
    wanted = [replace(each, position=places[each.position]) for each in gold.constraints]
    both = set(map(_compared, made.constraints)) & set(map(_compared, wanted))
    constraints = (
        *((each, Side.BOTH if _compared(each) in both else Side.MADE) for each in made.constraints),
        *((each, Side.GOLD) for each in wanted if _compared(each) not in both),
    )
    answer = gold.answer_position
    return LaidOver(
        tuple(steps), tuple(sides), constraints, made.answer_position, None if answer is None else places[answer]
    )


def _compared(constraint: Constraint) -> Constraint:
    """A constraint that is another one if they differ in how their targets are typed alone."""
    return replace(constraint, target=None if constraint.target is None else compared_term(constraint.target))
