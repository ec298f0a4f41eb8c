"""Work of which one item is done at a time, in the order that it was asked for: trainings, loads of graphs."""

from __future__ import annotations

import logging
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from django.db import IntegrityError, models, transaction
from django.db.models import Q

from webapp.platform.work.clock import long_ago
from webapp.platform.work.constraints import claimed_while_running, known_status
from webapp.platform.work.delivery import messages_held
from webapp.platform.work.state_machine import Item, StateMachine
from webapp.platform.work.states import OVER, Status

if TYPE_CHECKING:
    import uuid
    from datetime import datetime

    from django.db.models import QuerySet

    from webapp.platform.work.queues import Queue

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
    """The moves of such items. Those that wait in different queues do not wait for each other."""

    def claim(self, pk: uuid.UUID, *, free: Q | None = None, **changes: Any) -> Item | None:
        """The same; None as well where another item is being done."""
        try:
            with transaction.atomic():
                return super().claim(pk, free=free, **changes)
        except IntegrityError:
            log.info("%s of %s waits for the running one to end", self.task, pk)
            return None

    def turn_over(self, item: Item) -> None:
        """Hand over the item that has waited longest in the queue of one that ended; none if that one waits again."""
        following = next((each for each in self._waiting() if each.waits_in is item.waits_in), None)
        if following is not None and not self._rows.filter(pk=item.pk, status=Status.QUEUED).exists():
            self.deliver(following)

    def _waiting(self, which: Q | None = None) -> QuerySet[Item]:
        return self._rows.filter(which or Q(), status=Status.QUEUED).order_by("created_at")

    def _deliver_again(self, now: datetime, waiting: Q) -> int:
        first: dict[Queue, Item] = {}
        for item in self._waiting(waiting):
            first.setdefault(item.waits_in, item)
        # While one runs the others wait without the broker's knowledge; the one that ends hands over the next.
        for running in self._rows.filter(status=Status.RUNNING):
            first.pop(running.waits_in, None)
        return sum(self._first_again(now, waiting, item) for item in first.values())

    def _first_again(self, now: datetime, waiting: Q, item: Item) -> int:
        # Other work shares the queue, so messages in it may not be this one's: after a while that is not believed.
        held = self._rows.filter(pk=item.pk).exclude(long_ago("enqueued_at", now, REDELIVERY))
        if held.exists() and messages_held(item.waits_in):
            return 0
        if not self._rows.filter(waiting, pk=item.pk).update(enqueued_at=now):
            return 0
        self.deliver(item)
        return 1
