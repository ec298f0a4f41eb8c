"""What loads a dataset: a worker, or a command."""

from __future__ import annotations

import logging
import shutil
import uuid
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

from django.db import InterfaceError, OperationalError
from django.db.models import Q
from django.utils import timezone

from reasoning.datasets.errors import DatasetError
from reasoning.datasets.registry import FORMATS
from reasoning.datasets.sample_questions import SAMPLE_FOLDER
from webapp.datasets.files import (
    PARTIAL,
    datasets_folder,
    kept_file,
    kept_folder,
    source_file,
)
from webapp.datasets.loading import questions_load
from webapp.datasets.models import Dataset
from webapp.datasets.transitions import STOPPED, dataset_loads
from webapp.platform.disk import is_no_room, room_check
from webapp.platform.redaction import without_folders
from webapp.platform.work.lease import ClaimLostError, lapsed_lease, lease_renewed
from webapp.platform.work.states import Status

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


log = logging.getLogger(__name__)

DISK_FULL = "The disk of this site is full. Free space, then go on: what was stored is kept."


class DatasetBusyError(Exception):
    """A dataset is being loaded elsewhere; the message says so."""


class HandedBackError(Exception):
    """A load goes back to the queue: the worker is to stop, or somebody waits for it."""


def dataset_load(dataset: Dataset, path: Path, *, stored: Callable[[], None] = lambda: None) -> Dataset:
    """Load a dataset here and now, unless it is loaded; ``stored`` is called after each batch of questions.

    Where ``stored`` raises `HandedBackError`, what is left is for another worker.

    Raises:
        DatasetBusyError: somebody else loads it now.
        DatasetError: the file cannot be read, is not of the format, or holds no question.
        ClaimLostError: it was cancelled meanwhile.
        NoRoomError: the disk is nearly full.

    """
    if dataset.is_loaded:
        return dataset
    free = ~Q(status=Status.RUNNING) | lapsed_lease(timezone.now())
    with _claimed(dataset, free):
        _load(dataset, path, stored)
    dataset.refresh_from_db()
    return dataset


def dataset_work(
    *,
    dataset_id: uuid.UUID,
    stopping: Callable[[], bool] = lambda: False,
    gives_way: Callable[[], bool] = lambda: False,
) -> None:
    """Work a load off; safe to call twice: only who wins the claim works.

    Where ``stopping`` becomes true, or the load ``gives_way`` to somebody who waits, it goes back to the queue, but not
    before something was stored, so that it comes to its end.
    """

    def stored() -> None:
        if stopping() or gives_way():
            raise HandedBackError

    dataset = Dataset.objects.filter(pk=dataset_id).first()
    if dataset is None:
        return
    try:
        with _claimed(dataset, Q(status=Status.QUEUED)):
            _load(dataset, source_file(dataset), stored)
    except DatasetBusyError:
        log.info("dataset %s is not to be loaded, or is by somebody else", dataset_id)
    except ClaimLostError:
        log.info("dataset %s was cancelled or taken over", dataset_id)
    except HandedBackError:
        log.info("dataset %s goes back to the queue", dataset_id)
    except DatasetError as error:
        log.warning("dataset %s cannot be loaded: %s", dataset_id, error)
    except (OperationalError, InterfaceError) as error:
        dataset_loads.fail_unwritten(dataset, error, DISK_FULL)
    except Exception as error:
        if is_no_room(error):
            dataset_loads.fail_unwritten(dataset, error, DISK_FULL)
        else:
            log.exception("dataset %s broke", dataset_id)
            dataset_loads.fail(dataset, "The load broke. See the worker's log, then go on with it.")


@contextmanager
def _claimed(dataset: Dataset, free: Q) -> Iterator[None]:
    """Hold a dataset's load while it runs; what ends it otherwise than well is written down.

    Raises:
        DatasetBusyError: it is not free.

    """
    if dataset_loads.claim(dataset.pk, free=free) is None:
        raise DatasetBusyError(f"“{dataset.name}” is being loaded by another process. Wait until that is done.")
    dataset.refresh_from_db()
    try:
        with lease_renewed(dataset.pk, partial(dataset_loads.renew, dataset)):
            yield
    except HandedBackError:
        dataset_loads.release(dataset)
        raise
    except DatasetError as error:
        dataset_loads.fail(dataset, without_folders(str(error), datasets_folder(), SAMPLE_FOLDER))
        raise
    except KeyboardInterrupt:
        dataset_loads.close(dataset.pk, Status.CANCELLED, STOPPED, only=Q(claim=dataset.claim))
        raise


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
