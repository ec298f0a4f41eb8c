"""Minimum graph edit distance between two derivations, as query graphs.

A derivation is a small labelled graph: a node for the topic entity, labelled with it; a node for every step, labelled
with its constraints, with being the answer, or with nothing; and an edge for every step, labelled with its relation and
direction. Relations are compared in their plain reading, and one joined over a dropped mediator is two edges with a
node between them. Adding, removing or relabelling a node or an edge costs 1; a node goes with its edges.

The distance is exact: depth-first branch and bound over all assignments of nodes, cut off by what the labels of the
remaining nodes and edges cost at least (Abu-Aisheh, Raveaux, Ramel and Martineau, *An Exact Graph Edit Distance
Algorithm for Solving Pattern Recognition Problems*, ICPRAM 2015).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from reasoning.core.structure import ROOT
from reasoning.evaluation.metrics.metrics import plain_relations

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from reasoning.core.derivation import PartialDerivation

Edge: TypeAlias = tuple[int, int]
"""From the smaller node to the larger."""


@dataclass(frozen=True, slots=True)
class LabelledGraph:
    """Nodes 0, 1, …, each with a label, and at most one labelled edge between two of them."""

    nodes: tuple[str, ...]
    edges: Mapping[Edge, tuple[int, str]]
    """From two nodes to the node at which the relation starts, and the relation."""


MAX_TRIED = 20_000
"""Gold structures of benchmarks need some hundred partial assignments; large ones of equal labels would need days."""
EMPTY = LabelledGraph((), {})
"""What a run without a topic has found."""


def query_graph(derivation: PartialDerivation) -> LabelledGraph:
    """A derivation as a labelled graph."""
    marks: dict[int, list[str]] = {ROOT: [str(derivation.topic)]}
    for constraint in derivation.constraints:
        words = f"{constraint.operator} {'' if constraint.target is None else constraint.target}".strip()
        marks.setdefault(constraint.position, []).append(words)
    if derivation.answer_position is not None:
        marks.setdefault(derivation.answer_position, []).append("counted answer" if derivation.counted else "answer")
    nodes = ["; ".join(marks[ROOT])]
    edges: dict[Edge, tuple[int, str]] = {}
    place = {ROOT: 0}
    for position, step in enumerate(derivation.steps, start=1):
        at = place[step.position]
        for relation in plain_relations(step.relation):
            new = len(nodes)
            edges[at, new] = (new if relation.is_reverse else at, relation.predicate)
            nodes.append("")
            at = new
        place[position] = at
        nodes[at] = "; ".join(sorted(marks.get(position, [])))
    return LabelledGraph(tuple(nodes), edges)


def edit_distance(
    first: LabelledGraph, second: LabelledGraph, *, edges_alone: bool = False, most_tried: int = MAX_TRIED
) -> int | None:
    """The fewest additions, removals and relabellings of nodes and edges that make one graph of the other.

    With ``edges_alone`` nodes cost nothing, and with them neither constraints, nor where the answer stands. None where
    that is not certain after ``most_tried`` partial assignments.
    """
    small, large = sorted((first, second), key=lambda graph: len(graph.nodes))
    try:
        return _Search(small, large, most_tried, 0 if edges_alone else 1).run()
    except _TooManyError:
        return None


class _TooManyError(Exception):
    pass


class _Search:
    """Assigns the nodes of the small graph, one after the other, to nodes of the large one or to none."""

    def __init__(self, small: LabelledGraph, large: LabelledGraph, most_tried: int, node_cost: int) -> None:
        self._left = most_tried
        self._node_cost = node_cost
        self._small = small
        self._large = large
        self._small_edges = [_edges_at(small, node) for node in range(len(small.nodes))]
        self._large_edges = [_edges_at(large, node) for node in range(len(large.nodes))]
        self._best = len(small.nodes) + len(small.edges) + len(large.nodes) + len(large.edges)
        self._images: list[int | None] = []

    def run(self) -> int:
        self._place(0, frozenset(range(len(self._large.nodes))))
        return self._best

    def _place(self, cost: int, free: frozenset[int]) -> None:
        node = len(self._images)
        self._left -= 1
        if self._left < 0:
            raise _TooManyError
        if cost + self._at_least(node, free) >= self._best:
            return
        if node == len(self._small.nodes):
            # The bound is exact here: what is left of the large graph is added.
            self._best = cost + self._at_least(node, free)
            return
        if cost + self._each_alone(node, free) >= self._best:
            return
        options: list[tuple[int, int | None]] = [(self._cost(node, image), image) for image in sorted(free)]
        options.append((self._cost(node, None), None))
        for added, image in sorted(options, key=lambda option: option[0]):
            self._images.append(image)
            self._place(cost + added, free - {image} if image is not None else free)
            self._images.pop()

    def _cost(self, node: int, image: int | None) -> int:
        """What it costs to assign a node, with its edges to the nodes assigned before."""
        own = {other: label for other, label in self._small_edges[node].items() if other < len(self._images)}
        if image is None:
            return self._node_cost + len(own)
        cost = self._node_cost * int(self._small.nodes[node] != self._large.nodes[image])
        counterparts = dict(self._large_edges[image])
        for other, label in own.items():
            other_image = self._images[other]
            counterpart = None if other_image is None else counterparts.pop(other_image, None)
            cost += int(label != counterpart)
        return cost + sum(1 for other_image in self._images if other_image in counterparts)

    def _at_least(self, node: int, free: frozenset[int]) -> int:
        """What the nodes and edges that are not yet assigned cost at least; exact once all nodes are."""
        nodes = self._node_cost * _unlike(self._small.nodes[node:], [self._large.nodes[image] for image in free])
        near = [label for ends, (_, label) in self._small.edges.items() if ends[1] >= node]
        far = [label for ends, (_, label) in self._large.edges.items() if not free.isdisjoint(ends)]
        return nodes + _unlike(near, far)

    def _each_alone(self, node: int, free: frozenset[int]) -> int:
        """What the nodes cost at least if each took its own cheapest image, whatever the others take.

        An edge between two nodes that are not yet assigned counts half at either end.
        """
        doubled = 0
        for rest in range(node, len(self._small.nodes)):
            ahead = [label for other, label in self._small_edges[rest].items() if other >= node]
            prices = [2 * self._cost(rest, None) + len(ahead)]
            for image in free:
                beyond = [label for other, label in self._large_edges[image].items() if other in free]
                prices.append(2 * self._cost(rest, image) + _unlike(ahead, beyond))
            doubled += min(prices)
        return (doubled + 1) // 2


def _edges_at(graph: LabelledGraph, node: int) -> dict[int, tuple[bool, str]]:
    """The edges of a node by their other end: whether they start here, and the relation."""
    return {
        (ends[0] if ends[1] == node else ends[1]): (start == node, relation)
        for ends, (start, relation) in graph.edges.items()
        if node in ends
    }


def _unlike(first: Sequence[object], second: Sequence[object]) -> int:
    """The fewest relabellings and additions that make one multiset of labels of the other."""
    return max(len(first), len(second)) - sum((Counter(first) & Counter(second)).values())
