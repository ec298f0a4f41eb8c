"""The SQLite database of a site that has no other."""

from __future__ import annotations

import sqlite3
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

from django.conf import settings

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def database_held_open() -> Iterator[None]:
    """Keep the companion files of a SQLite database, its log and the log's index, for the duration of the block.

    Closing the last connection removes them, and the next connection must create them again; on a full disk it cannot,
    and it could not even be read.
    """
    database = settings.DATABASES["default"]
    if database["ENGINE"] != "django.db.backends.sqlite3":
        yield
        return
    with closing(sqlite3.connect(database["NAME"])) as connection:
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        yield
