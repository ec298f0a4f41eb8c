"""The dataset files that the site offers: the bundled sample, and what admins put into ``datasets`` in the home folder.

A browser only ever names one of them; no path of its own is opened.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.conf import settings

from reasoning.datasets.errors import DatasetError
from reasoning.datasets.sample_questions import SAMPLE_FOLDER
from webapp.errors import ProductError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SAMPLE = "sample"
"""The name of the bundled sample's questions."""
_BESIDE = "_qtype.txt"
"""How names of files end that only say more of the questions of the file beside them (MetaQA)."""
_DEEPEST = 4
"""So many names may stand in a file's own: ``metaqa/1-hop/dev.txt`` has three."""
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


def dataset_fingerprint(file: Path) -> str:
    """SHA-256 of a file, or of a folder's files by name, in hexadecimal."""
    digest = hashlib.sha256()
    for path in sorted(file.glob("*.jsonl")) if file.is_dir() else [file]:
        with path.open("rb") as content:
            digest.update(hashlib.file_digest(content, "sha256").digest())
    return digest.hexdigest()


def _files() -> Iterator[DatasetFile]:
    folder = datasets_folder()
    for path in folder.rglob("*") if folder.is_dir() else ():
        name = path.relative_to(folder)
        hidden = any(part.startswith(".") for part in name.parts)
        if hidden or path.suffix not in _SUFFIXES or path.name.endswith(_BESIDE) or len(name.parts) > _DEEPEST:
            continue
        if path.is_file():
            yield DatasetFile(str(name), path, _likely_format(str(name)), path.stat().st_size)


def _likely_format(name: str) -> str:
    return next((format_ for part, format_ in _TELLING if part in name.lower()), "discern")
