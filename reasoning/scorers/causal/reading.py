"""The interface to a language model for exact choice: log-probabilities of tokens after some prefixes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reasoning.scorers.base import Cost
    from reasoning.scorers.causal.trie import Floats, Ints, OptionTrie


MANY_NODES = 1_000


@dataclass(frozen=True, slots=True)
class Pace:
    """How many nodes of a trie a backend likes to read at a time."""

    ahead: int
    """Together with the prompt, before anything is known of the options."""
    least: int
    """Fewer are hardly cheaper."""
    most: int
    """More would be dear if they turn out not to be needed."""
    least_of_many: int = 0
    """As ``least``, in a trie of more than `MANY_NODES` nodes with children: there, more turn out to be needed."""


class Reading(Protocol):
    """One prompt followed by the prefixes of one pool."""

    @property
    def cost(self) -> Cost:
        """What it took so far."""

    def read(self, nodes: Ints) -> Floats:
        """The log-probabilities, raw and natural, of each child given its prefix, in `OptionTrie.children_of`'s order.

        ``nodes`` ascend, have children, and were not read before; the parent of each was read before or is among them.
        The root is the first that is read.

        Raises:
            ScorerUnavailableError: the model cannot be reached.

        """

    def keep(self, leaf: int) -> None:
        """End the reading; the prompt, and the option of this leaf, may begin the next prompt."""


class NextTokenModel(Protocol):
    """A causal language model behind some engine: transformers in this process, or a server."""

    @property
    def end(self) -> int:
        """The token that ends an option."""

    @property
    def pace(self) -> Pace:
        """How many nodes to read at a time."""

    @property
    def side_by_side(self) -> bool:
        """Whether several readings may go on at a time, in threads of their own."""

    def tokens(self, texts: Sequence[str]) -> list[list[int]]:
        """The tokens of each text by itself, without any that begin or end a document."""

    def begin(self, prompt: Sequence[int], trie: OptionTrie) -> Reading:
        """Prepare to read options after a prompt, which begins a document; nothing is computed yet."""
