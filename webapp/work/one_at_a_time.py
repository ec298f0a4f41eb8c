"""Work of a kind of which one piece is done at a time, in the order that it was asked for: trainings, loads of graphs.

Every move is one conditional UPDATE, so that of two workers one wins. Where a worker dies, its piece goes back to the
queue and another takes it up; where the broker loses a message, the piece is handed over again.
"""

from __future__ import annotations

import logging
import uuid
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from django.db import IntegrityError, models, transaction
from django.db.models import F, Q
from django.utils import timezone

from webapp.work.clock import long_ago
from webapp.work.delivery import GRACE, deliver, messages_held
from webapp.work.lease import LEASE, lapsed_lease
from webapp.work.queues import Queue
from webapp.work.states import OVER, Status

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.db.models import Manager, QuerySet

log = logging.getLogger(__name__)

ATTEMPTS = 5
"""So many workers may die over a piece."""
REDELIVERY = timedelta(seconds=60)
"""A piece that waits longer although none is being done is handed to the broker again."""
LONGEST_REASON = 1_000


class OneAtATime(models.Model):
    """A piece of such work: a state machine, one claim of which holds at a time."""

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


def claim_constraints(kind: str) -> list[models.BaseConstraint]:
    """What the database holds such work to; ``kind`` names it in the constraints."""
    return [
        models.CheckConstraint(condition=Q(status__in=Status.values), name=f"{kind}_status_is_known"),
        models.CheckConstraint(
            condition=Q(status=Status.RUNNING, claim__isnull=False, lease_until__isnull=False)
            | (~Q(status=Status.RUNNING) & Q(claim__isnull=True, lease_until__isnull=True)),
            name=f"{kind}_is_claimed_exactly_while_running",
        ),
        models.UniqueConstraint(fields=["name"], condition=~Q(status__in=OVER), name=f"one_{kind}_of_a_name_at_a_time"),
        # It takes minutes to hours, and questions must not wait until several are done.
        models.UniqueConstraint(
            fields=["status"], condition=Q(status=Status.RUNNING), name=f"one_{kind}_runs_at_a_time"
        ),
    ]


Piece = TypeVar("Piece", bound=OneAtATime)


class Line(Generic[Piece]):
    """All work of a kind, and its moves."""

    def __init__(
        self,
        rows: Manager[Piece],
        task: str,
        given_up: str,
        on_close: Callable[[Piece, Status], None] = lambda _piece, _status: None,
    ) -> None:
        """Take the rows, the Celery task and what to say of a piece over which workers died again and again.

        ``on_close`` is told of every piece that ends, in the transaction that ends it.
        """
        self._manager = rows
        self._task = task
        self._given_up = given_up
        self._on_close = on_close

    def claim(self, pk: uuid.UUID) -> Piece | None:
        """Hold a queued piece; None where another one is being done, somebody else holds it, or it is over."""
        try:
            with transaction.atomic():
                won = self._rows.filter(pk=pk, status=Status.QUEUED).update(
                    status=Status.RUNNING,
                    claim=uuid.uuid4(),
                    lease_until=timezone.now() + LEASE,
                    attempts=F("attempts") + 1,
                    reason="",
                )
        except IntegrityError:
            log.info("%s of %s waits until the one that runs is over", self._task, pk)
            return None
        return self._rows.get(pk=pk) if won else None

    def held(self, piece: Piece) -> QuerySet[Piece]:
        """The piece, as long as the claim holds that it was taken with: what a worker writes, it writes here."""
        return self._rows.filter(pk=piece.pk, claim=piece.claim)

    def renew(self, piece: Piece) -> bool:
        """Make a lease last; False where the claim is lost."""
        return bool(self.held(piece).update(lease_until=timezone.now() + LEASE))

    def release(self, piece: Piece, reason: str = "", *, at_once: bool = True) -> None:
        """Give a piece back to the queue; this attempt does not count, since nothing went wrong.

        Unless ``at_once``, it comes again with the next look of a worker's watch.
        """
        self.held(piece).update(
            status=Status.QUEUED,
            reason=reason,
            claim=None,
            lease_until=None,
            attempts=F("attempts") - 1,
            enqueued_at=timezone.now(),
        )
        if at_once:
            self.deliver(piece.pk)

    def close(self, pk: uuid.UUID, status: Status, reason: str = "", only: Q | None = None, **changes: Any) -> int:
        """End a piece unless it is over, or ``only`` does not hold; return how many were ended: one or none."""
        with transaction.atomic():
            ended = (
                self._rows.filter(only or Q(), pk=pk)
                .exclude(status__in=OVER)
                .update(
                    status=status,
                    reason=reason[:LONGEST_REASON],
                    claim=None,
                    lease_until=None,
                    finished_at=timezone.now(),
                    **changes,
                )
            )
            if ended:
                self._on_close(self._rows.get(pk=pk), status)
        return ended

    def recover(self, *, grace: timedelta = GRACE) -> int:
        """Take up every piece whose worker is gone or that the broker lost, give up those that cannot be helped.

        One that waits for less than ``grace`` may still be on its way to the broker. Returns how many were moved.
        """
        now = timezone.now()
        moved = 0
        lapsed = Q(status=Status.RUNNING) & lapsed_lease(now)
        for piece in self._rows.filter(lapsed):
            if piece.attempts >= ATTEMPTS:
                moved += self.close(piece.pk, Status.FAILED, self._given_up.format(times=ATTEMPTS), only=lapsed)
            elif self._rows.filter(lapsed, pk=piece.pk).update(
                status=Status.QUEUED, claim=None, lease_until=None, enqueued_at=now
            ):
                self.deliver(piece.pk)
                moved += 1
        queued = Q(status=Status.QUEUED) & long_ago("enqueued_at", now, grace)
        waiting = self._rows.filter(queued).order_by("created_at").first()
        # While one runs the others wait without the broker's knowledge; the one that ends hands over the next.
        if waiting is None or self._rows.filter(status=Status.RUNNING).exists():
            return moved
        # Other work shares the queue, so messages in it may not be this one's: after a while that is not believed.
        held = self._rows.filter(pk=waiting.pk).exclude(long_ago("enqueued_at", now, REDELIVERY))
        if held.exists() and messages_held(Queue.CPU_BACKGROUND):
            return moved
        if self._rows.filter(queued, pk=waiting.pk).update(enqueued_at=now):
            self.deliver(waiting.pk)
            moved += 1
        return moved

    def deliver_next(self) -> None:
        """Hand over the piece that has waited longest, now that none is being done."""
        following = self._rows.filter(status=Status.QUEUED).order_by("created_at").first()
        if following is not None:
            self.deliver(following.pk)

    def deliver(self, pk: uuid.UUID) -> None:
        """Hand a piece to the broker."""
        deliver(self._task, pk, Queue.CPU_BACKGROUND)

    @property
    def _rows(self) -> QuerySet[Piece]:
        return self._manager.all()
