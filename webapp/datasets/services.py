"""What changes datasets. As with trainings, every move is one conditional UPDATE."""

from __future__ import annotations

import logging
import shutil
import uuid
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from django.db import IntegrityError, InterfaceError, OperationalError, transaction
from django.db.models import Max, ProtectedError, Q
from django.utils import timezone

from kgstore.characters import character_fault
from reasoning.datasets.errors import DatasetError
from reasoning.datasets.registry import FORMATS, dataset_format
from reasoning.datasets.sample_questions import SAMPLE_FOLDER
from webapp.accounts.audit import audited
from webapp.accounts.models import Audited
from webapp.accounts.permissions import Action, may_ensure
from webapp.datasets.files import (
    PARTIAL,
    SAMPLE,
    dataset_bytes,
    dataset_file,
    dataset_fingerprint,
    datasets_folder,
    kept_file,
    kept_folder,
    likely_format,
    source_file,
)
from webapp.datasets.loading import questions_load
from webapp.datasets.models import Dataset, MalformedEntry, Question
from webapp.disk import is_no_room, room_check
from webapp.http.errors import ProductError, room_ensure
from webapp.http.inputs import LONGEST_NAME
from webapp.redaction import without_folders
from webapp.uploads.services import upload_consume, upload_hold, upload_release
from webapp.work.lease import ClaimLostError, lapsed_lease, lease_renewed
from webapp.work.state_machine import StateMachine
from webapp.work.states import Status

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from webapp.accounts.models import User
    from webapp.accounts.viewer import Viewer
    from webapp.datasets.schemas import DatasetIn
    from webapp.uploads.models import Upload

log = logging.getLogger(__name__)

TASK = "datasets.load"
"""The Celery task that loads one. Messages in the broker bear it, so it never changes."""
NAMED_ANEW = 3
"""So often a version is drawn anew where somebody else took it meanwhile."""
DISK_FULL = "The disk of this site is full. Free space, then go on: what was stored is kept."
STOPPED = "The load was stopped. What was stored is kept; load the same file again, and it goes on there."


class DatasetBusyError(Exception):
    """A dataset is being loaded elsewhere; the message says so."""


class HandedBackError(Exception):
    """A load goes back to the queue: the worker is to stop, or somebody waits for it."""


def dataset_register(
    path: Path,
    *,
    name: str,
    format: str,  # noqa: A002 - what it is called everywhere
    file: str,
    starter: User | None = None,
    sha256: str = "",
) -> tuple[Dataset, bool]:
    """The row of a file under a name: the one that there is of the same content, else a new version; whether it is new.

    ``sha256`` is that of the file, where it is known.

    Raises:
        DatasetError: there is no such format, the file cannot be read, or the name cannot be a dataset's.

    """
    dataset_format(format)
    _name_check(name, path)
    wanted = {"name": name, "format": format, "file_sha256": sha256 or dataset_fingerprint(path)}
    for _ in range(NAMED_ANEW):
        if known := Dataset.objects.filter(**wanted).first():
            return known, False
        last = Dataset.objects.filter(name=name).aggregate(last=Max("version"))["last"] or 0
        try:
            with transaction.atomic():
                return Dataset.objects.create(
                    **wanted,
                    version=last + 1,
                    file=file[-300:],
                    file_bytes=dataset_bytes(path),
                    starter=starter,
                    enqueued_at=timezone.now(),
                ), True
        except IntegrityError:
            log.info("another version of the dataset %s was registered meanwhile", name)
    raise DatasetBusyError(f"Several files are being loaded as “{name}” at once. Try again.")


def dataset_create(*, wanted: DatasetIn, viewer: Viewer) -> Dataset:
    """Load a file that was sent, or one of the site's folder of datasets.

    Where the same file was loaded before under the same name, that is the one.

    Raises:
        ProductError: the viewer may not, there is no such file or format, or the name cannot be a dataset's.

    """
    may_ensure(viewer, Action.MANAGE_DATASETS)
    room_ensure()
    try:
        if wanted.upload is not None:
            return _begin(_of_upload(upload_hold(upload_id=wanted.upload, viewer=viewer), wanted, viewer), viewer)
        file = dataset_file(wanted.file)
        dataset, _ = dataset_register(
            file.path,
            name=wanted.name.strip() or file.name,
            format=wanted.format or file.likely_format,
            file=file.name,
            starter=viewer.user,
        )
        return _begin(dataset, viewer)
    except (DatasetError, DatasetBusyError) as error:
        raise ProductError(422, "dataset_refused", without_folders(str(error), datasets_folder())) from error


def dataset_cancel(*, dataset: Dataset, viewer: Viewer) -> Dataset:
    """Stop a load; what was stored stays, and nothing of it is offered. One that is over stays as it is.

    Raises:
        ProductError: the viewer may not.

    """
    may_ensure(viewer, Action.MANAGE_DATASETS)
    with transaction.atomic():
        if dataset_loads.close(dataset.pk, Status.CANCELLED):
            audited(viewer, Audited.DATASET_CANCELLED, _title(dataset), before=dataset.status)
    dataset.refresh_from_db()
    return dataset


