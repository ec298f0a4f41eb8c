"""Moves of chains between their states, and what wakes one that waits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db.models import F, Q
from django.utils import timezone

from webapp.models.pipelines.models import Chain
from webapp.platform.work.state_machine import StateMachine
from webapp.platform.work.states import Status

if TYPE_CHECKING:
    import uuid
    from datetime import datetime

TASK = "learning.chain"
"""The Celery task that takes one on. Messages in the broker bear it, so it never changes."""


class ChainStateMachine(StateMachine[Chain]):
    """The moves of chains: one that waits for the work of its link is not handed over until that work has ended."""

    def wait(self, chain: Chain) -> None:
        """Give a chain back until the work of its link has ended; this attempt does not count."""
        self.held(chain).update(
            status=Status.QUEUED,
            awaits=True,
            reason="",
            claim=None,
            lease_until=None,
            attempts=F("attempts") - 1,
            enqueued_at=timezone.now(),
        )

    def wake(self, pk: uuid.UUID) -> int:
        """Hand over a chain that waits; return how many were: one or none."""
        waiting = self._rows.filter(pk=pk, status=Status.QUEUED, awaits=True)
        woken = waiting.update(awaits=False, enqueued_at=timezone.now())
        if woken:
            self.deliver(pk)
        return woken

    def _deliver_again(self, now: datetime, waiting: Q) -> int:
        return super()._deliver_again(now, waiting & Q(awaits=False))


chains = ChainStateMachine(
    Chain.objects, TASK, "The worker stopped {times} times at this link. See its log, then go on from here."
)


def training_ended(training: uuid.UUID) -> None:
    """Let the chains go on that wait for a training."""
    _wake(Q(training=training))


def evaluation_ended(evaluation: uuid.UUID) -> None:
    """Let the chains go on that wait for an evaluation; they see for themselves whether there is another one."""
    _wake(Q(evaluation=evaluation) | Q(baseline=evaluation))


def _wake(which: Q) -> None:
    for pk in Chain.objects.filter(which, status=Status.QUEUED, awaits=True).values_list("pk", flat=True):
        chains.wake(pk)
