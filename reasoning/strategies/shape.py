"""The size of a strategy's own weights. It needs no torch, so that recipes can be read without it."""

from __future__ import annotations

from dataclasses import dataclass

from reasoning.core.plain import PlainRecord


@dataclass(frozen=True, slots=True)
class Shape(PlainRecord):
    """The size of what is trained; each strategy adds the numbers that make it up."""
