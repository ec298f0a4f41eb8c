"""What hangs on an evaluation. Features above say how to count theirs; nothing here knows one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import uuid
    from collections.abc import Callable


@dataclass(frozen=True, slots=True)
class Hanging:
    """A kind of thing that hangs on an evaluation."""

    one: str
    """``set of figures under corrections``"""
    many: str
    count: Callable[[uuid.UUID], int]
    """How many there are of an evaluation."""
    keeps: bool
    """Whether it is somebody's work, so that the evaluation stays; else it is deleted with it."""


_kinds: list[Hanging] = []


def hanging_register(kind: Hanging) -> None:
    """Make a kind known."""
    _kinds.append(kind)


def hanging_on(evaluation: uuid.UUID, *, keeps: bool) -> list[tuple[str, int]]:
    """What keeps an evaluation, or else goes with it: in words, and how many of each that there is any of."""
    counted = [(kind, kind.count(evaluation)) for kind in _kinds if kind.keeps == keeps]
    return [(kind.one if count == 1 else kind.many, count) for kind, count in counted if count]
