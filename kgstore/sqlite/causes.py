"""Why SQLite could not do something: its result codes, gathered into causes that call for different deeds."""

from __future__ import annotations

import sqlite3
from enum import Enum

from kgstore.disk import is_disk_full

_PRIMARY = 0xFF
"""The low byte of an extended result code is the primary one."""
_OVER_A_LIMIT = ("too big", "too large", "too many", "too complex", "too deep", "stack overflow", "too long")
"""What SQLite says of limits that have no code of their own."""
_NOT_WHAT_WAS_WRITTEN = ("no such table", "no such column", "could not decode", "malformed")


class SqliteCause(Enum):
    """What went wrong."""

    BUSY = "busy"
    """Another connection holds a lock."""
    MEMORY = "memory"
    TOO_LARGE = "too_large"
    """A text, a query or its parameters are over a limit."""
    FULL = "full"
    """There is no room on the disk."""
    READ_ONLY = "read_only"
    """The file, its folder or the file system may not be written."""
    NOT_OPENED = "not_opened"
    """The file is not there, is no file, or may not be read."""
    INPUT_OUTPUT = "input_output"
    """The disk gives errors."""
    DAMAGED = "damaged"
    """The file is no database, or not a whole one."""
    CLOSED = "closed"
    """The connection was closed."""
    REFUSED = "refused"
    """Anything else: most likely the query is wrong."""


_CAUSES = {
    sqlite3.SQLITE_BUSY: SqliteCause.BUSY,
    sqlite3.SQLITE_LOCKED: SqliteCause.BUSY,
    sqlite3.SQLITE_PROTOCOL: SqliteCause.BUSY,
    sqlite3.SQLITE_INTERRUPT: SqliteCause.BUSY,
    sqlite3.SQLITE_SCHEMA: SqliteCause.BUSY,
    sqlite3.SQLITE_NOMEM: SqliteCause.MEMORY,
    sqlite3.SQLITE_TOOBIG: SqliteCause.TOO_LARGE,
    sqlite3.SQLITE_READONLY: SqliteCause.READ_ONLY,
    sqlite3.SQLITE_PERM: SqliteCause.READ_ONLY,
    sqlite3.SQLITE_CANTOPEN: SqliteCause.NOT_OPENED,
    sqlite3.SQLITE_IOERR: SqliteCause.INPUT_OUTPUT,
    sqlite3.SQLITE_CORRUPT: SqliteCause.DAMAGED,
    sqlite3.SQLITE_NOTADB: SqliteCause.DAMAGED,
}


def sqlite_cause(error: sqlite3.Error) -> SqliteCause:
    """The cause of an error of SQLite."""
    if is_disk_full(error):
        return SqliteCause.FULL
    code = getattr(error, "sqlite_errorcode", None)
    said = str(error).lower()
    if code is None:
        # Python's own complaints have no code.
        return SqliteCause.CLOSED if "closed" in said else _by_words(said)
    if code == sqlite3.SQLITE_IOERR_SHORT_READ:
        return SqliteCause.DAMAGED
    return _CAUSES.get(code & _PRIMARY) or _by_words(said)


def _by_words(said: str) -> SqliteCause:
    if any(sign in said for sign in _OVER_A_LIMIT):
        return SqliteCause.TOO_LARGE
    if any(sign in said for sign in _NOT_WHAT_WAS_WRITTEN):
        return SqliteCause.DAMAGED
    return SqliteCause.REFUSED
