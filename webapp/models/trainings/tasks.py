"""Celery tasks of trainings. A task carries ids only and calls a service."""

from __future__ import annotations

import uuid
from functools import partial

from celery import shared_task

from webapp.models.trainings.transitions import TASK
from webapp.models.trainings.worker import training_execute
from webapp.platform.work.background import in_background
from webapp.platform.work.stopping import is_stopping


@shared_task(name=TASK)
def training_execute_task(training_id: str) -> None:
    """Work a training off; safe to deliver twice."""
    pk = uuid.UUID(training_id)
    work = partial(training_execute, training_id=pk, stopping=is_stopping)
    in_background(training_execute_task, pk, work, asks_models=False)