def dataset_resume(*, dataset: Dataset, viewer: Viewer) -> Dataset:
    """Go on with a load that was stopped or failed.

    Raises:
        ProductError: the viewer may not, or the file is gone.

    """
    may_ensure(viewer, Action.MANAGE_DATASETS)
    room_ensure()
    if dataset.is_loaded:
        return dataset
    try:
        source_file(dataset)
    except DatasetError as error:
        message = f"This cannot go on here: {without_folders(str(error), datasets_folder())}"
        raise ProductError(409, "file_gone", message) from error
    return _begin(dataset, viewer)


def dataset_archive(*, dataset: Dataset, viewer: Viewer, archived: bool) -> Dataset:
    """Offer a dataset no more, or again; what points at it stays as it is.

    Raises:
        ProductError: the viewer may not.

    """
    may_ensure(viewer, Action.MANAGE_DATASETS)
    with transaction.atomic():
        changed = Dataset.objects.filter(pk=dataset.pk, archived_at__isnull=archived)
        if changed.update(archived_at=timezone.now() if archived else None):
            what = Audited.DATASET_ARCHIVED if archived else Audited.DATASET_RESTORED
            audited(viewer, what, _title(dataset))
    dataset.refresh_from_db()
    return dataset


def dataset_remove(*, dataset: Dataset, viewer: Viewer) -> None:
    """Remove a dataset at which nothing points, with its questions and its kept file.

    Raises:
        ProductError: the viewer may not, it is being loaded, or something points at it.

    """
    may_ensure(viewer, Action.MANAGE_DATASETS)
    if not dataset.is_over:
        raise ProductError(409, "dataset_busy", "This dataset is being loaded. Stop that first.")
    if count := dataset.evaluations.count():
        told = "An evaluation points" if count == 1 else f"{count:,} evaluations point"
        message = f"{told} at this dataset, so it stays. Archive it instead: then it is offered no more."
        raise ProductError(409, "dataset_in_use", message, evaluations=count)
    try:
        with transaction.atomic():
            Question.objects.filter(dataset=dataset).delete()
            MalformedEntry.objects.filter(dataset=dataset).delete()
            dataset.delete()
            audited(viewer, Audited.DATASET_REMOVED, _title(dataset), before=f"{dataset.questions_stored:,} questions")
    except ProtectedError as error:
        message = "Something began to use this dataset just now, so it stays. Look again."
        raise ProductError(409, "dataset_in_use", message) from error
    shutil.rmtree(kept_folder(dataset), ignore_errors=True)


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


def _of_upload(upload: Upload, wanted: DatasetIn, viewer: Viewer) -> Dataset:
    """The dataset of a file that was sent; the file is kept for its load, or let go where that is done."""
    try:
        dataset, _ = dataset_register(
            upload.path,
            name=wanted.name.strip() or Path(upload.name).stem,
            format=wanted.format or likely_format(upload.name),
            file=upload.name,
            starter=viewer.user,
            sha256=upload.sha256,
        )
    except (DatasetError, DatasetBusyError):
        upload_release(upload)
        raise
    if not dataset.is_loaded and kept_file(dataset) is None:
        folder = kept_folder(dataset)
        folder.mkdir(parents=True, exist_ok=True)
        upload.path.replace(folder / upload.path.name)
    upload_consume(upload)
    return dataset


def _begin(dataset: Dataset, viewer: Viewer) -> Dataset:
    """Queue a load that is not under way nor done."""
    with transaction.atomic():
        began = Dataset.objects.filter(pk=dataset.pk).exclude(status__in=(Status.RUNNING, Status.SUCCEEDED))
        if began.update(status=Status.QUEUED, reason="", attempts=0, finished_at=None, enqueued_at=timezone.now()):
            audited(viewer, Audited.DATASET_LOADED, _title(dataset), after=f"{dataset.format}, {dataset.file}")
            transaction.on_commit(partial(dataset_loads.deliver, dataset.pk))
    dataset.refresh_from_db()
    return dataset


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
    if FORMATS[dataset.format].own_graphs and kept_file(dataset) is None:
        # Each row holds the graph of its question, which is asked long after the load.
        room_check()
        _copy_keep(dataset, path)
    questions_load(dataset, path, stored=stored)
    if not FORMATS[dataset.format].own_graphs:
        shutil.rmtree(kept_folder(dataset), ignore_errors=True)


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


def _why_lost(dataset: Dataset) -> str:
    """Why no worker finds the file of a load: the command was given one from elsewhere."""
    try:
        source_file(dataset)
    except DatasetError:
        return STOPPED
    return ""


def _name_check(name: str, path: Path) -> None:
    if not name.strip() or len(name) > LONGEST_NAME or character_fault(name):
        raise DatasetError(f"A dataset's name has 1 to {LONGEST_NAME} characters, and none that cannot be stored.")
    if name == SAMPLE and path.resolve() != SAMPLE_FOLDER.resolve():
        raise DatasetError(f"“{SAMPLE}” is the name of the bundled sample. Choose another name.")


def _title(dataset: Dataset) -> str:
    return f"{dataset.name}, version {dataset.version}"


dataset_loads = StateMachine(
    Dataset.objects,
    TASK,
    "The worker stopped {times} times while it loaded this. See its log, then go on with it.",
    why_lost=_why_lost,
)
datasets_recover = dataset_loads.recover
