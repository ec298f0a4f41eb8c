"""Writing a graph into a SQLite file, all or nothing."""

from __future__ import annotations

import dataclasses
import fcntl
import json
import os
import sqlite3
import time
from contextlib import closing, contextmanager
from itertools import chain, islice
from typing import TYPE_CHECKING

from kgstore.commonest import commonest_to_json
from kgstore.disk import why_not_written
from kgstore.exploring.graph_schema import schema_to_json
from kgstore.loading.errors import GraphIsLoadingError, GraphLoadError
from kgstore.loading.reading import GraphToLoad, LoadProgress, names_of, read_graph
from kgstore.sqlite.format import APPLICATION_ID, FORMAT_VERSION, INDEXES, TABLES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path
    from typing import Any

    from kgstore.loading.arrange import ArrangedGraph, Node
    from kgstore.loading.edges import Edges
    from kgstore.loading.formats.lines import TripleText
    from kgstore.loading.reading import LoadReport, ReadGraph

_BATCH_ROWS = 100_000

_INSERT_PREDICATE = "INSERT INTO predicates VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
_INSERT_TERM = "INSERT INTO terms VALUES (?, ?, ?, ?, ?, ?, ?)"
_INSERT_EDGE = "INSERT INTO edges VALUES (?, ?, ?)"
_INSERT_SOURCE = "INSERT INTO sources VALUES (?, ?)"
_INSERT_TYPE = "INSERT INTO types VALUES (?, ?, ?)"
_INSERT_INSTANCE = "INSERT INTO instances VALUES (?, ?)"
_INSERT_NAME = "INSERT INTO names VALUES (?, ?, ?, ?)"
_INSERT_ABOUT = "INSERT INTO about VALUES (?, ?)"


def load_graph(
    triples: Iterable[TripleText],
    target: Path,
    *,
    name: str,
    title: str,
    source: str,
    filters: Callable[[], Sequence[str]] = lambda: (),
    names: Iterable[tuple[str, str]] = (),
    progress: Callable[[LoadProgress], None] = lambda _: None,
) -> LoadReport:
    """Write a graph to the file ``target``, replacing what is there at the very end; if anything fails, nothing.

    Stores that have the old graph open keep reading it until they are reopened.

    Args:
        triples: in their textual form; see `kgstore.loading.formats.tsv.TripleReader`.
        target: the file to write; its folder is made if need be.
        name: what the graph is called in addresses and commands.
        title: what people call it.
        source: where the triples come from, for people.
        filters: what was chosen of the source or left out; asked once the triples are read.
        names: those of a names file, as (mid, name). They come before the names among the triples.
        progress: called with the progress of the load.

    Raises:
        GraphLoadError: the triples cannot be read, there are none, the file cannot be written, or another process
            is loading the same file.

    """
    return load_file(GraphToLoad(triples, name, title, source, filters, names), target, progress)


def load_file(
    source: GraphToLoad,
    target: Path,
    progress: Callable[[LoadProgress], None] = lambda _: None,
) -> LoadReport:
    """Read a graph and write it to the file ``target``; see `load_graph`.

    Raises:
        GraphLoadError: as there.

    """
    started = time.perf_counter()
    with claimed(target):
        read = read_graph(source, progress)
        _write_graph(read, target, progress)
    return read.report(time.perf_counter() - started)


@contextmanager
def claimed(target: Path) -> Iterator[None]:
    """No other process loads or removes the graph of a file; the claim ends with the process, however it ends.

    Raises:
        GraphIsLoadingError: another process holds it.
        GraphLoadError: nothing can be written there.

    """
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        lock = target.with_name(f".{target.name}.lock").open("w")
    except OSError as error:
        raise GraphLoadError(f"{target} cannot be written: {why_not_written(error)}") from error
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise GraphIsLoadingError(f"{target} is being loaded by another process; wait until it ends.") from None
        yield


def _write_graph(read: ReadGraph, target: Path, progress: Callable[[LoadProgress], None]) -> None:
    about = {name: str(value) for name, value in dataclasses.asdict(read.info).items() if name != "is_outdated"}
    about["filters"] = json.dumps(read.info.filters)
    about["commonest"] = commonest_to_json(read.info.commonest)
    about["schema"] = schema_to_json(read.schema)
    with _replacing(target) as temporary:
        _write(temporary, read.graph, about, progress)


