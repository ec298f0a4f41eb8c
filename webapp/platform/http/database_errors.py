"""Why the site's own database could not do something, as an answer that says whether trying again is useful."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

from django.db import DataError, InterfaceError, OperationalError

from kgstore.disk import is_disk_full
from kgstore.sqlite.causes import SqliteCause, sqlite_cause
from webapp.platform.disk import DISK_FULL, REFUSED
from webapp.platform.http.errors import ProductError

if TYPE_CHECKING:
    from django.db import DatabaseError

WAIT_SECONDS = 2
"""When to try again if another process has locked the database."""

_BY_SQLITE = {
    SqliteCause.BUSY: "busy",
    SqliteCause.READ_ONLY: "read_only",
}
_BY_SQLSTATE = {
    "40": "busy",  # transaction rollback: a deadlock, a serialization failure
    "55P03": "busy",
    "25006": "read_only",
}


def database_error(error: DatabaseError) -> ProductError | None:
    """The answer to a request that met an error of the database; None where it is a fault of ours."""
    if isinstance(error, DataError):
        return ProductError(422, "invalid_request", "This request holds something that cannot be stored.", faults=[])
    if not isinstance(error, OperationalError | InterfaceError):
        return None
    code = DISK_FULL if is_disk_full(error) else _code(error)
    if code == "busy":
        message = "The site is busy. Try again in a moment."
        return ProductError(503, "busy", message, wait_seconds=WAIT_SECONDS)
    if code == DISK_FULL:
        return ProductError(503, DISK_FULL, REFUSED)
    if code == "read_only":
        message = "The site cannot write anything down. Tell the administrator."
        return ProductError(503, "read_only", message)
    return ProductError(503, "database_unavailable", "The site's database cannot be used. Try again in a minute.")


def _code(error: DatabaseError) -> str | None:
    cause = error.__cause__
    if isinstance(cause, sqlite3.Error):
        return _BY_SQLITE.get(sqlite_cause(cause))
    # Errors of psycopg have it. Only a site with PostgreSQL imports that: looking for its C library takes long.
    state = getattr(cause, "sqlstate", None) or ""
    return _BY_SQLSTATE.get(state) or _BY_SQLSTATE.get(state[:2])
