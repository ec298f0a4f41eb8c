"""Moves of trainings between their states."""

from __future__ import annotations

from reasoning.core.errors import ReasoningError
from webapp import engine
from webapp.models.trainings.models import Training
from webapp.models.trainings.trainers.bases import base_folders
from webapp.models.trainings.trainers.training_data import training_data
from webapp.platform.redaction import without_folders
from webapp.platform.work.one_at_a_time import SerialStateMachine

TASK = "scorers.training_execute"
"""The Celery task that works one off. Messages in the broker bear it, so it never changes."""


def _explain(_: Training, error: Exception) -> str:
    if not isinstance(error, ReasoningError):
        return ""
    return without_folders(error.for_people, training_data(), *engine.model_folders(), *base_folders())


trainings = SerialStateMachine(
    Training.objects,
    TASK,
    given_up="The worker stopped {times} times while it trained. See its log, then resume this.",
    disk_full="The disk of this site is full. Free space, then resume: it resumes from its last whole epoch.",
    broke="The training broke. See the worker's log, then resume it.",
    explain=_explain,
)
