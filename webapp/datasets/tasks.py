"""What Celery runs. A task carries ids alone and calls a service."""

from __future__ import annotations

import uuid
from functools import partial

from celery import shared_task

from webapp.datasets.transitions import TASK
from webapp.datasets.worker import dataset_work
from webapp.platform.work.background import gives_way, in_background
from webapp.platform.work.stopping import is_stopping


@shared_task(name=TASK)
def dataset_work_task(dataset_id: str) -> None:
    """Load a dataset; safe to deliver twice."""
    pk = uuid.UUID(dataset_id)
    work = partial(dataset_work, dataset_id=pk, stopping=is_stopping, gives_way=gives_way)
    in_background(dataset_work_task, pk, work, asks_models=False)
