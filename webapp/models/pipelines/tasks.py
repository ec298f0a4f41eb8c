"""What Celery runs. A task carries ids alone and calls a service."""

from __future__ import annotations

import uuid
from functools import partial

from celery import shared_task

from webapp.models.pipelines.transitions import TASK
from webapp.models.pipelines.worker import chain_work
from webapp.platform.work.background import in_background
from webapp.platform.work.stopping import is_stopping


@shared_task(name=TASK)
def chain_work_task(chain_id: str) -> None:
    """Take a chain as far as it goes; safe to deliver twice."""
    pk = uuid.UUID(chain_id)
    in_background(chain_work_task, pk, partial(chain_work, chain_id=pk, stopping=is_stopping), asks_models=False)
