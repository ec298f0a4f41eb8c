"""Moves of graph loads between their states, and what becomes of their files."""

from __future__ import annotations

from functools import partial

from django.db import transaction

from webapp.graphs.models import GraphLoad
from webapp.platform.work.one_at_a_time import SerialStateMachine
from webapp.platform.work.states import Status
from webapp.uploads.services import upload_consume, upload_release

TASK = "graphs.graph_load_execute"
"""The Celery task that works one off. Messages in the broker bear it, so it never changes."""


def _let_go(load: GraphLoad, status: Status) -> None:
    """The files of a load that is over: used up, or kept for another try."""
    for file in filter(None, (load.file, load.names_file)):
        if status == Status.SUCCEEDED:
            transaction.on_commit(partial(upload_consume, file))
        else:
            upload_release(file)


graph_loads = SerialStateMachine(
    GraphLoad.objects,
    TASK,
    "The worker stopped {times} times while it loaded this: the graph may be too large for its memory. The graph that "
    "was there is as it was. See the worker's log, or load it by command on a larger machine.",
    on_close=_let_go,
)
