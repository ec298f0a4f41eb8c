"""Files that are written whole or not at all, and whether a full disk is why one could not be."""

from __future__ import annotations

import errno
import gzip
import io
import sqlite3
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, cast

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_SQLITE_FULL = {"SQLITE_FULL", "SQLITE_IOERR_WRITE", "SQLITE_IOERR_TRUNCATE", "SQLITE_IOERR_SHMSIZE"}
"""SQLite says FULL only where there is no space; over a quota or a limit on file size it says that writing failed."""


def is_disk_full(error: BaseException) -> bool:
    """Whether an error, or one that it was raised from, says that the disk, a quota or the largest file is full."""
    link: BaseException | None = error
    while link is not None:
        if isinstance(link, OSError) and link.errno in _FULL:
            return True
        if isinstance(link, sqlite3.Error) and getattr(link, "sqlite_errorname", "") in _SQLITE_FULL:
            return True
        # PostgreSQL's code for a full disk.
        if getattr(link, "sqlstate", None) == "53100":
            return True
        link = link.__cause__ or link.__context__
    return False


def why_not_written(error: OSError | sqlite3.Error) -> str:
    """Why a file could not be written and what to do, as the end of a sentence."""
    if is_disk_full(error):
        return "the disk is full, so what was written of it was removed. Free space, then start this again."
    return f"{getattr(error, 'strerror', None) or error}."


@contextmanager
def written_whole(path: Path) -> Iterator[IO[bytes]]:
    """A file to write, gzipped where the name ends in .gz. It takes its place at the end; nothing is left if it fails.

    Raises:
        OSError: it cannot be written.

    """
    temporary = path.with_name(f".{path.name}.writing")
    try:
        with temporary.open("wb") as raw:
            if path.suffix == ".gz":
                # Without a name and a time the same content is the same file.
                with gzip.GzipFile("", "wb", 6, raw, mtime=0) as packed, io.BufferedWriter(packed) as buffered:
                    yield cast("IO[bytes]", buffered)
            else:
                yield raw
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
