"""Moves of graph loads between their states, and what becomes of their files."""

from __future__ import annotations

from functools import partial

from django.db import transaction

from kgstore.loading.errors import GraphLoadError
from webapp.graphs.models import GraphLoad
from webapp.graphs.words import words_of_page
from webapp.platform.work.one_at_a_time import SerialStateMachine
from webapp.platform.work.states import Status
from webapp.uploads.services import upload_consume, upload_release

TASK = "graphs.graph_load_execute"
"""The Celery task that works one off. Messages in the broker bear it, so it never changes."""


class GraphLoadStateMachine(SerialStateMachine[GraphLoad]):
    """The moves of loads."""

    def _closed(self, item: GraphLoad, reason: str, code: str) -> None:  # noqa: ARG002
        """The files of an ended load: removed, or kept for another attempt."""
        for file in filter(None, (item.file, item.names_file)):
            if item.status == Status.SUCCEEDED:
                transaction.on_commit(partial(upload_consume, file))
            else:
                upload_release(file)


def _explain(load: GraphLoad, error: Exception) -> str:
    return words_of_page(str(error), load) if isinstance(error, GraphLoadError | ValueError) else ""


graph_loads = GraphLoadStateMachine(
    GraphLoad.objects,
    TASK,
    given_up="The worker stopped {times} times while it loaded this: the graph may be too large for its memory. The "
    "graph that was there is as it was. See the worker's log, or load it by command on a larger machine.",
    disk_full="The disk of this site is full. The graph that was there is as it was. Free space, then try again.",
    broke="The load broke, and the graph that was there is as it was. See the worker's log, then try again.",
    explain=_explain,
)
