"""A worker's turn at a piece of work: its lease is renewed meanwhile, and what ends the turn is noted at the work."""

from __future__ import annotations

import logging
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from django.db import InterfaceError, OperationalError

from kgstore.store import GraphStoreError
from reasoning.core.errors import ReasoningError
from webapp.platform.disk import is_no_room, room_check
from webapp.platform.work.lease import ClaimLostError, lease_renewed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import timedelta
    from uuid import UUID

log = logging.getLogger(__name__)

_handed_back: set[tuple[str, object]] = set()
"""The steps that this process handed back half done, by task: once only, so that each is done in the end."""


class HandedBackError(Exception):
    """The rest of the work goes back to the queue: the worker is to stop, or a user waits for it."""


class MustWaitError(Exception):
    """The work cannot go on now; the message is its reason. The next look of a worker's watch tries again."""


class Claimed(Protocol):
    """What a worker holds."""

    @property
    def pk(self) -> Any:
        """The id of the work, a UUID."""


Item = TypeVar("Item", bound=Claimed)


class Moves(Protocol[Item]):
    """How work of one kind changes its state. `StateMachine` does it for work that one worker holds as a whole."""

    task: str
    """The name of the Celery task. Messages in the broker contain it, so it never changes."""
    broke: str
    """The reason of work that ended by a programming error."""

    def claim(self, pk: UUID) -> Item | None:
        """Hold work that waits; None if there is nothing to do."""

    def renew(self, item: Item) -> bool:
        """Renew the lease; False if the claim is lost."""

    def release(self, item: Item, reason: str = "", *, at_once: bool = True) -> None:
        """Give work back to the queue; unless ``at_once``, it comes again with the next look of a worker's watch."""

    def fail(self, item: Item, reason: str) -> object:
        """End work that failed."""

    def unwritten(self, item: Item, error: Exception) -> None:
        """Note that the database or the disk refused a write."""

    def explain(self, item: Item, error: Exception) -> str:
        """The reason to show for an error that this kind of work expects; empty for any other error."""

    def turn_over(self, item: Item) -> None:
        """Do what follows a turn."""

    def recover(self, *, grace: timedelta) -> int:
        """Take up work whose worker is gone or whose message was lost; return how many pieces were moved.

        Work that waits for less than ``grace`` may still be on its way to the broker.
        """


@dataclass(frozen=True, slots=True)
class Turn(Generic[Item]):
    """What a worker knows while it holds an item."""

    task: str
    item: Item
    is_lost: Callable[[], bool]
    """Whether the claim was lost."""
    stopping: Callable[[], bool]
    """Whether the worker is to stop."""
    gives_way: Callable[[], bool]
    """Whether a user waits for this worker."""

    def check(self) -> None:
        """Check that the work may go on; call it between two steps.

        Raises:
            ClaimLostError: it was cancelled, or another worker holds it.
            HandedBackError: the worker is to stop.
            NoRoomError: the disk is nearly full.

        """
        if self.is_lost():
            raise ClaimLostError
        if self.stopping():
            raise HandedBackError
        room_check()

    def yield_point(self) -> None:
        """The same, and hand the work back if a user waits for this worker."""
        self.check()
        if self.gives_way():
            raise HandedBackError

    def check_within(self, step: object) -> None:
        """Check that a step may go on that starts again when it is handed back; for users that happens to it once.

        Raises:
            ClaimLostError: the work was cancelled, or another worker holds it.
            HandedBackError: the worker is to stop, or a user waits for it.

        """
        if self.is_lost():
            raise ClaimLostError
        if self.stopping():
            raise HandedBackError
        if (self.task, step) not in _handed_back and self.gives_way():
            _handed_back.add((self.task, step))
            raise HandedBackError

    def step_done(self, step: object) -> None:
        """Forget that a step was handed back."""
        _handed_back.discard((self.task, step))


def never() -> bool:
    """False: the worker neither stops nor gives way."""
    return False


@contextmanager
def turn_at(
    moves: Moves[Item],
    item: Item,
    *,
    stopping: Callable[[], bool] = never,
    gives_way: Callable[[], bool] = never,
    raises: bool = False,
) -> Iterator[Turn[Item]]:
    """Hold a claimed item during the block; an error that ends the block is noted at the item.

    `ClaimLostError` and `HandedBackError` end the turn early. A temporary fault puts the item back for the next look of
    a worker's watch; any other error fails it. With ``raises``, the error is raised again.
    """
    with lease_renewed(item.pk, partial(moves.renew, item)) as is_lost:
        try:
            yield Turn(moves.task, item, is_lost, stopping, gives_way)
        except Exception as error:
            _note(moves, item, error)
            if raises:
                raise
        finally:
            moves.turn_over(item)


def _note(moves: Moves[Item], item: Item, error: Exception) -> None:
    name = f"{moves.task} of {item.pk}"
    if isinstance(error, ClaimLostError):
        log.info("%s was cancelled or taken over%s", name, f": {error}" if str(error) else "")
    elif isinstance(error, HandedBackError):
        moves.release(item)
    elif isinstance(error, MustWaitError):
        moves.release(item, str(error), at_once=False)
    elif is_no_room(error) or isinstance(error, OperationalError | InterfaceError):
        moves.unwritten(item, error)
    elif reason := moves.explain(item, error):
        log.warning("%s failed: %s", name, error)
        moves.fail(item, reason)
    elif isinstance(error, GraphStoreError | ReasoningError):
        log.warning("%s: %s", name, error.for_operators)
        if error.retryable:
            moves.release(item, error.for_people, at_once=False)
        else:
            moves.fail(item, error.for_people)
    else:
        log.error("%s broke", name, exc_info=error)
        moves.fail(item, moves.broke)
