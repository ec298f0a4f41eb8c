"""Where the files of datasets lie.

The site offers the bundled sample, and what admins put into ``datasets`` in the home folder: a browser only ever names
one of them; no path of its own is opened. What was uploaded, and files whose rows hold the graphs of their questions,
are kept in ``dataset_files``, a folder for each dataset.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.conf import settings

from reasoning.datasets.errors import DatasetError
from reasoning.datasets.registry import FORMATS
from reasoning.datasets.sample_questions import SAMPLE_FOLDER
from reasoning.training.lessons.sources import data_folder
from webapp.platform.http.errors import ProductError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from webapp.datasets.models import Dataset

SAMPLE = "sample"
"""The name of the bundled sample's questions."""
PARTIAL = ".partial"
"""How the name of a file ends that is being copied."""
_SECOND = tuple(each.second.ending for each in FORMATS.values() if each.second is not None)
"""How names of files end that only say more of the questions of another file."""
_DEEPEST = 4
"""Maximum of parts of a file's name: ``metaqa/1-hop/dev.txt`` has three."""
_SUFFIXES = {".json", ".jsonl", ".tab", ".txt"}
_TELLING = (
    ("webqsp", "webqsp"),
    ("cwq", "cwq"),
    ("complexwebquestions", "cwq"),
    ("grailqa", "grailqa"),
    ("hop", "metaqa"),
    ("metaqa", "metaqa"),
    ("pq-", "pathquestion"),
    ("pql-", "pathquestion"),
    ("pathquestion", "pathquestion"),
    ("simplequestions", "simplequestions"),
    ("annotated_fb", "simplequestions"),
    ("annotated_wd", "simplequestions"),
    ("freebaseqa", "freebaseqa"),
    ("qald", "qald"),
    ("lcquad", "lcquad"),
    ("lc-quad", "lcquad"),
    ("subgraph", "rog"),
    ("rog", "rog"),
)
"""What a name holds, and the format that it most likely is of."""


@dataclass(frozen=True, slots=True)
class DatasetFile:
    """A file of questions."""

    name: str
    """What it is called on the site: its path within the folder."""
    path: Path
    likely_format: str
    bytes: int


def datasets_folder() -> Path:
    """Where admins put files of questions."""
    folder: Path = settings.ENVIRONMENT.home / "datasets"
    return folder


def dataset_files() -> list[DatasetFile]:
    """All files that are offered, the bundled sample first."""
    bundled = sum(path.stat().st_size for path in SAMPLE_FOLDER.glob("*.jsonl"))
    return [DatasetFile(SAMPLE, SAMPLE_FOLDER, "discern", bundled), *sorted(_files(), key=lambda file: file.name)]


def dataset_file(name: str) -> DatasetFile:
    """The file of a name.

    Raises:
        ProductError: none is offered under it.

    """
    found = next((file for file in dataset_files() if file.name == name), None)
    if found is None:
        message = f"There is no dataset “{name}”. Put its file into the site's folder “datasets”, then choose it again."
        raise ProductError(422, "unknown_dataset", message, dataset=name)
    return found


def dataset_path(name: str) -> Path:
    """Where the file of a name lies, for a worker.

    Raises:
        DatasetError: it is not offered any more.

    """
    try:
        return dataset_file(name).path
    except ProductError as error:
        raise DatasetError(error.message) from error


def dataset_name(path: Path) -> str:
    """What a file is called as a dataset: its path within the folder of datasets, else its own name."""
    if path.resolve() == SAMPLE_FOLDER.resolve():
        return SAMPLE
    for folder in (datasets_folder(), data_folder()):
        if folder is not None and path.resolve().is_relative_to(folder.resolve()):
            return str(path.resolve().relative_to(folder.resolve()))
    return path.name


def second_file(
    file: Path,
    format: str,  # noqa: A002 - what it is called everywhere
) -> Path | None:
    """The second file that the reader of a questions file needs; None if it needs none."""
    second = FORMATS[format].second
    return None if second is None else second.of(file)


def dataset_fingerprint(
    file: Path,
    format: str,  # noqa: A002 - what it is called everywhere
) -> str:
    """SHA-256 of a file in hexadecimal, as ``sha256sum`` has it; of several that are read together see `of_several`.

    Raises:
        DatasetError: it cannot be read.

    """
    try:
        digests = []
        for path in _read_together(file, format):
            with path.open("rb") as content:
                digests.append(hashlib.file_digest(content, "sha256").hexdigest())
    except OSError as error:
        raise DatasetError(f"{file} cannot be read: {error.strerror or error}.") from error
    return of_several(digests)


def of_several(digests: Sequence[str]) -> str:
    """The fingerprint of files that are read together, in their order: the SHA-256 of theirs, or the only one."""
    if len(digests) == 1:
        return digests[0]
    return hashlib.sha256(b"".join(map(bytes.fromhex, digests))).hexdigest()


def dataset_bytes(
    file: Path,
    format: str,  # noqa: A002 - what it is called everywhere
) -> int:
    """How large a file is, or those are together that are read with it."""
    return sum(path.stat().st_size for path in _read_together(file, format))


def kept_folder(dataset: Dataset) -> Path:
    """Where the file of a dataset is kept, if it is."""
    folder: Path = settings.ENVIRONMENT.home / "dataset_files" / str(dataset.pk)
    return folder


def kept_file(dataset: Dataset) -> Path | None:
    """The file that is kept of a dataset."""
    folder = kept_folder(dataset)
    kept = [path for path in folder.iterdir() if path.suffix != PARTIAL] if folder.is_dir() else []
    beside = {second_file(path, dataset.format) for path in kept}
    return next((path for path in kept if path not in beside), None)


def source_file(dataset: Dataset) -> Path:
    """The file that a dataset is loaded from, for a worker.

    Raises:
        DatasetError: it is gone, or was changed since.

    """
    kept = kept_file(dataset)
    if kept is not None:
        return kept
    path = dataset_path(dataset.file)
    if dataset_fingerprint(path, dataset.format) != dataset.file_sha256:
        raise DatasetError(f"The file “{dataset.file}” was changed since. Load it again: it becomes a new version.")
    return path


def _read_together(file: Path, format_: str) -> list[Path]:
    if file.is_dir():
        return sorted(file.glob("*.jsonl"))
    second = second_file(file, format_)
    return [file] if second is None else [file, second]


def _files() -> Iterator[DatasetFile]:
    folder = datasets_folder()
    for path in folder.rglob("*") if folder.is_dir() else ():
        name = path.relative_to(folder)
        hidden = any(part.startswith(".") for part in name.parts)
        if hidden or path.suffix not in _SUFFIXES or path.name.endswith(_SECOND) or len(name.parts) > _DEEPEST:
            continue
        if path.is_file():
            yield DatasetFile(str(name), path, likely_format(str(name)), path.stat().st_size)


def likely_format(name: str) -> str:
    """The format that a file of a name is most likely of."""
    return next((format_ for part, format_ in _TELLING if part in name.lower()), "discern")
