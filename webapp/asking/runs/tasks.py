"""Celery tasks of runs. A task carries ids only and calls a service."""

from __future__ import annotations

import uuid

from celery import shared_task

from webapp.asking.runs.transitions import TASK
from webapp.asking.runs.worker import run_execute
from webapp.platform.work.stopping import is_stopping


@shared_task(name=TASK)
def run_execute_task(run_id: str) -> None:
    """Work a run off; safe to deliver twice."""
    run_execute(run_id=uuid.UUID(run_id), stopping=is_stopping)
