"""What Celery runs. A task carries ids alone and calls a service."""

from __future__ import annotations

import uuid
from functools import partial

from celery import shared_task

from webapp.labelling.graph_updates.services import TASK
from webapp.labelling.graph_updates.worker import update_work
from webapp.platform.work.background import in_background
from webapp.platform.work.stopping import is_stopping


@shared_task(name=TASK)
def update_work_task(update_id: str) -> None:
    """Take a project to another version of its graph; safe to deliver twice."""
    pk = uuid.UUID(update_id)
    in_background(update_work_task, pk, partial(update_work, update_id=pk, stopping=is_stopping), asks_models=False)