@contextmanager
def _replacing(target: Path) -> Iterator[Path]:
    """A file next to the target that replaces it on success and is removed on failure.

    Of a load that was killed, the next one of the same graph removes what is left.
    """
    temporary = target.with_name(f".{target.name}.loading")
    try:
        temporary.unlink(missing_ok=True)
        try:
            yield temporary
            with temporary.open("rb") as file:
                os.fsync(file.fileno())
            temporary.replace(target)
        finally:
            temporary.unlink(missing_ok=True)
    except (OSError, sqlite3.Error) as error:
        raise GraphLoadError(f"{target} cannot be written: {why_not_written(error)}") from error


def _write(path: Path, graph: ArrangedGraph, about: dict[str, str], progress: Callable[[LoadProgress], None]) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        # The file is thrown away unless it is finished, so it needs no journal.
        connection.executescript(
            "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE;"
            "PRAGMA cache_size = -200000; PRAGMA temp_store = MEMORY;"
            f"PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {FORMAT_VERSION};{TABLES}"
        )
        writer = _Writer(connection, len(graph.nodes) + len(graph.literals) + len(graph.edges), progress)
        counts = graph.edges.counts(len(graph.predicates))
        connection.execute("BEGIN")
        connection.executemany(_INSERT_ABOUT, about.items())
        connection.executemany(
            _INSERT_PREDICATE,
            (
                (number, p.name, p.is_offered, p.reverse, p.subject_kind, p.object_kind, count, p.label)
                for number, (p, count) in enumerate(zip(graph.predicates, counts, strict=True))
            ),
        )
        writer.write(_INSERT_TERM, _term_rows(graph))
        writer.write(_INSERT_EDGE, _edge_rows(graph.edges))
        connection.executemany(_INSERT_SOURCE, _source_rows(graph.edges))
        lists = graph.instances
        connection.executemany(_INSERT_TYPE, ((own, name, len(lists[name])) for own, name in enumerate(lists)))
        connection.executemany(
            _INSERT_INSTANCE, ((own, entity) for own, name in enumerate(lists) for entity in lists[name])
        )
        connection.executemany(_INSERT_NAME, _name_rows(graph.nodes))
        connection.execute("COMMIT")
        progress(LoadProgress("indexing", 0, None))
        connection.executescript(f"BEGIN; {INDEXES} COMMIT;")


class _Writer:
    def __init__(self, connection: sqlite3.Connection, rows: int, progress: Callable[[LoadProgress], None]) -> None:
        self._connection = connection
        self._rows = rows
        self._done = 0
        self._progress = progress

    def write(self, statement: str, rows: Iterator[tuple[Any, ...]]) -> None:
        while (written := self._connection.executemany(statement, islice(rows, _BATCH_ROWS)).rowcount) > 0:
            self._done += written
            self._progress(LoadProgress("writing", self._done, self._rows))


def _term_rows(graph: ArrangedGraph) -> Iterator[tuple[Any, ...]]:
    for number, node in enumerate(graph.nodes, start=1):
        yield number, node.mid, node.name, "\n".join(node.types), node.is_mediator, node.popularity, node.relations
    for number, text in enumerate(graph.literals, start=len(graph.nodes) + 1):
        yield number, text, None, "", False, 0, b""


def _edge_rows(edges: Edges) -> Iterator[tuple[int, int, int]]:
    slices = (slice(start, start + _BATCH_ROWS) for start in range(0, len(edges), _BATCH_ROWS))
    columns = (edges.subject, edges.predicate, edges.object)
    return chain.from_iterable(zip(*(column[part].tolist() for column in columns), strict=True) for part in slices)


def _source_rows(edges: Edges) -> Iterator[tuple[int, int]]:
    for predicate, subjects in edges.sources():
        yield from ((predicate, subject) for subject in subjects.tolist())


def _name_rows(nodes: Iterable[Node]) -> Iterator[tuple[int, int, str, str]]:
    row = 0
    for number, node in enumerate(nodes, start=1):
        for folded, text in names_of(node).items():
            row += 1
            yield row, number, text, folded
