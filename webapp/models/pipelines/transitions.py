"""Moves of chains between their states, and what wakes one that waits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db.models import F, Q
from django.utils import timezone

from reasoning.datasets.errors import DatasetError
from webapp.datasets.files import datasets_folder
from webapp.models.pipelines.models import Chain
from webapp.platform.http.errors import ProductError
from webapp.platform.redaction import without_folders
from webapp.platform.work.delivery import GRACE
from webapp.platform.work.state_machine import StateMachine
from webapp.platform.work.states import Status

if TYPE_CHECKING:
    import uuid
    from datetime import datetime, timedelta

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
        self.wake(Q(pk=chain.pk))

    def wake(self, which: Q) -> int:
        """Hand over those of some chains that wait for work that has ended; return how many were."""
        woken = 0
        waiting = Q(status=Status.QUEUED, awaits=True)
        for chain in self._rows.filter(which, waiting).select_related("training", "evaluation", "baseline"):
            if all(work.is_over for work in chain.works) and self._rows.filter(waiting, pk=chain.pk).update(
                awaits=False, enqueued_at=timezone.now()
            ):
                self.deliver(chain)
                woken += 1
        return woken

    def recover(self, *, grace: timedelta = GRACE) -> int:
        """Take up every pipeline whose worker is gone, and those that missed the end of their work."""
        return super().recover(grace=grace) + self.wake(Q())

    def _deliver_again(self, now: datetime, waiting: Q) -> int:
        return super()._deliver_again(now, waiting & Q(awaits=False))


def _explain(_: Chain, error: Exception) -> str:
    if isinstance(error, ProductError):
        return error.message
    return without_folders(str(error), datasets_folder()) if isinstance(error, DatasetError) else ""


chains = ChainStateMachine(
    Chain.objects,
    TASK,
    given_up="The worker stopped {times} times at this link. See its log, then go on from here.",
    disk_full="The disk of this site is full. Free space, then go on from here.",
    broke="This link broke. See the worker's log, then go on from here.",
    explain=_explain,
)


def chains_wake(work: uuid.UUID) -> None:
    """Hand over the chains that wait for a training or an evaluation that has ended."""
    chains.wake(Q(training=work) | Q(evaluation=work) | Q(baseline=work))
