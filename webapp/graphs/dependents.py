"""What rests on a graph. Features that ask graphs say how to count it; nothing here knows a feature."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True, slots=True)
class Dependent:
    """A kind of thing that rests on a graph."""

    one: str
    """``question asked``"""
    many: str
    count: Callable[[str], int]
    """How many there are, by the name of the graph."""


_dependents: list[Dependent] = []


def dependent_register(dependent: Dependent) -> None:
    """Make a kind known."""
    _dependents.append(dependent)


def dependents_of(graph: str) -> list[tuple[str, int]]:
    """What rests on a graph, in words, and how many of each; kinds of which there is none are left out."""
    counted = [(each, each.count(graph)) for each in _dependents]
    return [(each.one if count == 1 else each.many, count) for each, count in counted if count]
