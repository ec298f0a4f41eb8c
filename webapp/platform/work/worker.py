"""The loop of all background work: a worker claims a piece, holds its lease, works, and ends it or gives it back.

A kind of work is a `Worker`: its `Moves` and the function that works. Each is listed in `webapp.extensions`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Generic
from uuid import UUID

from celery import shared_task

from webapp.platform.work.background import gives_way as site_gives_way
from webapp.platform.work.background import in_background
from webapp.platform.work.stopping import is_stopping
from webapp.platform.work.turn import Item, Moves, Turn, never, turn_at

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import timedelta

    from celery import Task


@dataclass(frozen=True, slots=True)
class Worker(Generic[Item]):
    """A kind of background work."""

    moves: Moves[Item]
    work: Callable[[Turn[Item]], None]
    """What a worker does with a claimed item. It ends the item; if it does not, another turn follows."""
    waited_for: bool = False
    """Whether a user waits for it, so that it does not run in a background thread."""
    asks_models: bool = False

    def __call__(
        self, pk: UUID, *, stopping: Callable[[], bool] = never, gives_way: Callable[[], bool] = never
    ) -> None:
        """Do one turn; safe to call at any time by many: only the one that wins the claim works.

        Once ``stopping`` is true, or ``gives_way`` to a user who waits, the rest goes back to the queue.
        """
        item = self.moves.claim(pk)
        if item is None:
            return
        with turn_at(self.moves, item, stopping=stopping, gives_way=gives_way) as turn:
            self.work(turn)

    def add(self) -> None:
        """Have this work done: make its Celery task, and recover what is lost of it."""

        # Celery binds plain functions alone.
        @shared_task(name=self.moves.task, bind=True)
        def take(task: Task[[str], None], key: str) -> None:
            pk = UUID(key)
            turn = partial(self, pk, stopping=is_stopping, gives_way=site_gives_way)
            if self.waited_for:
                turn()
            else:
                in_background(task, pk, turn, asks_models=self.asks_models)

        _workers.append(self)


_workers: list[Worker[Any]] = []


def worker_of(
    moves: Moves[Item], *, waited_for: bool = False, asks_models: bool = False
) -> Callable[[Callable[[Turn[Item]], None]], Worker[Item]]:
    """Make a `Worker` of the function that works."""
    return partial(Worker, moves, waited_for=waited_for, asks_models=asks_models)


def work_recover(*, grace: timedelta) -> int:
    """Take up all work that no worker holds any more; return how many pieces were moved."""
    return sum(worker.moves.recover(grace=grace) for worker in _workers)
