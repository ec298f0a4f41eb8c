"""The moves of a dataset's load: each is one conditional UPDATE."""

from __future__ import annotations

from reasoning.datasets.errors import DatasetError
from webapp.datasets.files import source_file
from webapp.datasets.models import Dataset
from webapp.platform.work.state_machine import StateMachine

TASK = "datasets.load"
"""The Celery task that loads one. Messages in the broker bear it, so it never changes."""
STOPPED = "The load was stopped. What was stored is kept; load the same file again, and it goes on there."


def _why_lost(dataset: Dataset) -> str:
    """Why no worker finds the file of a load: the command was given one from elsewhere."""
    try:
        source_file(dataset)
    except DatasetError:
        return STOPPED
    return ""


dataset_loads = StateMachine(
    Dataset.objects,
    TASK,
    "The worker stopped {times} times while it loaded this. See its log, then go on with it.",
    why_lost=_why_lost,
)
datasets_recover = dataset_loads.recover
