"""Moves of trainings between their states."""

from __future__ import annotations

from webapp.scorers.models import Training
from webapp.work.one_at_a_time import SerialStateMachine

TASK = "scorers.training_execute"
"""The Celery task that works one off. Messages in the broker bear it, so it never changes."""

trainings = SerialStateMachine(
    Training.objects, TASK, "The worker stopped {times} times while it trained. See its log, then resume this."
)
