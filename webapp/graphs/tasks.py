"""What Celery runs. A task carries ids alone and calls a service."""

from __future__ import annotations

import uuid
from functools import partial

from celery import shared_task

from webapp.graphs.transitions import TASK
from webapp.graphs.worker import graph_load_execute
from webapp.platform.work.background import in_background
from webapp.platform.work.stopping import is_stopping


@shared_task(name=TASK)
def graph_load_execute_task(load_id: str) -> None:
    """Load a graph; safe to deliver twice."""
    pk = uuid.UUID(load_id)
    in_background(
        graph_load_execute_task, pk, partial(graph_load_execute, load_id=pk, stopping=is_stopping), asks_models=False
    )
