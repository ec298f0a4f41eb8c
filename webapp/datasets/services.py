"""What people change of datasets: they load, stop, archive and remove them."""

from __future__ import annotations

import hashlib
import logging
import shutil
import uuid
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from django.db import IntegrityError, transaction
from django.db.models import Max, ProtectedError, Q
from django.utils import timezone

from kgstore.characters import character_fault
from reasoning.datasets.errors import DatasetError
from reasoning.datasets.identity import SnapshotDigest
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
    of_several,
    second_file,
    source_file,
)
from webapp.datasets.models import Dataset, MalformedEntry, Question
from webapp.datasets.transitions import dataset_loads
from webapp.datasets.worker import DatasetBusyError
from webapp.platform.dependents import Thing, dependents_count
from webapp.platform.http.errors import ProductError, room_ensure
from webapp.platform.http.inputs import MAX_NAME_LENGTH
from webapp.platform.redaction import without_folders
from webapp.platform.work.states import Status
from webapp.uploads.services import upload_consume, upload_hold, upload_release

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from webapp.accounts.models import User
    from webapp.accounts.viewer import Viewer
    from webapp.datasets.schemas import DatasetIn
    from webapp.uploads.models import Upload

log = logging.getLogger(__name__)

_ROWS_AT_ONCE = 500
MAX_NAME_ATTEMPTS = 3
"""Maximum attempts to draw a version number, as another process may take one meanwhile."""


