"""Loads the graph of each row, for benchmarks that bring a graph with each question."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Self

from kgstore.loading.formats.rog import RogReader
from kgstore.loading.reading import GraphToLoad
from kgstore.sqlite.library import SqliteLibrary
from reasoning.datasets.errors import DatasetError, QuestionError
from reasoning.datasets.source import object_of

if TYPE_CHECKING:
    from types import TracebackType

    from kgstore.store import GraphStore
    from reasoning.datasets.question import BenchmarkQuestion

_NAME = "row"


class RowGraphs:
    """Opens the graph of a row; the one before is closed. A context manager that leaves nothing behind.

    Not to be shared between threads.
    """

    def __init__(self, path: Path) -> None:
        """Find where each row of a file begins, which reads it once; lines that hold no row are passed over.

        Raises:
            DatasetError: the file cannot be read.

        """
        self._path = path
        self._starts: dict[str, int] = {}
        start = 0
        try:
            with path.open("rb") as file:
                for line in file:
                    if (name := _name(line)) is not None:
                        self._starts.setdefault(name, start)
                    start += len(line)
        except OSError as error:
            raise DatasetError(f"{path} cannot be read: {error.strerror or error}.") from error
        if not self._starts:
            raise DatasetError(f'{path}: expected JSON objects with an "id", one a line.')
        self._folder = tempfile.TemporaryDirectory(prefix="discern-rows-")
        self._library = SqliteLibrary(Path(self._folder.name))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._library.close()
        self._folder.cleanup()

    def open(self, row: str) -> GraphStore:
        """The graph of one row, until the next is opened. It is empty if no triple of the row can be read.

        Raises:
            DatasetError: the file has no such row.
            GraphLoadError: its graph cannot be written.

        """
        if row not in self._starts:
            raise DatasetError(f"{self._path} has no row {row}.")
        alone = Path(self._folder.name) / "row.jsonl"
        with self._path.open("rb") as file:
            file.seek(self._starts[row])
            alone.write_bytes(file.readline())
        title = f"the row {row} of {self._path.name}"
        self._library.load(GraphToLoad(RogReader(alone), _NAME, title, self._path.name, may_be_empty=True))
        return self._library.open(_NAME)


def graph_of(question: BenchmarkQuestion, graph: GraphStore | RowGraphs) -> GraphStore:
    """The graph that a question is asked of: its own among the graphs of all rows, or the one of all questions.

    Raises:
        DatasetError: the file of the graphs lacks the question's row.
        GraphLoadError: the question's own graph cannot be loaded.

    """
    return graph.open(question.row) if isinstance(graph, RowGraphs) else graph


def _name(line: bytes) -> str | None:
    """The id of the row on a line; None where there is none."""
    try:
        name = object_of(line).get("id")
    except QuestionError:
        return None
    return str(name) if isinstance(name, str | int) else None
