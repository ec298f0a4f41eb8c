"""A file with the ids of questions, one a line: what two commands or two runs ask alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reasoning.datasets.errors import DatasetError

if TYPE_CHECKING:
    from pathlib import Path


def question_ids(path: Path | None) -> frozenset[str] | None:
    """The ids of a file; None without one.

    Raises:
        DatasetError: it cannot be read.

    """
    if path is None:
        return None
    try:
        return frozenset(line.strip() for line in path.read_text(encoding="utf-8").splitlines() if line.strip())
    except (OSError, UnicodeDecodeError) as error:
        raise DatasetError(f"{path} cannot be read: {error}.") from error
