"""The graphs of a folder, one SQLite file each."""

from __future__ import annotations

import re
import threading
from typing import TYPE_CHECKING

from kgstore.sqlite_store import SqliteStore
from kgstore.store import GraphStoreError

if TYPE_CHECKING:
    from pathlib import Path

    from kgstore.store import GraphInfo, GraphStore

_SUFFIX = ".sqlite"
_NAME = re.compile(r"[a-z0-9]+(?:[-_][a-z0-9]+)*")


class UnknownGraphError(GraphStoreError):
    """No graph of that name is loaded; the message lists those that are."""


class GraphLibrary:
    """Opens graphs by name. Safe to share between threads."""

    def __init__(self, folder: Path) -> None:
        """Look into a folder, which need not exist yet."""
        self.folder = folder
        self._lock = threading.Lock()
        self._open: dict[str, tuple[tuple[int, int], SqliteStore]] = {}

    def path(self, name: str) -> Path:
        """The file of a graph, there or not.

        Raises:
            ValueError: the name is not made of small letters, digits, and single hyphens or underscores between them.

        """
        if not _NAME.fullmatch(name):
            raise ValueError(f"{name!r} is no name for a graph; use small letters, digits and hyphens: my-graph")
        return self.folder / f"{name}{_SUFFIX}"

    def names(self) -> list[str]:
        """The graphs that are loaded, in alphabetical order."""
        return sorted(path.stem for path in self.folder.glob(f"*{_SUFFIX}") if _NAME.fullmatch(path.stem))

    def open(self, name: str) -> GraphStore:
        """A graph as it is now. It is opened anew only when its file was replaced.

        Raises:
            UnknownGraphError: no graph of that name is loaded.
            GraphStoreError: the graph cannot be read.

        """
        if name not in self.names():
            known = ", ".join(self.names()) or "none yet"
            raise UnknownGraphError(f"There is no graph named {name!r}. Loaded: {known}.")
        with self._lock:
            status = self.path(name).stat()
            identity = (status.st_ino, status.st_mtime_ns)
            known_identity, store = self._open.get(name, (None, None))
            if store is None or identity != known_identity:
                # Whoever reads the old one may go on; it is closed when the last of them lets go of it.
                store = SqliteStore(self.path(name))
                self._open[name] = (identity, store)
            return store

    def infos(self) -> list[GraphInfo]:
        """What the graphs are, in the order of their names.

        Raises:
            GraphStoreError: one of them cannot be read.

        """
        return [self.open(name).info() for name in self.names()]
