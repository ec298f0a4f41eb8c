"""Errors of a graph file, which tell people and operators what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kgstore.sqlite.causes import SqliteCause, sqlite_cause
from kgstore.store_parts.errors import (
    GraphAwayError,
    GraphBusyError,
    GraphClosedError,
    GraphDamagedError,
    GraphDiskFullError,
    GraphForbiddenError,
    GraphMissingError,
    GraphRefusedError,
    GraphTooLargeError,
    StoreFaultError,
)

if TYPE_CHECKING:
    import sqlite3
    from pathlib import Path

_FAULTS: dict[SqliteCause, tuple[type[StoreFaultError], str]] = {
    SqliteCause.BUSY: (GraphBusyError, "is locked by another program. Wait until that is done."),
    SqliteCause.MEMORY: (
        GraphBusyError,
        "needs more memory than there is. Give the site more.",
    ),
    SqliteCause.TOO_LARGE: (GraphTooLargeError, "was asked for more than SQLite's limits allow."),
    SqliteCause.FULL: (GraphDiskFullError, "needs room for temporary data, and a disk is full. Make room."),
    SqliteCause.READ_ONLY: (GraphForbiddenError, "may not be written. Correct the rights of the file and its folder."),
    SqliteCause.INPUT_OUTPUT: (GraphAwayError, "cannot be read: the disk gives errors. Look into the system's log."),
    SqliteCause.DAMAGED: (GraphDamagedError, "is damaged. Load the graph again."),
    SqliteCause.CLOSED: (GraphClosedError, "was closed. Open it again."),
    SqliteCause.REFUSED: (GraphRefusedError, "could not do a query."),
}


def explained(error: sqlite3.Error, path: Path) -> StoreFaultError:
    """An error that SQLite met in a graph file."""
    cause = sqlite_cause(error)
    if cause is SqliteCause.NOT_OPENED:
        return open_fault(path) or GraphAwayError(f"{path} could not be opened. SQLite says: {error}.")
    kind, what_to_do = _FAULTS[cause]
    return kind(f"{path} {what_to_do} SQLite says: {error}.")


def open_fault(path: Path) -> StoreFaultError | None:
    """Why a graph file cannot be opened; None where it can."""
    try:
        path.open("rb").close()
    except FileNotFoundError:
        return GraphMissingError(f"There is no graph in {path}. Load one with `manage.py load_graph`.")
    except (IsADirectoryError, NotADirectoryError):
        return GraphDamagedError(f"{path} is not a file. Remove it, and load the graph again.")
    except PermissionError:
        return GraphForbiddenError(f"{path} may not be read. Correct the rights of the file and its folders.")
    except OSError as error:
        return GraphAwayError(f"{path} cannot be read: {error.strerror or error}. Look into the system's log.")
    return None
