"""What of a label is compared with others of the same question."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from reasoning.core.structure import ROOT
from reasoning.evaluation.metrics.edit_distance import query_graph
from reasoning.evaluation.metrics.metrics import plain_relations

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kgstore.terms import Triple
    from reasoning.core.derivation import Derivation
    from reasoning.evaluation.metrics.edit_distance import LabelledGraph

Path: TypeAlias = tuple[str, ...]
"""A place of S_k, whatever number it has: the plain relations on the way there from the topic."""


@dataclass(frozen=True, slots=True)
class ComparedLabel:
    """A label that was handed in, as far as it is compared."""

    who: int | None
    """Who made it; None where their account is gone."""
    kind: str
    """What it says: a derivation, answers alone, that the question cannot be answered, …"""
    topic: str | None = None
    """The id of the topic entity; None where the label names none."""
    answers: frozenset[str] | None = None
    """The terms that it gives, perhaps none; None where its kind says nothing of answers."""
    derivation: Derivation | None = None
    """None where its kind has none, or several."""
    facts: frozenset[Triple] | None = None
    """The gold subgraph of a label that is a set of facts; that of a derivation is read off the graph."""
    seconds: int = 0
    """Of active time."""


@dataclass(frozen=True, slots=True)
class Decisions:
    """The decisions of a derivation by stage, free of the numbers that its places bear.

    Places are named by the relations that lead to them, so that one decision that differs does not make all others
    differ; two branches of the same relations share a name.
    """

    topic: str
    steps: tuple[Path, ...]
    """The place that each step grows, sorted."""
    constraints: tuple[tuple[Path, str, str], ...]
    """Place, operator and target of each, sorted; the target is empty for min and max."""
    answer: Path
    """Its last part is *counted* where the answers are."""

    @classmethod
    def of(cls, derivation: Derivation) -> Decisions:
        """Read the decisions off a derivation."""
        places: dict[int, Path] = {ROOT: ()}
        for position, step in enumerate(derivation.steps, start=1):
            places[position] = (*places[step.position], *map(str, plain_relations(step.relation)))
        set_ = [
            (places[c.position], c.operator.value, "" if c.target is None else str(c.target))
            for c in derivation.constraints
        ]
        return cls(
            str(derivation.topic),
            tuple(sorted(places[position] for position in places if position != ROOT)),
            tuple(sorted(set_)),
            (*places[derivation.answer_position], *(("counted",) if derivation.counted else ())),
        )


def canonical(derivation: Derivation) -> str:
    """A derivation as a text that is equal for equal ones: order of steps and conditions and reverse names are gone.

    The query graph of a derivation (`reasoning.evaluation.metrics.edit_distance`) is a tree, so it is written with the
    branches of every node sorted (Aho, Hopcroft and Ullman 1974, 3.2). Equal texts mean an edit distance of 0, and the
    other way round.
    """
    graph = query_graph(derivation)
    branches: dict[int, list[tuple[str, int]]] = {}
    for (above, below), (start, relation) in graph.edges.items():
        branches.setdefault(above, []).append((relation if start == above else f"^{relation}", below))
    return _written(ROOT, graph, branches)


def _written(node: int, graph: LabelledGraph, branches: Mapping[int, Sequence[tuple[str, int]]]) -> str:
    below = sorted(f"({way} {_written(child, graph, branches)})" for way, child in branches.get(node, ()))
    return f"[{graph.nodes[node]}]{''.join(below)}"
