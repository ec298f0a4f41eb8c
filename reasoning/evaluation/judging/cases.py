"""The error classes of READS: where the way to the answer was lost."""

from __future__ import annotations

from typing import Literal, TypeAlias

Case: TypeAlias = Literal["C1", "C2", "E1", "E2", "E3"]
"""C1: the answer is in G_k, and the first prediction is right. C2: the first prediction is right though the answer is
not in G_k, which must never happen. E1: the answer is not in G_k, so search failed. E2: the answer is in G_k and among
the predictions, but not first, so pruning failed. E3: the answer is in G_k and not among the predictions: wrong
position, or pruned away."""


def case_of(*, graph_hit: bool, hit: bool, hit_first: bool) -> Case:
    """The case of a question whose gold answer is in the graph."""
    if hit_first:
        return "C1" if graph_hit else "C2"
    if not graph_hit:
        return "E1"
    return "E2" if hit else "E3"
