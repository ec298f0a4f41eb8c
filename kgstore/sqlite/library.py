"""The graphs of a folder, one SQLite file each: the embedded library."""

from __future__ import annotations

import logging
import threading
from typing import TYPE_CHECKING

from kgstore.library import UnknownGraphError, UnreadableGraph, graph_name, is_graph_name
from kgstore.loading.errors import GraphLoadError
from kgstore.sqlite.errors import open_fault
from kgstore.sqlite.explorable import ExplorableSqliteStore
from kgstore.sqlite.loader import claimed, load_file
from kgstore.store import GraphStoreError
from kgstore.store_parts.errors import GraphForbiddenError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from kgstore.exploring.explorable import ExplorableStore
    from kgstore.loading.reading import GraphToLoad, LoadProgress, LoadReport
    from kgstore.store import GraphInfo

log = logging.getLogger(__name__)

_SUFFIX = ".sqlite"


class SqliteLibrary:
    """A `GraphLibrary` of files."""

    def __init__(self, folder: Path) -> None:
        """Look into a folder, which need not exist yet."""
        self.folder = folder
        self._lock = threading.Lock()
        self._open: dict[str, tuple[tuple[int, int], ExplorableSqliteStore]] = {}

    def path(self, name: str) -> Path:
        """The file of a graph, there or not.

        Raises:
            ValueError: the name is not made of small letters, digits, and single hyphens or underscores between them.

        """
        return self.folder / f"{graph_name(name)}{_SUFFIX}"

    def names(self) -> list[str]:
        """The graphs that are loaded, in alphabetical order.

        Raises:
            GraphStoreError: the folder cannot be read.

        """
        try:
            files = list(self.folder.iterdir())
        except FileNotFoundError:
            return []
        except OSError as error:
            detail = (
                f"The folder of graphs {self.folder} cannot be read: {error.strerror or error}. Correct its rights."
            )
            raise GraphForbiddenError(detail) from error
        return sorted(file.stem for file in files if file.suffix == _SUFFIX and is_graph_name(file.stem))

    def open(self, name: str) -> ExplorableStore:
        """A graph as it is now. It is reopened only after its file was replaced.

        Raises:
            UnknownGraphError: no graph of that name is loaded.
            GraphStoreError: the graph cannot be read.

        """
        if name not in self.names():
            raise UnknownGraphError(name, self.names())
        with self._lock:
            if (fault := open_fault(self.path(name))) is not None:
                log.warning("%s", fault.detail)
                raise fault
            status = self.path(name).stat()
            identity = (status.st_ino, status.st_mtime_ns)
            known_identity, store = self._open.get(name, (None, None))
            if store is None or identity != known_identity:
                # Readers of the old graph may finish; it is closed after the last one.
                store = ExplorableSqliteStore(self.path(name))
                self._open[name] = (identity, store)
            return store

    def infos(self) -> list[GraphInfo | UnreadableGraph]:
        """See `GraphLibrary.infos`. One that was removed meanwhile is not among them."""
        found: list[GraphInfo | UnreadableGraph] = []
        for name in self.names():
            try:
                found.append(self.open(name).info())
            except UnknownGraphError:
                continue
            except GraphStoreError as error:
                found.append(UnreadableGraph(name, error))
        return found

    def load(self, source: GraphToLoad, progress: Callable[[LoadProgress], None] = lambda _: None) -> LoadReport:
        """See `GraphLibrary.load`."""
        return load_file(source, self.path(source.name), progress=progress)

    def remove(self, name: str) -> None:
        """See `GraphLibrary.remove`. A reader that has the graph open may finish."""
        if name not in self.names():
            raise UnknownGraphError(name, self.names())
        with claimed(self.path(name)):
            try:
                self.path(name).unlink()
            except OSError as error:
                raise GraphLoadError(f"{self.path(name)} cannot be removed: {error.strerror or error}.") from error
        with self._lock:
            self._open.pop(name, None)

    def close(self) -> None:
        """Close the graphs that are open."""
        with self._lock:
            for _, store in self._open.values():
                store.close()
            self._open.clear()
