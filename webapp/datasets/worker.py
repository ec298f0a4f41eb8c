"""What loads a dataset: a worker, or a command."""

from __future__ import annotations

import shutil
import uuid
from typing import TYPE_CHECKING

from django.db.models import Q
from django.utils import timezone

from reasoning.datasets.errors import DatasetError
from reasoning.datasets.registry import FORMATS
from webapp.datasets.files import PARTIAL, kept_file, kept_folder, source_file
from webapp.datasets.loading import questions_load
from webapp.datasets.transitions import STOPPED, dataset_loads
from webapp.platform.disk import room_check
from webapp.platform.work.lease import lapsed_lease
from webapp.platform.work.states import Status
from webapp.platform.work.turn import turn_at
from webapp.platform.work.worker import worker_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from webapp.datasets.models import Dataset
    from webapp.platform.work.turn import Turn


class DatasetBusyError(Exception):
    """A dataset is being loaded elsewhere; the message says so."""


@worker_of(dataset_loads)
def dataset_work(turn: Turn[Dataset]) -> None:
    """Load a dataset; it is handed back only after something was stored, so that it comes to its end."""
    _load(turn.item, source_file(turn.item), turn.yield_point)


def dataset_load(dataset: Dataset, path: Path, *, stored: Callable[[], None] = lambda: None) -> Dataset:
    """Load a dataset here and now, unless it is loaded; ``stored`` is called after each batch of questions.

    Where ``stored`` raises `HandedBackError`, what is left is for another worker.

    Raises:
        DatasetBusyError: another worker is loading it.
        DatasetError: the file cannot be read, is not of the format, or holds no question.
        ClaimLostError: it was cancelled meanwhile.
        NoRoomError: the disk is nearly full.

    """
    if dataset.is_loaded:
        return dataset
    free = ~Q(status=Status.RUNNING) | lapsed_lease(timezone.now())
    if dataset_loads.claim(dataset.pk, free=free) is None:
        raise DatasetBusyError(f"“{dataset.name}” is being loaded by another process. Wait until that is done.")
    dataset.refresh_from_db()
    try:
        with turn_at(dataset_loads, dataset, raises=True):
            _load(dataset, path, stored)
    except KeyboardInterrupt:
        dataset_loads.close(dataset.pk, Status.CANCELLED, STOPPED, only=Q(claim=dataset.claim))
        raise
    dataset.refresh_from_db()
    return dataset


def _load(dataset: Dataset, path: Path, stored: Callable[[], None]) -> None:
    if dataset.reader_version != FORMATS[dataset.format].reader_version:
        raise DatasetError(
            f"A part of “{dataset.file}” was read by an earlier version of Discern, which read it otherwise. "
            "Load the file again: it becomes a new version."
        )
    if FORMATS[dataset.format].own_graphs and kept_file(dataset) is None:
        # Each row holds the graph of its question, which is asked long after the load.
        room_check()
        _copy_keep(dataset, path)
    questions_load(dataset, path, stored=stored)


def _copy_keep(dataset: Dataset, path: Path) -> None:
    """Keep a copy of a file for a dataset."""
    folder = kept_folder(dataset)
    folder.mkdir(parents=True, exist_ok=True)
    copy = folder / f"{uuid.uuid4()}{PARTIAL}"
    try:
        shutil.copyfile(path, copy)
        copy.replace(folder / path.name)
    finally:
        copy.unlink(missing_ok=True)
