"""Which relation was chosen where a gold derivation has another: at the first decision of a search that differs."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from reasoning.core.structure import ROOT
from reasoning.evaluation.metrics.metrics import plain_relations

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from kgstore.terms import Relation
    from reasoning.core.derivation import Derivation, PartialDerivation

NOTHING_MORE = "nothing more"
"""What stands for a relation where the search ended, or should have."""


@dataclass(frozen=True, slots=True)
class Confused:
    """A relation of a gold derivation, and what was chosen in its stead; either may be `NOTHING_MORE`."""

    gold: str
    chosen: str

    @classmethod
    def parse(cls, text: str) -> Confused:
        """Read ``gold>chosen``."""
        gold, _, chosen = text.partition(">")
        return cls(gold, chosen)

    def __str__(self) -> str:
        return f"{self.gold}>{self.chosen}"


def first_confused(made: PartialDerivation | None, gold: Derivation) -> Confused | None:
    """The first decision of a search that differs from a gold derivation; None where none does.

    Both are read in plain relations, one joined over a dropped mediator as its two, so that no graph is needed. Steps
    may be taken in any order. None too where another topic entity was taken: then every relation is another one's.
    """
    if made is None or made.topic != gold.topic:
        return None
    edges = tuple(_edges(gold))
    taken: set[int] = set()
    places = [frozenset({ROOT})]
    for step in made.steps:
        at = places[step.position]
        for part in plain_relations(step.relation):
            found = [edge for edge in edges if edge.start in at and edge.relation == part]
            if not found:
                return Confused(_wanted(edges, taken, at), str(part))
            taken.update(edge.end for edge in found)
            at = frozenset(edge.end for edge in found)
        places.append(at)
    wanted = _wanted(edges, taken, frozenset())
    return None if wanted == NOTHING_MORE else Confused(wanted, NOTHING_MORE)


def confusion(pairs: Iterable[Confused | None]) -> Counter[Confused]:
    """How often which relation was chosen for which."""
    return Counter(pair for pair in pairs if pair is not None)


@dataclass(frozen=True, slots=True)
class _Edge:
    start: int
    relation: Relation
    end: int


def _edges(gold: Derivation) -> Iterator[_Edge]:
    """The gold derivation's tree in plain relations; node 0 is the topic entity."""
    nodes, place = 1, [ROOT]
    for step in gold.steps:
        at = place[step.position]
        for part in plain_relations(step.relation):
            yield _Edge(at, part, nodes)
            at, nodes = nodes, nodes + 1
        place.append(at)


def _wanted(edges: Iterable[_Edge], taken: set[int], here: frozenset[int]) -> str:
    """The relation that should have been followed: one from ``here``, where there is one, or from what was reached."""
    reached = {ROOT, *taken}
    left = [edge for edge in edges if edge.end not in taken and edge.start in reached]
    near = [edge for edge in left if edge.start in here]
    return next((str(edge.relation) for edge in [*near, *left]), NOTHING_MORE)
