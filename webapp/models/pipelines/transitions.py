"""Moves of pipelines between their states, and what wakes one that waits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db.models import F, Q
from django.utils import timezone

from reasoning.datasets.errors import DatasetError
from webapp.datasets.files import datasets_folder
from webapp.models.pipelines.models import Pipeline
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


class PipelineStateMachine(StateMachine[Pipeline]):
    """The moves of pipelines: one that waits for the work of its step is not handed over until that work has ended."""

    def wait(self, pipeline: Pipeline) -> None:
        """Give a pipeline back until the work of its step has ended; this attempt does not count."""
        self.held(pipeline).update(
            status=Status.QUEUED,
            awaits=True,
            reason="",
            claim=None,
            lease_until=None,
            attempts=F("attempts") - 1,
            enqueued_at=timezone.now(),
        )
        self.wake(Q(pk=pipeline.pk))

    def wake(self, which: Q) -> int:
        """Hand over those of some pipelines that wait for work that has ended; return how many were."""
        woken = 0
        waiting = Q(status=Status.QUEUED, awaits=True)
        for pipeline in self._rows.filter(which, waiting).select_related("training", "evaluation", "baseline"):
            if all(work.is_over for work in pipeline.works) and self._rows.filter(waiting, pk=pipeline.pk).update(
                awaits=False, enqueued_at=timezone.now()
            ):
                self.deliver(pipeline)
                woken += 1
        return woken

    def recover(self, *, grace: timedelta = GRACE) -> int:
        """Take up every pipeline whose worker is gone, and those that missed the end of their work."""
        return super().recover(grace=grace) + self.wake(Q())

    def _deliver_again(self, now: datetime, waiting: Q) -> int:
        return super()._deliver_again(now, waiting & Q(awaits=False))


def _explain(_: Pipeline, error: Exception) -> str:
    if isinstance(error, ProductError):
        return error.message
    return without_folders(str(error), datasets_folder()) if isinstance(error, DatasetError) else ""


pipelines = PipelineStateMachine(
    Pipeline.objects,
    TASK,
    given_up="The worker stopped {times} times at this step. See its log, then go on from here.",
    disk_full="The disk of this site is full. Free space, then go on from here.",
    broke="This step broke. See the worker's log, then go on from here.",
    explain=_explain,
)


def pipelines_wake(work: uuid.UUID) -> None:
    """Hand over the pipelines that wait for a training or an evaluation that has ended."""
    pipelines.wake(Q(training=work) | Q(evaluation=work) | Q(baseline=work))