def dataset_register(
    path: Path,
    *,
    name: str,
    format: str,  # noqa: A002 - what it is called everywhere
    file: str,
    starter: User | None = None,
    sent: Sequence[Upload] = (),
    again: bool = False,
) -> tuple[Dataset, bool]:
    """The row of a file under a name, and whether it is new: a row for each content, and for each way of reading it.

    ``sent`` are the files that are read together, the questions first, where they were sent and ``path`` is the first.
    With ``again``, a file that is already loaded gets another row, which is the next version.

    Raises:
        DatasetError: there is no such format, the file cannot be read, or the name cannot be a dataset's.

    """
    about = dataset_format(format)
    if len(sent) > 1 and about.second is None:
        raise DatasetError(f"A file of {about.title} comes alone. Send it without a second one.")
    _name_check(name, path)
    fingerprint = of_several([each.sha256 for each in sent]) if sent else dataset_fingerprint(path, format)
    wanted = {"name": name, "format": format, "file_sha256": fingerprint, "reader_version": about.reader_version}
    second_path = None if sent else second_file(path, format)
    second = sent[1].name if len(sent) > 1 else "" if second_path is None else second_path.name
    for _ in range(MAX_NAME_ATTEMPTS):
        known = Dataset.objects.filter(**wanted).order_by("-reading").first()
        if known is not None and not (again and known.is_loaded):
            return known, False
        last = Dataset.objects.filter(name=name).aggregate(last=Max("version"))["last"] or 0
        try:
            with transaction.atomic():
                return Dataset.objects.create(
                    **wanted,
                    version=last + 1,
                    reading=1 if known is None else known.reading + 1,
                    file=file[-300:],
                    # Files that are kept have the names by which the reader finds them, not their own.
                    second_file=second if known is None else known.second_file,
                    file_bytes=sum(each.bytes for each in sent) or dataset_bytes(path, format),
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
            return _begin(_of_uploads(_held(wanted, viewer), wanted, viewer), viewer)
        if wanted.second is not None:
            message = "A file of the site is read together with its second file. Send both files, or neither."
            raise ProductError(422, "second_file", message)
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
    """Stop a load; what was stored stays, and nothing of it is offered. An ended one stays as it is.

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


def dataset_reread(*, dataset: Dataset, viewer: Viewer) -> Dataset:
    """Read a loaded dataset's file again, as the next version; one that is not loaded is resumed.

    Raises:
        ProductError: the viewer may not, or the file is gone.

    """
    may_ensure(viewer, Action.MANAGE_DATASETS)
    room_ensure()
    try:
        path = source_file(dataset)
        again, is_new = dataset_register(
            path, name=dataset.name, format=dataset.format, file=dataset.file, starter=viewer.user, again=True
        )
    except (DatasetError, DatasetBusyError) as error:
        reason = without_folders(str(error), datasets_folder())
        message = f"This cannot be read again: {reason} Load the same file under the same name, then try again."
        raise ProductError(409, "file_gone", message) from error
    if is_new and kept_file(dataset) is not None:
        _keep(again, [(each, each.name) for each in path.parent.iterdir()], shutil.copyfile)
    return _begin(again, viewer)


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
    """Remove a dataset on which nothing depends, with its questions and its kept file.

    Raises:
        ProductError: the viewer may not, it is being loaded, or something depends on it.

    """
    may_ensure(viewer, Action.MANAGE_DATASETS)
    if not dataset.is_over:
        raise ProductError(409, "dataset_busy", "This dataset is being loaded. Stop that first.")
    if found := dependents_count(Thing.DATASET, dataset.pk):
        depend = "depends" if sum(count for _, count in found) == 1 else "depend"
        message = (
            f"{' and '.join(f'{count:,} {what}' for what, count in found)} {depend} on this dataset, so it is kept. "
            "Archive it instead: it is then no longer offered."
        )
        raise ProductError(409, "dataset_in_use", message, evaluations=dataset.evaluations.count())
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


def question_forget(*, question: Question) -> None:
    """Take a question out of a dataset of what people asked, since who asked it deleted it.

    What is left has an identity of its own, and is not what its file holds any more.
    """
    dataset = question.dataset
    with transaction.atomic():
        Dataset.objects.select_for_update().get(pk=dataset.pk)
        question.delete()
        digest = SnapshotDigest()
        splits: Counter[str] = Counter()
        problems: Counter[str] = Counter()
        for row in dataset.questions.order_by("position").iterator(_ROWS_AT_ONCE):
            digest.add(row.document)
            splits[row.split] += 1
            problems[row.to_benchmark().gold_problem] += 1
        del problems[""]
        Dataset.objects.filter(pk=dataset.pk).update(
            questions_stored=splits.total(),
            gold_missing=dict(problems),
            train=splits["train"],
            validation=splits["validation"],
            identity=digest.hexdigest(),
            file_sha256=hashlib.sha256(f"{dataset.file_sha256} without {question.identity}".encode()).hexdigest(),
        )


def _held(wanted: DatasetIn, viewer: Viewer) -> list[Upload]:
    """The files that were sent, the questions first, held for the load: all of them or none."""
    with transaction.atomic():
        return [upload_hold(upload_id=each, viewer=viewer) for each in (wanted.upload, wanted.second) if each]


def _of_uploads(sent: Sequence[Upload], wanted: DatasetIn, viewer: Viewer) -> Dataset:
    """The dataset of files that were sent; they are kept for its load, or let go where that is done."""
    questions = sent[0]
    try:
        dataset, _ = dataset_register(
            questions.path,
            name=wanted.name.strip() or Path(questions.name).stem,
            format=wanted.format or likely_format(questions.name),
            file=questions.name,
            starter=viewer.user,
            sent=sent,
        )
    except (DatasetError, DatasetBusyError):
        for upload in sent:
            upload_release(upload)
        raise
    if kept_file(dataset) is None:
        _keep_sent(dataset, sent)
    for upload in sent:
        upload_consume(upload)
    return dataset


def _keep_sent(dataset: Dataset, sent: Sequence[Upload]) -> None:
    """Keep files that were sent for a dataset: all of them at once, under the names by which its reader finds them."""
    second = FORMATS[dataset.format].second
    questions = sent[0].path.name
    names = (questions, second and second.name_for(questions))
    _keep(dataset, [(upload.path, str(name)) for upload, name in zip(sent, names, strict=False)], Path.replace)


def _keep(dataset: Dataset, files: Sequence[tuple[Path, str]], place: Callable[[Path, Path], object]) -> None:
    """Keep files for a dataset under names: all of them at once. ``place`` moves or copies each."""
    folder = kept_folder(dataset)
    partial = folder.with_name(f"{uuid.uuid4()}{PARTIAL}")
    partial.mkdir(parents=True)
    for path, name in files:
        place(path, partial / name)
    partial.replace(folder)


def _begin(dataset: Dataset, viewer: Viewer) -> Dataset:
    """Queue a load that is not under way nor done."""
    with transaction.atomic():
        if dataset_loads.resume(dataset, free=~Q(status__in=(Status.RUNNING, Status.SUCCEEDED))):
            audited(viewer, Audited.DATASET_LOADED, _title(dataset), after=f"{dataset.format}, {dataset.file}")
    dataset.refresh_from_db()
    return dataset


def _name_check(name: str, path: Path) -> None:
    if not name.strip() or len(name) > MAX_NAME_LENGTH or character_fault(name):
        raise DatasetError(f"A dataset's name has 1 to {MAX_NAME_LENGTH} characters, and none that cannot be stored.")
    if name == SAMPLE and path.resolve() != SAMPLE_FOLDER.resolve():
        raise DatasetError(f"“{SAMPLE}” is the name of the bundled sample. Choose another name.")


def _title(dataset: Dataset) -> str:
    return f"{dataset.name}, version {dataset.version}"
