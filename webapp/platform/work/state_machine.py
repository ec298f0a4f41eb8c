"""Work that a worker holds by a claim: its fields, and the moves between its states.

Every move is one conditional UPDATE, so that of two workers one wins. Where a worker dies, its item goes back to the
queue and another takes it up; where the broker loses a message, the item is handed over again.
"""

from __future__ import annotations

import logging
import uuid
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from django.db import InterfaceError, OperationalError, models, transaction
from django.db.models import F, Q
from django.utils import timezone

from kgstore.characters import characters_mended
from webapp.platform.disk import is_no_room, write_refused
from webapp.platform.work.clock import long_ago
from webapp.platform.work.delivery import GRACE, deliver
from webapp.platform.work.kinds import work_ended
from webapp.platform.work.lease import LEASE, lapsed_lease
from webapp.platform.work.queues import Queue
from webapp.platform.work.states import OVER, Status

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime, timedelta

    from django.db.models import Manager, QuerySet

log = logging.getLogger(__name__)

ATTEMPTS = 5
"""So many workers may die over an item."""
LONGEST_REASON = 1_000


class WorkItem(models.Model):
    """A piece of such work: queued, running under a claim, or over."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    status = models.CharField(max_length=16, choices=Status.choices, default=Status.QUEUED, db_index=True)
    reason = models.CharField(max_length=LONGEST_REASON, blank=True)
    """Why it failed, and what to do; or why it waits."""
    claim = models.UUIDField(null=True, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    created_at = models.DateTimeField(auto_now_add=True)
    enqueued_at = models.DateTimeField()
    """When it was last handed to the broker."""
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        abstract = True

    @property
    def is_over(self) -> bool:
        """Whether no worker does anything more for it."""
        return self.status in OVER


Item = TypeVar("Item", bound=WorkItem)


class StateMachine(Generic[Item]):
    """The moves of all items of a kind."""

    def __init__(
        self,
        rows: Manager[Item],
        task: str,
        given_up: str,
        *,
        on_close: Callable[[Item, Status], None] = lambda _item, _status: None,
        why_lost: Callable[[Item], str] = lambda _item: "",
    ) -> None:
        """Take the rows, the Celery task and what to say of an item over which workers died again and again.

        ``on_close`` is told of every item that ends, in the transaction that ends it. ``why_lost`` tells why no worker
        can take up an item whose worker died; empty where one can.
        """
        self._manager = rows
        self._task = task
        self._given_up = given_up
        self._on_close = on_close
        self._why_lost = why_lost

    def claim(self, pk: uuid.UUID, *, free: Q | None = None) -> Item | None:
        """Hold an item that is queued, or of which ``free`` holds; None where somebody else holds it, or it is done."""
        won = (
            self._rows.filter(free or Q(status=Status.QUEUED), pk=pk)
            .exclude(status=Status.SUCCEEDED)
            .update(
                status=Status.RUNNING,
                claim=uuid.uuid4(),
                lease_until=timezone.now() + LEASE,
                attempts=F("attempts") + 1,
                reason="",
                finished_at=None,
            )
        )
        return self._rows.get(pk=pk) if won else None

    def held(self, item: Item) -> QuerySet[Item]:
        """The item, as long as the claim holds that it was taken with: what a worker writes, it writes here."""
        return self._rows.filter(pk=item.pk, claim=item.claim)

    def renew(self, item: Item) -> bool:
        """Make a lease last; False where the claim is lost."""
        return bool(self.held(item).update(lease_until=timezone.now() + LEASE))

    def release(self, item: Item, reason: str = "", *, at_once: bool = True) -> None:
        """Give an item back to the queue; this attempt does not count, since nothing went wrong.

        Unless ``at_once``, it comes again with the next look of a worker's watch.
        """
        moved = self.held(item).update(
            status=Status.QUEUED,
            reason=reason,
            claim=None,
            lease_until=None,
            attempts=F("attempts") - 1,
            enqueued_at=timezone.now(),
        )
        if moved and at_once:
            self.deliver(item.pk)

    def close(self, pk: uuid.UUID, status: Status, reason: str = "", only: Q | None = None, **changes: Any) -> int:
        """End an item unless it is over, or ``only`` does not hold; return how many were ended: one or none."""
        with transaction.atomic():
            ended = (
                self._rows.filter(only or Q(), pk=pk)
                .exclude(status__in=OVER)
                .update(
                    status=status,
                    reason=characters_mended(reason)[:LONGEST_REASON],
                    claim=None,
                    lease_until=None,
                    finished_at=timezone.now(),
                    **changes,
                )
            )
            if ended:
                self._on_close(self._rows.get(pk=pk), status)
                transaction.on_commit(partial(work_ended, self._task, pk))
        return ended

    def fail(self, item: Item, reason: str) -> int:
        """End an item that failed in the hands of whoever holds it; return how many were ended: one or none."""
        return self.close(item.pk, Status.FAILED, reason, only=Q(claim=item.claim))

    def fail_unwritten(self, item: Item, error: Exception, disk_full: str) -> None:
        """End an item of which something could not be written, with the reason ``disk_full`` where that is why.

        What the database did not take otherwise is tried again, once the lease is over.
        """
        try:
            if is_no_room(error):
                write_refused(error)
                self.fail(item, disk_full)
            else:
                log.error("%s of %s met a fault of the database: %s", self._task, item.pk, error)
        except (OperationalError, InterfaceError) as again:
            log.warning("%s of %s goes on once its lease is over: %s", self._task, item.pk, again)

    def recover(self, *, grace: timedelta = GRACE) -> int:
        """Take up every item whose worker is gone or that the broker lost, give up those that cannot be helped.

        One that waits for less than ``grace`` may still be on its way to the broker. Returns how many were moved.
        """
        now = timezone.now()
        moved = 0
        lapsed = Q(status=Status.RUNNING) & lapsed_lease(now)
        for item in self._rows.filter(lapsed):
            why = self._given_up.format(times=ATTEMPTS) if item.attempts >= ATTEMPTS else self._why_lost(item)
            if why:
                moved += self.close(item.pk, Status.FAILED, why, only=lapsed)
            elif self._rows.filter(lapsed, pk=item.pk).update(
                status=Status.QUEUED, claim=None, lease_until=None, enqueued_at=now
            ):
                self.deliver(item.pk)
                moved += 1
        return moved + self._deliver_again(now, Q(status=Status.QUEUED) & long_ago("enqueued_at", now, grace))

    def deliver(self, pk: uuid.UUID) -> None:
        """Hand an item to the broker."""
        deliver(self._task, pk, Queue.CPU_BACKGROUND)

    def _deliver_again(self, now: datetime, waiting: Q) -> int:
        """Hand over what the broker may have lost; return how many."""
        moved = 0
        for item in self._rows.filter(waiting):
            if self._rows.filter(waiting, pk=item.pk).update(enqueued_at=now):
                self.deliver(item.pk)
                moved += 1
        return moved

    @property
    def _rows(self) -> QuerySet[Item]:
        return self._manager.all()
