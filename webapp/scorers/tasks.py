"""What Celery runs. A task carries ids alone and calls a service."""

from __future__ import annotations

import uuid
from functools import partial

from webapp.background import in_background
from webapp.celery import app, is_stopping
from webapp.scorers.services import training_execute


@app.task(name="scorers.training_execute")
def training_execute_task(training_id: str) -> None:
    """Work a training off; safe to deliver twice."""
    pk = uuid.UUID(training_id)
    in_background(training_execute_task, pk, partial(training_execute, training_id=pk, stopping=is_stopping))
