"""The work of judging evaluations under overlays: its task and its moves."""

from __future__ import annotations

from kgstore.loading.errors import GraphLoadError
from reasoning.datasets.errors import DatasetError
from webapp.datasets.files import datasets_folder
from webapp.evaluations.overlays.models import OverlaidEvaluation
from webapp.platform.redaction import without_folders
from webapp.platform.work.state_machine import StateMachine

TASK = "overlays.judge"
"""The Celery task that works one off. Messages in the broker bear it, so it never changes."""


def _explain(_: OverlaidEvaluation, error: Exception) -> str:
    return without_folders(str(error), datasets_folder()) if isinstance(error, DatasetError | GraphLoadError) else ""


judging = StateMachine(
    OverlaidEvaluation.objects,
    TASK,
    given_up="The worker stopped {times} times while it judged answers under these corrections. See its log, then try "
    "again.",
    disk_full="The disk of this site is full, so these figures could not be kept. Free space, then try again.",
    broke="Judging under these corrections broke. See the worker's log, then try again.",
    explain=_explain,
)
