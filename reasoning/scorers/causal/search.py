"""Exact best-first search over a trie of options.

No completion of a prefix is more probable than the prefix. So an option is the best as soon as it is at least as
probable as every prefix that has not been read on, and the probability of those prefixes together bounds what all
options not yet seen can have.

A pass of a language model over a hundred tokens costs little more than over one. So the search does not read one node
after another: it guesses, from what it has seen of this trie, how probable the unread nodes are, and reads at once all
that it would come to read if the guess were right. A wrong guess costs time and never the result.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from reasoning.scorers.causal.reading import MANY_NODES
from reasoning.scorers.causal.trie import TRIE_ROOT

if TYPE_CHECKING:
    from reasoning.scorers.causal.reading import Pace, Reading
    from reasoning.scorers.causal.trie import Bools, Floats, Ints, OptionTrie

_WEIGHT = 2.0
"""How many observed nodes the first guess is worth."""
_ONLY_CHILD = -0.1
"""Guess before any was observed: the log-probability that the one possible token follows."""
_ONE_OF_SEVERAL = -0.5
"""Likewise: that one of the several possible tokens follows, whichever it is."""


@dataclass(frozen=True, slots=True)
class Seen:
    """How far a search has come."""

    log_probs: Floats
    """(options,) log P(option given the prompt), raw; -inf where it has not been seen."""
    log_unseen: float
    """At most so probable, as a logarithm, are all options together that have not been seen; -inf: all have."""
    log_next: float
    """At most so probable, as a logarithm, is any one of them."""
    nodes: int
    """How many nodes have been read."""


class Search:
    """The probabilities of one pool's options, found in the order of need."""

    def __init__(self, trie: OptionTrie, reading: Reading, pace: Pace, *, among: Ints | None = None) -> None:
        """Search ``among`` these options, or all; the others are in the trie, but are not looked for."""
        self._trie = trie
        self._reading = reading
        self._pace = pace
        self._least = max(pace.least, pace.least_of_many) if trie.inner > MANY_NODES else pace.least
        leaves = np.unique(trie.leaf if among is None else trie.leaf[among])
        self._wanted = trie.leading_to(leaves)
        self._leaves = leaves
        self._read = np.zeros(len(trie), dtype=np.bool_)
        self._steps = np.full(len(trie), np.nan)
        self._steps[TRIE_ROOT] = 0.0
        self._log_probs = np.full(len(trie), -np.inf)
        self._log_probs[TRIE_ROOT] = 0.0
        self._known = np.zeros(len(trie), dtype=np.bool_)
        self._known[TRIE_ROOT] = True
        several = trie.children > 1
        self._kinds: tuple[tuple[Bools, float], ...] = ((~several, _ONLY_CHILD), (several, _ONE_OF_SEVERAL))

    def best(self, count: int = 1) -> Ints:
        """The ``count`` most probable leaves, the best first; of equals the first. Exact."""
        while True:
            reached = self._reached(count)
            open_nodes = self._unread(above=reached)
            if not (open_nodes & self._known).any():
                order = np.argsort(-self._log_probs[self._leaves], kind="stable")
                return self._leaves[order[:count]]
            guesses = self._guesses()
            ends = guesses[self._leaves]
            likely = max(reached, float(np.partition(ends, -count)[-count])) if count <= ends.size else reached
            self._read_on(open_nodes & (guesses > reached), guesses, likely)

    def until_unseen(self, share: float) -> None:
        """Read on until what has not been seen is at most this share of what has; with 0, until all is seen."""
        while True:
            open_nodes = self._unread()
            if not open_nodes.any():
                return
            allowed = -np.inf
            if share > 0:
                allowed = float(np.log(share) + np.logaddexp.reduce(self._log_probs[self._leaves]))
                if self._log_mass(open_nodes) <= allowed:
                    return
            # A node may stay unread where each of those that are open now could weigh as much as it does.
            likely = allowed - float(np.log(max(1, int((open_nodes & self._known).sum()))))
            self._read_on(open_nodes, self._guesses(), likely)

    def read_at_first(self, nodes: Ints) -> None:
        """Read some nodes, whatever they are worth, and with them what the first pass reads anyway."""
        while not self._read[nodes].all():
            guesses = self._guesses()
            guesses[nodes] = 0.0
            open_nodes = self._unread()
            open_nodes[nodes] = ~self._read[nodes]
            self._read_on(open_nodes, guesses, 0.0)

    def step(self, nodes: Ints) -> Floats:
        """The log-probability of each node given its prefix; nan where its parent was not read."""
        return self._steps[nodes]

    def seen(self) -> Seen:
        """What is known now."""
        open_nodes = self._unread() & self._known
        return Seen(
            self._log_probs[self._trie.leaf],
            self._log_mass(open_nodes),
            float(self._log_probs[open_nodes].max(initial=-np.inf)),
            int(self._read.sum()),
        )

    def _reached(self, count: int) -> float:
        """The log-probability that ``count`` options have reached."""
        ends = self._log_probs[self._leaves]
        return float(np.partition(ends, -count)[-count]) if count <= ends.size else -np.inf

    def _unread(self, above: float = -np.inf) -> Bools:
        """Nodes that lead to wanted options and were not read, unless known to be no more probable than ``above``."""
        unread: Bools = self._wanted & ~self._read & (self._trie.children > 0)
        if above > -np.inf:
            unread &= ~(self._known & (self._log_probs <= above))
        return unread

    def _log_mass(self, open_nodes: Bools) -> float:
        return float(np.logaddexp.reduce(self._log_probs[open_nodes & self._known], initial=-np.inf))

    def _guesses(self) -> Floats:
        """(nodes,) The log-probability of each: where it is not known, by the likes of it. Never rises downwards."""
        trie = self._trie
        guessed = np.empty(len(trie))
        for mask, first in self._kinds:
            seen = np.flatnonzero(self._read & mask)
            total, weight = first * _WEIGHT, _WEIGHT
            if seen.size:
                counts = trie.children[seen]
                masses = np.add.reduceat(
                    np.exp(self._steps[trie.children_of(seen)]), np.concatenate([[0], np.cumsum(counts)[:-1]])
                )
                total += float(np.log(np.maximum(masses, 1e-300)).sum())
                weight += seen.size
            guessed[mask] = total / weight
        guessed -= np.log(np.maximum(trie.children, 1))
        steps = np.where(np.isnan(self._steps), guessed[trie.parent], self._steps)
        guesses = np.zeros(len(trie))
        for start, end in zip(trie.level[1:-1].tolist(), trie.level[2:].tolist(), strict=True):
            guesses[start:end] = guesses[trie.parent[start:end]] + steps[start:end]
        return guesses

    def _read_on(self, candidates: Bools, guesses: Floats, likely: float) -> None:
        """Read the most probable candidates: as many as reach ``likely``, within what the backend likes at a time."""
        pace, nodes = self._pace, np.flatnonzero(candidates)
        first = not self._read[TRIE_ROOT]
        count = pace.ahead if first else max(self._least, min(pace.most, int((guesses[nodes] >= likely).sum())))
        if count < nodes.size:
            # Stable, and parents come first: so none is chosen without its parent.
            nodes = np.sort(nodes[np.argsort(-guesses[nodes], kind="stable")[:count]])
        trie = self._trie
        children = trie.children_of(nodes)
        self._steps[children] = self._reading.read(nodes)
        self._read[nodes] = True
        for start, end in zip(trie.level[1:-1].tolist(), trie.level[2:].tolist(), strict=True):
            above = trie.parent[start:end]
            known = self._known[above] & self._read[above]
            self._known[start:end] = known
            self._log_probs[start:end] = np.where(known, self._log_probs[above] + self._steps[start:end], -np.inf)
