"""What Celery runs. A task carries ids alone and calls a service."""

from __future__ import annotations

import uuid

from webapp.celery import app, is_stopping
from webapp.questions.services import run_execute


@app.task(name="questions.run_execute")
def run_execute_task(run_id: str) -> None:
    """Work a run off; safe to deliver twice."""
    run_execute(run_id=uuid.UUID(run_id), stopping=is_stopping)
