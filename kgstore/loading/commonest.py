"""Counts the predicates of a graph that is being loaded; see `kgstore.commonest`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kgstore.commonest import CommonPredicate
from kgstore.terms import Entity

if TYPE_CHECKING:
    import numpy.typing as npt

    from kgstore.loading.arrange import ArrangedGraph

KEPT = 30
"""More than a page shows: some of them join only mediators, and no question can name those."""


def commonest_predicates(graph: ArrangedGraph) -> tuple[CommonPredicate, ...]:
    """The predicates with the most triples, of those that people are offered; at most `KEPT`, the commonest first."""
    edges, count = graph.edges, len(graph.predicates)
    triples = np.bincount(edges.predicate, minlength=count)
    # By the id of a term, which counts from 1: whether it can be asked about. Literals cannot.
    askable = np.zeros(len(graph.nodes) + len(graph.literals) + 1, bool)
    askable[1 : len(graph.nodes) + 1] = [node.name is not None and not node.is_mediator for node in graph.nodes]
    subjects, objects = (_best_known(edges.predicate, end, askable, count) for end in (edges.subject, edges.object))

    def entity(number: int) -> Entity | None:
        return Entity(graph.nodes[number - 1].mid) if number else None

    def common(number: int) -> CommonPredicate:
        known = graph.predicates[number]
        ends = entity(subjects[number]), entity(objects[number])
        kinds = known.subject_kind, known.object_kind
        return CommonPredicate(known.name, int(triples[number]), *ends, *kinds, known.label)

    offered = [number for number, predicate in enumerate(graph.predicates) if predicate.is_offered]
    return tuple(map(common, sorted(offered, key=lambda number: -triples[number])[:KEPT]))


def _best_known(
    predicate: npt.NDArray[np.int64], end: npt.NDArray[np.int64], askable: npt.NDArray[np.bool_], predicates: int
) -> list[int]:
    """For every predicate the smallest id at one end that can be asked about, which is the best known; 0 if none."""
    none = len(askable)
    best = np.full(predicates, none)
    mask = askable[end]
    np.minimum.at(best, predicate[mask], end[mask])
    return [0 if number == none else int(number) for number in best]
