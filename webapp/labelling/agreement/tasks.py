"""What Celery runs. A task carries ids alone and calls a service."""

from __future__ import annotations

import uuid
from functools import partial

from celery import shared_task

from webapp.labelling.agreement.services import TASK
from webapp.labelling.agreement.worker import agreement_work
from webapp.platform.work.background import in_background
from webapp.platform.work.stopping import is_stopping


@shared_task(name=TASK)
def agreement_work_task(work_id: str) -> None:
    """Compare the labels of a project; safe to deliver twice."""
    pk = uuid.UUID(work_id)
    in_background(agreement_work_task, pk, partial(agreement_work, work_id=pk, stopping=is_stopping), asks_models=False)
