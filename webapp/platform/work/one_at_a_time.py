"""Work of which one item is done at a time, in the order that it was asked for: trainings, loads of graphs."""

from __future__ import annotations

import logging
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from django.db import IntegrityError, models, transaction
from django.db.models import Q

from webapp.platform.work.clock import long_ago
from webapp.platform.work.constraints import claimed_while_running, known_status
from webapp.platform.work.delivery import deliver, messages_held
from webapp.platform.work.queues import Queue
from webapp.platform.work.state_machine import Item, StateMachine
from webapp.platform.work.states import OVER, Status

if TYPE_CHECKING:
    import uuid
    from collections.abc import Mapping
    from datetime import datetime

log = logging.getLogger(__name__)

REDELIVERY = timedelta(seconds=60)
"""An item that waits longer although none is being done is handed to the broker again."""


def one_at_a_time(kind: str, *, in_each: tuple[str, ...] = ()) -> list[models.BaseConstraint]:
    """What the database holds such work to; ``kind`` names it in the constraints.

    ``in_each``: of each value of these fields one item is done at a time.
    """
    return [
        known_status(kind),
        claimed_while_running(kind),
        models.UniqueConstraint(fields=["name"], condition=~Q(status__in=OVER), name=f"one_{kind}_of_a_name_at_a_time"),
        # It takes minutes to hours, and questions must not wait until several are done.
        models.UniqueConstraint(
            fields=[*in_each, "status"], condition=Q(status=Status.RUNNING), name=f"one_{kind}_runs_at_a_time"
        ),
    ]


class SerialStateMachine(StateMachine[Item]):
    """The moves of such items."""

    def _lanes(self) -> Mapping[Queue, Q]:
        """The queues, and which items wait in each; of each one is done at a time."""
        return {Queue.CPU_BACKGROUND: Q()}

    def claim(self, pk: uuid.UUID, *, free: Q | None = None, **changes: Any) -> Item | None:
        """The same; None as well where another item is being done."""
        try:
            with transaction.atomic():
                return super().claim(pk, free=free, **changes)
        except IntegrityError:
            log.info("%s of %s waits until the one that runs is over", self.task, pk)
            return None

    def turn_over(self, item: Item) -> None:
        """Hand over the item that has waited longest in the queue of one that ended; none if that one waits again."""
        rows = self._lanes()[self._queue_of(item.pk)]
        following = self._rows.filter(rows, status=Status.QUEUED).order_by("created_at").first()
        if following is not None and not self._rows.filter(pk=item.pk, status=Status.QUEUED).exists():
            self.deliver(following.pk)

    def deliver(self, pk: uuid.UUID) -> None:
        """Hand an item to the broker, in its queue."""
        deliver(self.task, pk, self._queue_of(pk))

    def _queue_of(self, pk: uuid.UUID) -> Queue:
        lanes = self._lanes()
        return next(
            (queue for queue, rows in lanes.items() if self._rows.filter(rows, pk=pk).exists()), next(iter(lanes))
        )

    def _deliver_again(self, now: datetime, waiting: Q) -> int:
        return sum(self._first_again(now, waiting, queue, rows) for queue, rows in self._lanes().items())

    def _first_again(self, now: datetime, waiting: Q, queue: Queue, rows: Q) -> int:
        first = self._rows.filter(rows & waiting).order_by("created_at").first()
        # While one runs the others wait without the broker's knowledge; the one that ends hands over the next.
        if first is None or self._rows.filter(rows, status=Status.RUNNING).exists():
            return 0
        # Other work shares the queue, so messages in it may not be this one's: after a while that is not believed.
        held = self._rows.filter(pk=first.pk).exclude(long_ago("enqueued_at", now, REDELIVERY))
        if held.exists() and messages_held(queue):
            return 0
        if not self._rows.filter(waiting, pk=first.pk).update(enqueued_at=now):
            return 0
        self.deliver(first.pk)
        return 1
