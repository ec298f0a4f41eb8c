"""Celery tasks of evaluations. A task carries ids only and calls a service."""

from __future__ import annotations

import uuid
from functools import partial

from celery import shared_task

from webapp.evaluations.working.transitions import TASK
from webapp.evaluations.working.worker import evaluation_work
from webapp.platform.work.background import gives_way, in_background
from webapp.platform.work.stopping import is_stopping


@shared_task(name=TASK)
def evaluation_work_task(evaluation_id: str) -> None:
    """Take up a slice of an evaluation; safe to deliver twice."""
    pk = uuid.UUID(evaluation_id)
    work = partial(evaluation_work, evaluation_id=pk, stopping=is_stopping, gives_way=gives_way)
    in_background(evaluation_work_task, pk, work, asks_models=True)
