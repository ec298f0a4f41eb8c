"""Options as a trie over their tokens, laid out in arrays so that a search can treat thousands of nodes at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

Ints: TypeAlias = np.ndarray[Any, np.dtype[np.int64]]
Floats: TypeAlias = np.ndarray[Any, np.dtype[np.float64]]
Bools: TypeAlias = np.ndarray[Any, np.dtype[np.bool_]]

TRIE_ROOT = 0
"""The node of the empty prefix: what follows it is what follows the prompt."""


class OptionTrie:
    """The prefixes of a pool's options. Every option ends in the end token, so that none is a prefix of another.

    Nodes are numbered level by level, and within a level in the order of their tokens: a parent comes before its
    children, and the children of a node stand together. Options of equal tokens share a leaf.
    """

    parent: Ints
    """(nodes,) The node one token shorter; the root is its own."""
    token: Ints
    """(nodes,) The token that leads to the node; -1 for the root."""
    depth: Ints
    """(nodes,) How many tokens lead to the node."""
    children: Ints
    """(nodes,) How many children it has; 0 for leaves."""
    first_child: Ints
    """(nodes,) Its first child; meaningless for leaves."""
    level: Ints
    """(levels + 1,) The first node of every level, then the number of nodes."""
    leaf: Ints
    """(options,) The leaf of every option."""

    def __init__(self, options: Sequence[Sequence[int]], end: int) -> None:
        """Build it from the tokens of each option, without ``end``, which ends each.

        Raises:
            ValueError: there are no options, or ``end`` stands within one.

        """
        if not options:
            raise ValueError("a trie needs options")
        if any(end in option for option in options):
            raise ValueError("the end token stands within an option")
        order = sorted(range(len(options)), key=lambda index: tuple(options[index]))
        lengths = np.array([len(options[index]) + 1 for index in order])
        depths = int(lengths.max())
        tokens = np.full((len(order), depths), -1, dtype=np.int64)
        for row, index in enumerate(order):
            tokens[row, : lengths[row]] = (*options[index], end)
        # An option shares the prefixes that it has in common with the one before it, and opens nodes for the rest.
        shared = np.zeros(len(order), dtype=np.int64)
        shared[1:] = np.cumprod(tokens[1:] == tokens[:-1], axis=1).sum(axis=1)
        shared = np.minimum(shared, lengths)
        column = np.arange(depths)
        opens = (column >= shared[:, None]) & (column < lengths[:, None])
        by_level = np.ascontiguousarray(opens.T)
        node_at = np.cumsum(by_level).reshape(by_level.shape)  # the root is 0, so that counting from 1 is right
        levels, rows = np.nonzero(by_level)
        above = np.concatenate([np.zeros((1, len(order)), dtype=np.int64), node_at[:-1]])
        self.parent = np.concatenate([[TRIE_ROOT], above[levels, rows]])
        self.token = np.concatenate([[-1], tokens[rows, levels]])
        self.depth = np.concatenate([[0], levels + 1])
        self.children = np.bincount(self.parent[1:], minlength=len(self.parent))
        self.first_child = 1 + np.cumsum(self.children) - self.children
        self.level = np.searchsorted(self.depth, np.arange(depths + 2))
        self.leaf = np.empty(len(order), dtype=np.int64)
        self.leaf[order] = node_at[lengths - 1, np.arange(len(order))]

    def __len__(self) -> int:
        return len(self.parent)

    @property
    def inner(self) -> int:
        """How many nodes have children: what reading all of it means."""
        return int((self.children > 0).sum())

    def path(self, node: int) -> list[int]:
        """The nodes that lead to ``node``, from the first token's on, itself included."""
        found: list[int] = []
        while node != TRIE_ROOT:
            found.append(node)
            node = int(self.parent[node])
        return found[::-1]

    def children_of(self, nodes: Ints) -> Ints:
        """The children of every node, one node's after another's."""
        counts = self.children[nodes]
        starts = np.repeat(self.first_child[nodes] - np.cumsum(counts) + counts, counts)
        return starts + np.arange(int(counts.sum()))

    def leading_to(self, leaves: Ints) -> Bools:
        """(nodes,) Which nodes are prefixes of one of ``leaves``, themselves included."""
        marked = np.zeros(len(self), dtype=np.bool_)
        while leaves.size:
            marked[leaves] = True
            leaves = np.unique(self.parent[leaves])
            leaves = leaves[~marked[leaves]]
        return marked
