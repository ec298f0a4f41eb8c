"""What Celery runs. A task carries ids alone and calls a service."""

from __future__ import annotations

import uuid
from threading import Event

from celery.signals import worker_shutting_down

from webapp.celery import app
from webapp.questions.services import run_execute

_stopping = Event()


@worker_shutting_down.connect
def _stop(**_: object) -> None:
    """Let runs go back to the queue, so that a worker need not wait for them before it stops."""
    _stopping.set()


def is_stopping() -> bool:
    """Whether this worker was told to stop."""
    return _stopping.is_set()


@app.task(name="questions.run_execute")
def run_execute_task(run_id: str) -> None:
    """Work a run off; safe to deliver twice."""
    run_execute(run_id=uuid.UUID(run_id), stopping=is_stopping)
