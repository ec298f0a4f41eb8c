"""What Celery runs. A task carries ids alone and calls a service."""

from __future__ import annotations

import uuid

from webapp.celery import app
from webapp.questions.tasks import is_stopping
from webapp.scorers.services import training_execute


@app.task(name="scorers.training_execute")
def training_execute_task(training_id: str) -> None:
    """Work a training off; safe to deliver twice."""
    training_execute(training_id=uuid.UUID(training_id), stopping=is_stopping)
