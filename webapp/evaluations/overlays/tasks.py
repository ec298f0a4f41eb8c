"""What Celery runs. A task carries ids alone and calls a service."""

from __future__ import annotations

import uuid
from functools import partial

from celery import shared_task

from webapp.evaluations.overlays.judging import TASK
from webapp.evaluations.overlays.worker import overlaid_work
from webapp.platform.work.background import in_background
from webapp.platform.work.stopping import is_stopping


@shared_task(name=TASK)
def overlaid_work_task(work_id: str) -> None:
    """Judge the answers of an evaluation under an overlay; safe to deliver twice."""
    pk = uuid.UUID(work_id)
    in_background(overlaid_work_task, pk, partial(overlaid_work, work_id=pk, stopping=is_stopping), asks_models=False)
