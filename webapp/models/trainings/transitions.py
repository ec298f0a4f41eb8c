"""Moves of trainings between their states."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db.models import Q

from webapp.models.trainings.models import Training
from webapp.platform.work.one_at_a_time import SerialStateMachine
from webapp.platform.work.queues import Queue

if TYPE_CHECKING:
    from collections.abc import Mapping

TASK = "scorers.training_execute"
"""The Celery task that works one off. Messages in the broker bear it, so it never changes."""


class TrainingStateMachine(SerialStateMachine[Training]):
    """The moves of trainings: those that want a GPU and the others do not wait for each other."""

    def _lanes(self) -> Mapping[Queue, Q]:
        return {queue: Q(queue=queue.value) for queue in Queue if queue.is_background}


trainings = TrainingStateMachine(
    Training.objects, TASK, "The worker stopped {times} times while it trained. See its log, then resume this."
)
