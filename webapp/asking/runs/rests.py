"""What rests on runs, so that it outlives who asked. Features that point at runs say which; nothing here knows one."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import uuid
    from collections.abc import Callable, Collection

    RunIds = Collection[uuid.UUID]
    Rests = Callable[[RunIds], RunIds]
    """Which of some runs something rests on."""

_rests: list[Rests] = []


def rests_register(rests: Rests) -> None:
    """Make known what rests on runs."""
    _rests.append(rests)


def runs_rested_on(runs: RunIds) -> set[uuid.UUID]:
    """Those of some runs on which something rests that is not their asker's alone."""
    return {run for rests in _rests for run in rests(runs)} if runs else set()
