"""What Celery runs. A task carries ids alone and calls a service."""

from __future__ import annotations

import uuid
from functools import partial

from webapp.background import gives_way, in_background
from webapp.celery import app, is_stopping
from webapp.evaluations.services import evaluation_work


@app.task(name="evaluations.work")
def evaluation_work_task(evaluation_id: str) -> None:
    """Take up a slice of an evaluation; safe to deliver twice."""
    pk = uuid.UUID(evaluation_id)
    work = partial(evaluation_work, evaluation_id=pk, stopping=is_stopping, gives_way=gives_way)
    in_background(evaluation_work_task, pk, work)
