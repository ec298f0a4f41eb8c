"""What Celery runs. A task carries ids alone and calls a service."""

from __future__ import annotations

import uuid

from webapp.celery import app
from webapp.evaluations.services import evaluation_work
from webapp.questions.tasks import is_stopping


@app.task(name="evaluations.work")
def evaluation_work_task(evaluation_id: str) -> None:
    """Take up a slice of an evaluation; safe to deliver twice."""
    evaluation_work(evaluation_id=uuid.UUID(evaluation_id), stopping=is_stopping)
