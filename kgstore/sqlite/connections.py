"""Read-only connections to one version of a graph file, shared between threads."""

from __future__ import annotations

import logging
import queue
import sqlite3
from contextlib import contextmanager
from typing import TYPE_CHECKING
from urllib.parse import quote

from kgstore.sqlite.errors import explained, open_fault
from kgstore.sqlite.format import APPLICATION_ID, READABLE_VERSIONS
from kgstore.store import GraphStoreError
from kgstore.store_parts.errors import GraphClosedError, GraphDamagedError, GraphVersionError, StoreFaultError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

log = logging.getLogger(__name__)

_NOT_WHAT_WAS_WRITTEN = (ArithmeticError, LookupError, TypeError, ValueError)
"""What reading rows raises that no loader wrote."""
_OPTIONS = """
PRAGMA temp_store = MEMORY;
PRAGMA cache_size = -65536;
CREATE VIRTUAL TABLE temp.vocabulary USING fts5vocab(main, words, row);
PRAGMA query_only = ON;
"""
"""``vocabulary`` shows the full-text index as its distinct words."""


class Connections:
    """Lends every thread that reads a connection of its own, and takes it back.

    All of them read the file that was there at first: once another has taken its place, a thread that finds none idle
    waits for one instead of opening the new file.
    """

    def __init__(self, path: Path) -> None:
        """Open the first connection.

        Raises:
            GraphStoreError: there is no such file, or it is not a graph that this version reads.

        """
        self._path = path
        self._idle: queue.LifoQueue[sqlite3.Connection] = queue.LifoQueue()
        self._closed = False
        connection, self._version = self._open()
        self._idle.put(connection)

    @contextmanager
    def lend(self) -> Iterator[sqlite3.Connection]:
        """A connection for the length of a block.

        Raises:
            GraphStoreError: the connections were closed, or reading or understanding rows fails inside the block.

        """
        connection = self._take()
        try:
            with self._faults_explained():
                yield connection
        finally:
            if self._closed:
                connection.close()
            else:
                self._idle.put(connection)

    def close(self) -> None:
        """Close what is idle now, and what is lent once it comes back."""
        self._closed = True
        while True:
            try:
                self._idle.get_nowait().close()
            except queue.Empty:
                return

    def _take(self) -> sqlite3.Connection:
        if self._closed:
            raise GraphClosedError(f"The graph in {self._path} was closed; open it again.")
        try:
            return self._idle.get_nowait()
        except queue.Empty:
            pass
        try:
            connection, version = self._open()
        except GraphStoreError:
            return self._idle.get()
        if version == self._version:
            return connection
        connection.close()
        return self._idle.get()

    def _open(self) -> tuple[sqlite3.Connection, str]:
        if (fault := open_fault(self._path)) is not None:
            raise self._explained(fault)
        # The file is never changed, only replaced: no lock is needed, and no two threads use a connection at once.
        address = f"file:{quote(str(self._path.resolve()))}?mode=ro&immutable=1"
        connection = sqlite3.connect(address, uri=True, isolation_level=None, check_same_thread=False)
        try:
            with self._faults_explained():
                return connection, self._prepare(connection)
        except GraphStoreError:
            connection.close()
            raise

    @contextmanager
    def _faults_explained(self) -> Iterator[None]:
        """Tell what goes wrong inside the block as an error of the graph."""
        try:
            yield
        except sqlite3.Error as error:
            raise self._explained(explained(error, self._path)) from error
        except _NOT_WHAT_WAS_WRITTEN as error:
            detail = f"{self._path} is damaged. Load the graph again. It holds what no loader writes: {error!r}."
            raise self._explained(GraphDamagedError(detail)) from error

    @staticmethod
    def _explained(error: StoreFaultError) -> StoreFaultError:
        """The error, whose detail the log keeps: users do not see where the file lies."""
        log.warning("%s", error.detail)
        return error

    def _prepare(self, connection: sqlite3.Connection) -> str:
        """Check that the file is a graph, and say which."""
        marks = (connection.execute(f"PRAGMA {mark}").fetchone()[0] for mark in ("application_id", "user_version"))
        application, version = marks
        if application != APPLICATION_ID or version not in READABLE_VERSIONS:
            detail = f"{self._path} is not a graph that this version reads. Load the graph again."
            raise self._explained(
                GraphVersionError(detail) if application == APPLICATION_ID else GraphDamagedError(detail)
            )
        connection.executescript(_OPTIONS)
        rows = connection.execute("SELECT value FROM about WHERE key IN ('version', 'loaded_at') ORDER BY key")
        return " ".join(value for (value,) in rows)
