"""Which questions to label next: where a model is least sure, or two models differ, and not ten of the same kind.

Least margin: Scheffer, Decomain and Wrobel 2001; disagreement of several models: Seung, Opper and Sompolinsky 1992.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from typing import TYPE_CHECKING, Generic, TypeVar

from reasoning.core.derivation import SearchStep

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from reasoning.narration.replay import Made

ALIKE = 0.5
"""So much less is a question worth for each one of its kind that comes before it."""
_TWO = 2

Key = TypeVar("Key")


@dataclass(frozen=True, slots=True)
class Candidate(Generic[Key]):
    """A question that may be labelled."""

    key: Key
    worth: float
    """How much is expected of its label, 0 or more: what `doubt` or `disagreement` says, or how often it is asked."""
    kind: str
    """Questions of one kind are alike; see `kind_of`."""


def in_order(candidates: Iterable[Candidate[Key]]) -> list[Candidate[Key]]:
    """The candidates in the order in which to label them; of equals, those that were named first come first.

    What a candidate is worth is halved (`ALIKE`) for each one of its kind that comes before it, so that no ten alike
    follow each other while there is anything else worth as much.
    """
    kinds: defaultdict[str, list[tuple[float, int, Candidate[Key]]]] = defaultdict(list)
    for place, each in enumerate(candidates):
        kinds[each.kind].append((-each.worth, place, each))
    for waiting in kinds.values():
        waiting.sort(key=lambda one: one[:_TWO], reverse=True)
    heads: list[tuple[float, int, str]] = [(waiting[-1][0], waiting[-1][1], kind) for kind, waiting in kinds.items()]
    heapify(heads)
    taken: defaultdict[str, int] = defaultdict(int)
    found = []
    while heads:
        _, _, kind = heappop(heads)
        found.append(kinds[kind].pop()[-1])
        taken[kind] += 1
        if kinds[kind]:
            less, place, _ = kinds[kind][-1]
            heappush(heads, (less * ALIKE ** taken[kind], place, kind))
    return found


def doubt(made: Iterable[Made]) -> float | None:
    """How little a model was sure, from 0 to 1: 1 less the least margin of its decisions.

    A margin is by how much the likeliest option is more probable than the next one. None where no decision had
    probabilities and a choice.
    """
    margins = []
    for each in made:
        if each.record is None or each.record.probability is None or each.record.total < _TWO:
            continue
        known = sorted((o.probability for o in each.record.options if o.probability is not None), reverse=True)
        # What is not listed has the rest at most, and no single option of it more than the last that is.
        first, second = (*known, 0.0, 0.0)[:_TWO]
        margins.append(first - second)
    return 1 - min(margins) if margins else None


def disagreement(first: Sequence[Made], second: Sequence[Made]) -> float:
    """How far two models differ over a question, from 0 to 1: the share of decisions that only one of them made."""
    one, other = ({(each.stage, each.choice) for each in made if each.choice is not None} for made in (first, second))
    both = one | other
    return 1 - len(one & other) / len(both) if both else 0.0


def kind_of(steps: Iterable[SearchStep]) -> str:
    """The kind of a question that a model answered by these steps: their relations, whatever it is about."""
    return " ".join(f"{step.position} {step.relation}" for step in steps)


def steps_made(made: Iterable[Made]) -> list[SearchStep]:
    """The search steps among decisions."""
    return [each.choice for each in made if isinstance(each.choice, SearchStep)]
