"""The size of an explorer. It needs no torch, so that recipes can be read without it."""

from __future__ import annotations

from dataclasses import dataclass

from reasoning.strategies.shape import Shape


@dataclass(frozen=True, slots=True)
class ExplorerShape(Shape):
    """The size of an explorer, and how far it looks."""

    width: int = 64
    """d; the paper has 256."""
    layers: int = 3
    """L."""
    keep: int = 100
    """K: the edges that a layer keeps of every head."""
    norm: bool = True
    """Whether sums are normalised after W^l (ours): three layers learn faster with it."""
    chosen_depth: bool = False
    """Whether the question says after how many layers its answers are ranked (ours); else they are after the last."""
    text: int = 384
    """The length of a text vector."""
