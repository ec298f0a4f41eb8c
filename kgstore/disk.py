"""Whether something could not be written because the disk is full."""

from __future__ import annotations

import errno
import sqlite3

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
