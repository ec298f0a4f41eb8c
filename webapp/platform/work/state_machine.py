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
from webapp.platform.disk import DISK_FULL, is_no_room, write_refused
from webapp.platform.work.clock import long_ago
from webapp.platform.work.delivery import GRACE, deliver
from webapp.platform.work.ending import publish_ended
from webapp.platform.work.lease import LEASE, lapsed_lease
from webapp.platform.work.queues import Queue
from webapp.platform.work.states import OVER, Status

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime, timedelta

    from django.db.models import Manager, QuerySet

log = logging.getLogger(__name__)

ATTEMPTS = 5
"""Maximum of workers that may die over an item."""
STOPPED = Q(status__in=(Status.CANCELLED, Status.FAILED))
MAX_REASON_LENGTH = 1_000


class ClaimedWork(models.Model):
    """A piece of such work: queued, running under a claim, or over."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    status = models.CharField(max_length=16, choices=Status.choices, default=Status.QUEUED)
    claim = models.UUIDField(null=True, blank=True)
    """Made by the worker that holds it."""
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

    @property
    def waits_in(self) -> Queue:
        """The queue in which it waits: its column ``queue``, or that of background work without such a column."""
        return Queue(getattr(self, "queue", Queue.CPU_BACKGROUND))


class WorkItem(ClaimedWork):
    """Work that keeps the reason of its state."""

    status = models.CharField(max_length=16, choices=Status.choices, default=Status.QUEUED, db_index=True)
    reason = models.CharField(max_length=MAX_REASON_LENGTH, blank=True)
    """Why it failed, and what to do; or why it waits."""

    class Meta:
        abstract = True


Item = TypeVar("Item", bound=ClaimedWork)


class StateMachine(Generic[Item]):
    """The moves of all items of a kind."""

    def __init__(
        self,
        rows: Manager[Item],
        task: str,
        *,
        given_up: str,
        disk_full: str,
        broke: str,
        explain: Callable[[Item, Exception], str] = lambda _item, _error: "",
        why_lost: Callable[[Item], str] = lambda _item: "",
        max_attempts: int = ATTEMPTS,
    ) -> None:
        """Take the rows, the Celery task and the reasons of items that end without success.

        ``given_up`` is the reason after ``max_attempts`` workers died over an item. ``explain`` has the reason for an
        error that this work expects; empty for any other. ``why_lost`` has the reason why no worker can take up an item
        whose worker died; empty if one can.
        """
        self._manager = rows
        self.task = task
        self.broke = broke
        self._given_up = given_up.format(times=max_attempts)
        self._disk_full = disk_full
        self.explain = explain
        self._why_lost = why_lost
        self._max_attempts = max_attempts

    def claim(self, pk: uuid.UUID, *, free: Q | None = None, **changes: Any) -> Item | None:
        """Hold an item that is queued, or for which ``free`` holds; None if another worker does, or it is done."""
        won = (
            self._rows.filter(free or Q(status=Status.QUEUED), pk=pk)
            .exclude(status=Status.SUCCEEDED)
            .update(
                status=Status.RUNNING,
                claim=uuid.uuid4(),
                lease_until=timezone.now() + LEASE,
                attempts=F("attempts") + 1,
                finished_at=None,
                **self._reason(""),
                **changes,
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
            claim=None,
            lease_until=None,
            attempts=F("attempts") - 1,
            enqueued_at=timezone.now(),
            **self._reason(reason),
        )
        if moved and at_once:
            self.deliver(item)

    def begin(self, item: Item) -> None:
        """Save an item, new or ended, as queued; it is delivered once the transaction is committed."""
        item.status, item.attempts, item.finished_at, item.enqueued_at = Status.QUEUED, 0, None, timezone.now()
        for name, reason in self._reason("").items():
            setattr(item, name, reason)
        item.save()
        transaction.on_commit(partial(self.deliver, item))

    def resume(self, item: Item, *, free: Q = STOPPED, **changes: Any) -> int:
        """Queue an item again that was cancelled or failed; return how many were queued: one or none.

        ``free`` says otherwise for which states that is done.
        """
        resumed = self._rows.filter(free, pk=item.pk).update(
            status=Status.QUEUED,
            attempts=0,
            finished_at=None,
            enqueued_at=timezone.now(),
            **self._reason(""),
            **changes,
        )
        if resumed:
            transaction.on_commit(partial(self.deliver, item))
        return resumed

    def close(
        self,
        pk: uuid.UUID,
        status: Status,
        reason: str = "",
        only: Q | None = None,
        *,
        code: str = "unexpected",
        **changes: Any,
    ) -> int:
        """End an item unless it has ended, or ``only`` does not hold; return how many were ended: one or none.

        ``code`` is a word for the reason; only runs keep it.
        """
        with transaction.atomic():
            ended = (
                self._rows.filter(only or Q(), pk=pk)
                .exclude(status__in=OVER)
                .update(
                    status=status,
                    claim=None,
                    lease_until=None,
                    finished_at=timezone.now(),
                    **self._reason(reason),
                    **changes,
                )
            )
            if ended:
                self._closed(self._rows.get(pk=pk), reason, code)
                transaction.on_commit(partial(publish_ended, pk))
        return ended

    def fail(self, item: Item, reason: str, code: str = "unexpected") -> int:
        """End an item that failed while this worker holds it; return how many were ended: one or none."""
        return self.close(item.pk, Status.FAILED, reason, Q(claim=item.claim), code=code)

    def unwritten(self, item: Item, error: Exception) -> None:
        """End an item if the disk is full; after another fault of the database it is taken up again at once.

        If not even that can be written, it is resumed once its lease has expired.
        """
        try:
            if is_no_room(error):
                write_refused(error)
                self.fail(item, self._disk_full, DISK_FULL)
            else:
                log.error("%s of %s met a fault of the database: %s", self.task, item.pk, error)
                self.held(item).update(lease_until=timezone.now())
        except (OperationalError, InterfaceError) as again:
            log.warning("%s of %s resumes once its lease has expired: %s", self.task, item.pk, again)

    def turn_over(self, item: Item) -> None:
        """Do what follows a turn: here, nothing."""

    def recover(self, *, grace: timedelta = GRACE) -> int:
        """Take up every item whose worker is gone or that the broker lost, give up those that cannot be helped.

        One that waits for less than ``grace`` may still be on its way to the broker. Returns how many were moved.
        """
        now = timezone.now()
        moved = 0
        lapsed = Q(status=Status.RUNNING) & lapsed_lease(now)
        for item in self._rows.filter(lapsed):
            if why := self._given_up if item.attempts >= self._max_attempts else self._why_lost(item):
                moved += self.close(item.pk, Status.FAILED, why, lapsed, code="worker_lost")
            elif self._rows.filter(lapsed, pk=item.pk).update(
                status=Status.QUEUED, claim=None, lease_until=None, enqueued_at=now
            ):
                log.warning("%s of %s lost its worker and is queued again", self.task, item.pk)
                self.deliver(item)
                moved += 1
        return moved + self._deliver_again(now, Q(status=Status.QUEUED) & long_ago("enqueued_at", now, grace))

    def deliver(self, item: Item) -> None:
        """Hand an item to the broker, in its queue."""
        deliver(self.task, item.pk, item.waits_in)

    def _deliver_again(self, now: datetime, waiting: Q) -> int:
        """Hand over what the broker may have lost; return how many."""
        moved = 0
        for item in self._rows.filter(waiting).order_by("created_at"):
            if self._rows.filter(waiting, pk=item.pk).update(enqueued_at=now):
                self.deliver(item)
                moved += 1
        return moved

    def _reason(self, reason: str) -> dict[str, str]:
        """The column of the reason."""
        return {"reason": characters_mended(reason)[:MAX_REASON_LENGTH]}

    def _closed(self, item: Item, reason: str, code: str) -> None:
        """Do what follows the end of an item, within the transaction that ends it."""

    @property
    def _rows(self) -> QuerySet[Item]:
        return self._manager.all()
