"""The size of a judge. It needs no torch, so that recipes can be read without it."""

from __future__ import annotations

from dataclasses import dataclass

from reasoning.strategies.shape import Shape


@dataclass(frozen=True, slots=True)
class JudgeShape(Shape):
    """The size of a judge."""

    width: int = 48
    """Of a text's projection."""
    hidden: int = 32
    text: int = 384
    """The length of a text vector."""
