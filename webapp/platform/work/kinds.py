"""The kinds of background work. Each feature registers its own when Django starts; nothing here knows a feature.

A kind may follow others: it declares by which tasks, and is told of each piece of their work that ends.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import timedelta
    from uuid import UUID

log = logging.getLogger(__name__)


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
    after: Mapping[str, Callable[[UUID], None]] = field(default_factory=dict)
    """What it does where work of another task has ended, by that task. It may be told twice, or not at all where the
    process that ended the work died just then; so `recover` looks for what was missed."""


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


def work_ended(task: str, pk: UUID) -> None:
    """Tell the kinds that follow a task that a piece of its work has ended; call it after the commit."""
    for kind in _kinds.values():
        begin = kind.after.get(task)
        if begin is None:
            continue
        try:
            begin(pk)
        except Exception:
            # The work itself is done, and its end is not to fail for what others make of it; `recover` comes to it.
            log.exception("%s did not begin after %s of %s", kind.task, task, pk)
