"""The moves of a dataset's load: each is one conditional UPDATE."""

from __future__ import annotations

from reasoning.datasets.errors import DatasetError
from reasoning.datasets.sample_questions import SAMPLE_FOLDER
from webapp.datasets.files import datasets_folder, source_file
from webapp.datasets.models import Dataset
from webapp.platform.redaction import without_folders
from webapp.platform.work.state_machine import StateMachine

TASK = "datasets.load"
"""The Celery task that loads one. Messages in the broker bear it, so it never changes."""
STOPPED = "The load was stopped. What was stored is kept; load the same file again, and it resumes there."


def _why_lost(dataset: Dataset) -> str:
    """Why no worker finds the file of a load: the command was given one from elsewhere."""
    try:
        source_file(dataset)
    except DatasetError:
        return STOPPED
    return ""


def _explain(_: Dataset, error: Exception) -> str:
    return without_folders(str(error), datasets_folder(), SAMPLE_FOLDER) if isinstance(error, DatasetError) else ""


dataset_loads = StateMachine(
    Dataset.objects,
    TASK,
    given_up="The worker stopped {times} times while it loaded this. See its log, then go on with it.",
    disk_full="The disk of this site is full. Free space, then go on: what was stored is kept.",
    broke="The load broke. See the worker's log, then go on with it.",
    explain=_explain,
    why_lost=_why_lost,
)
