"""The kinds of background work. Each feature registers its own when Django starts; nothing here knows a feature."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from datetime import timedelta


class Recover(Protocol):
    """Takes up work that nobody is at any more."""

    def __call__(self, *, grace: timedelta) -> int:
        """Hand over again what its worker or the broker lost; return how many pieces were moved.

        Work that waits for less than ``grace`` may still be on its way to the broker.
        """


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of background work."""

    task: str
    """The name of its Celery task, which messages in the broker bear: it never changes."""
    recover: Recover


_kinds: dict[str, Kind] = {}


def kind_register(kind: Kind) -> None:
    """Make a kind known.

    Raises:
        ValueError: another has the same task.

    """
    if kind.task in _kinds:
        raise ValueError(f"two kinds of work have the task {kind.task}")
    _kinds[kind.task] = kind


def work_recover(*, grace: timedelta) -> int:
    """Take up all work that nobody is at any more; return how many pieces were moved."""
    return sum(kind.recover(grace=grace) for kind in _kinds.values())
