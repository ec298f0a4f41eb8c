"""What Celery runs. A task carries ids alone and calls a service."""

from __future__ import annotations

import uuid
from functools import partial

from celery import shared_task

from webapp.labelling.projects.labels.suggesting import TASK
from webapp.labelling.projects.labels.suggesting_worker import suggesting_work
from webapp.platform.work.background import gives_way, in_background
from webapp.platform.work.stopping import is_stopping


@shared_task(name=TASK)
def suggesting_work_task(suggesting_id: str) -> None:
    """Let a model decide what is suggested in a project; safe to deliver twice."""
    pk = uuid.UUID(suggesting_id)
    work = partial(suggesting_work, suggesting_id=pk, stopping=is_stopping, gives_way=gives_way)
    in_background(suggesting_work_task, pk, work, asks_models=True)
