"""Nodes that are alike: those that the same messages reach have the same vector, so it is computed once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

    from reasoning.strategies.etd.edges import Numbers


def alike(message: Numbers, tail: Numbers, tails: int) -> tuple[Numbers, Numbers]:
    """Which nodes get the same messages, each as many times.

    A film's actors who are in no other film that was reached are an example. Messages are numbers from 0; each gets a
    random one of 64 bits, and nodes are alike where the sums of these are. Among 100,000 nodes that differ, two are
    taken for alike with a chance below one in a thousand million.

    Args:
        message: by edge (e).
        tail: by edge, the node that it reaches.
        tails: how many nodes there are.

    Returns:
        By node, the number of its vector; and by vector, the first node that has it.

    """
    count = int(message.max(initial=-1)) + 1
    chance = np.random.default_rng(0).integers(2**64 - 1, size=count, dtype=np.uint64)
    sums = np.zeros(tails, np.uint64)
    np.add.at(sums, tail, chance[message])
    return numbered(sums)


def numbered(values: NDArray[Any]) -> tuple[Numbers, Numbers]:
    """The values numbered in the order in which they first come, and where each first comes."""
    _, first, inverse = np.unique(values, return_index=True, return_inverse=True)
    order = np.argsort(first)
    number = np.empty_like(order)
    number[order] = np.arange(len(order))
    return number[inverse], first[order]
