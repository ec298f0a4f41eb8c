"""Writing a graph as files for ``neo4j-admin database import``: for large graphs, into a Neo4j that does not run.

The vendor's tool fills a whole database at a time and takes the place of what was there. So the files of several graphs
lie side by side in one folder, each in a folder of its own, and one command imports them all.
"""

from __future__ import annotations

import fcntl
import re
import shutil
import sys
import time
from contextlib import contextmanager
from functools import lru_cache
from itertools import islice
from secrets import choice
from typing import IO, TYPE_CHECKING, Any, Final

from kgstore.loading.errors import GraphLoadError
from kgstore.loading.reading import LoadProgress, no_garbage_collection, read_graph
from kgstore.neo4j.format import GRAPH_NUMBERS, literal_properties, place, relationship_type
from kgstore.neo4j.rows import about_row, check_graph, entity_columns, hub_rows, predicate_rows
from kgstore.terms import TermKind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from kgstore.loading.reading import GraphToLoad, LoadReport, ReadGraph

_ARGUMENTS = "import.args"
_BREAKS = "breaks"
"""A file that is there where some text of a graph holds a line break, for which the import must look harder."""
_ARRAY = "\x1f"
_SIGNED = [str(byte - 256 * (byte > 127)) for byte in range(256)]  # noqa: PLR2004 - two's complement
"""A byte as the import reads it."""
_PAIR: Final = "Q"
"""A relation code and a count as one number; see `kgstore.store_parts.relation_codes`."""
_SPECIAL = re.compile('[,"\n\r]')
"""What a field of CSV holds only between quotes."""
_REPORT_EVERY = 100_000
_CHUNK = 200_000
_CHUNK_NODES = 10_000

_ABOUT = {
    "graph": "long",
    "format": "long",
    "name": "string",
    "title": "string",
    "version": "string",
    "source": "string",
    "filters": "string[]",
    "loaded_at": "string",
    "entities": "long",
    "triples": "long",
    "predicates": "long",
    "named": "long",
    "commonest": "string",
    "schema": "string",
    "types": "string",
    "state": "string",
}
_PREDICATE = {
    "graph": "long",
    "number": "long",
    "name": "string",
    "offered": "boolean",
    "reverse": "long",
    "subject_kind": "string",
    "object_kind": "string",
    "triples": "long",
    "label": "string",
}
_ENTITY = {
    "graph": "long",
    "place": "long",
    "mid": "string",
    "name": "string",
    "names": "string[]",
    "folded": "string[]",
    "keys": "string",
    "types": "string[]",
    "mediator": "boolean",
    "popularity": "long",
    "relations": "byte[]",
}
_LITERALS = {
    TermKind.NUMBER: {"place": "long", "text": "string", "value": "double"},
    TermKind.DATE: {"place": "long", "text": "string", "first": "long", "last": "long"},
    TermKind.TEXT: {"place": "long", "text": "string", "value": "string", "language": "string"},
}
_HUB = {"graph": "long", "entity": "long", "code": "long", "last": "long", "numbers": "long[]"}
_FILES = {
    "about": "Graph",
    "predicates": "Predicate",
    "hubs": "Hub",
    "entities": "Term:Entity",
    **{f"{kind}s": f"Term:{kind.capitalize()}" for kind in _LITERALS},
}
"""The files of nodes, and their labels."""


def write_import_files(
    source: GraphToLoad, folder: Path, progress: Callable[[LoadProgress], None] = lambda _: None
) -> LoadReport:
    """Write a graph's files into ``folder``, in one pass over it, taking the place of those of the same name.

    Raises:
        GraphLoadError: the triples cannot be read, Neo4j cannot hold them, or the files cannot be written.

    """
    started = time.perf_counter()
    read = read_graph(source, progress)
    check_graph(read.graph)
    with _replacing(folder, source.name) as target, no_garbage_collection():
        _Files(target, read, progress).write()
    _write_arguments(folder)
    return read.report(time.perf_counter() - started)


def import_arguments(folder: Path, database: str = "neo4j") -> list[str]:
    """The arguments of ``neo4j-admin``, so that it imports every graph of the folder."""
    return ["database", "import", "full", database, "--overwrite-destination", f"@{folder.absolute() / _ARGUMENTS}"]


def how_to_import(folder: Path) -> str:
    """For people: how to import every graph of the folder."""
    graphs = ", ".join(sorted(path.name for path in _graphs(folder)))
    return (
        f"The files in {folder} hold: {graphs}. To import them, on the machine of Neo4j, with the server stopped:\n\n"
        f"  neo4j-admin {' '.join(import_arguments(folder))}\n\n"
        "This takes the place of everything in that database. Then start Neo4j: the site makes the indexes when it is "
        "first asked, and can be asked once they are complete.\n"
    )


class _Files:
    def __init__(self, folder: Path, read: ReadGraph, progress: Callable[[LoadProgress], None]) -> None:
        self._folder = folder
        self._read = read
        self._number = choice(GRAPH_NUMBERS)
        self._progress = progress
        graph = read.graph
        self._hubs = hub_rows(graph, self._number)
        terms = len(graph.nodes) + len(graph.literals)
        self._total = len(graph.predicates) + terms + len(graph.edges) + len(self._hubs)
        self._done = 0
        self._has_breaks = False

    def write(self) -> None:
        about = {**about_row(self._read, self._number), "state": "complete"}
        self._write_nodes("about", _ABOUT, [about])
        self._write_nodes("predicates", _PREDICATE, list(predicate_rows(self._read.graph, self._number)))
        self._write_entities()
        self._write_literals()
        self._write_edges()
        self._write_nodes("hubs", _HUB, self._hubs)
        if self._has_breaks:
            (self._folder / _BREAKS).touch()
        self._report()

    def _write_nodes(self, name: str, types: dict[str, str], rows: Sequence[dict[str, Any]]) -> None:
        """Nodes that no edge leads to, so that they need no id."""
        with self._open(name) as file:
            self._write_header(file, types, has_ids=False)
            self._write_columns(file, types, _columns(types, rows))
            self._count(len(rows))

    def _write_entities(self) -> None:
        graph = self._read.graph
        with self._open("entities") as file:
            self._write_header(file, _ENTITY, has_ids=True)
            for start in range(0, len(graph.nodes), _CHUNK_NODES):
                end = min(start + _CHUNK_NODES, len(graph.nodes))
                columns = entity_columns(graph, self._number, start, end)
                self._write_columns(file, _ENTITY, columns, range(start + 1, end + 1))
                self._count(end - start)

    def _write_literals(self) -> None:
        """Each kind of literal into a file of its own, in one pass."""
        graph = self._read.graph
        files = {kind: self._open(f"{kind}s") for kind in _LITERALS}
        try:
            for kind, types in _LITERALS.items():
                self._write_header(files[kind], types, has_ids=True)
            literals = enumerate(graph.literals, start=len(graph.nodes) + 1)
            while some := list(islice(literals, _CHUNK_NODES)):
                rows: dict[TermKind, list[dict[str, Any]]] = {kind: [] for kind in _LITERALS}
                ids: dict[TermKind, list[int]] = {kind: [] for kind in _LITERALS}
                for own, text in some:
                    kind, properties = literal_properties(text)
                    rows[kind].append({"place": place(self._number, own), **properties})
                    ids[kind].append(own)
                for kind, types in _LITERALS.items():
                    self._write_columns(files[kind], types, _columns(types, rows[kind]), ids[kind])
                self._count(len(some))
        finally:
            for file in files.values():
                file.close()

    def _write_header(self, file: IO[str], types: dict[str, str], *, has_ids: bool) -> None:
        ids = [f":ID(g{self._number})"] if has_ids else []
        file.write(",".join([*ids, *(f"{column}:{kind}" for column, kind in types.items())]) + "\n")

    def _write_columns(
        self,
        file: IO[str],
        types: dict[str, str],
        columns: dict[str, Sequence[Any]],
        ids: Sequence[int] | None = None,
    ) -> None:
        """Write some rows, given by columns: making fields column by column is several times faster than row by row."""
        fields = [_FIELDS[kind](columns[column]) for column, kind in types.items()]
        if ids is not None:
            fields.insert(0, _integers(ids))
        rows = list(map(",".join, zip(*fields, strict=True)))
        text = "\n".join([*rows, ""])
        file.write(text)
        if text.count("\n") > len(rows) or "\r" in text:
            self._has_breaks = True

    def _write_edges(self) -> None:
        """Edges from the last to the first, so that the best known come early, as after an online load."""
        edges = self._read.graph.edges
        types = [_quoted(relationship_type(predicate.name)) for predicate in self._read.graph.predicates]
        with self._open("edges") as file:
            file.write(f":START_ID(g{self._number}),:TYPE,:END_ID(g{self._number})\n")
            for end in range(len(edges), 0, -_CHUNK):
                part = slice(max(0, end - _CHUNK), end)
                columns = (edges.subject[part], edges.predicate[part], edges.object[part])
                rows = zip(*(column[::-1].tolist() for column in columns), strict=True)
                file.write("".join([f"{subject},{types[predicate]},{obj}\n" for subject, predicate, obj in rows]))
                self._count(part.stop - part.start)

    def _open(self, name: str) -> Any:
        return (self._folder / f"{name}.csv").open("w", encoding="utf-8", newline="")

    def _count(self, rows: int) -> None:
        before = self._done // _REPORT_EVERY
        self._done += rows
        if self._done // _REPORT_EVERY > before:
            self._report()

    def _report(self) -> None:
        self._progress(LoadProgress("writing", self._done, self._total))


def _columns(names: Iterable[str], rows: Sequence[dict[str, Any]]) -> dict[str, Sequence[Any]]:
    return {name: [row[name] for row in rows] for name in names}


def _texts(values: Sequence[str | None]) -> list[str]:
    texts = ["" if text is None else text for text in values]
    # Few columns hold a text that must be quoted.
    return texts if _SPECIAL.search("\0".join(texts)) is None else list(map(_quoted, texts))


def _quoted(text: str) -> str:
    """A text as a field of CSV."""
    return '"' + text.replace('"', '""') + '"' if _SPECIAL.search(text) else text


def _arrays(values: Sequence[list[str] | None]) -> list[str]:
    return _texts([_array(texts) if texts else None for texts in values])


def _array(texts: list[str]) -> str:
    joined = _ARRAY.join(texts)
    if joined.count(_ARRAY) == len(texts) - 1:
        return joined
    return _ARRAY.join([text.replace(_ARRAY, " ") for text in texts])


def _bytes(values: Sequence[bytes]) -> list[str]:
    return [_ARRAY.join(map(_pair, memoryview(packed).cast(_PAIR).tolist())) for packed in values]


@lru_cache(maxsize=1 << 16)
def _pair(packed: int) -> str:
    """The bytes of a relation code and a count; most of them stand in many entities."""
    return _ARRAY.join([_SIGNED[byte] for byte in packed.to_bytes(8, sys.byteorder)])


def _integer_arrays(values: Sequence[Any]) -> list[str]:
    return [_ARRAY.join(map(str, numbers.tolist())) for numbers in values]


def _truths(values: Sequence[bool]) -> list[str]:
    return ["true" if value else "false" for value in values]


def _numbers(values: Sequence[float]) -> list[str]:
    return [str(value).replace("inf", "Infinity") for value in values]


def _integers(values: Sequence[int | None]) -> list[str]:
    return ["" if value is None else str(value) for value in values]


_FIELDS: dict[str, Callable[[Sequence[Any]], list[str]]] = {
    "string": _texts,
    "string[]": _arrays,
    "byte[]": _bytes,
    "boolean": _truths,
    "double": _numbers,
    "long": _integers,
    "long[]": _integer_arrays,
}
"""How the values of a column are written; those that are null are empty."""


@contextmanager
def _replacing(folder: Path, name: str) -> Iterator[Path]:
    """A folder that takes the place of the graph's if all goes well, and is gone if not."""
    writing = folder / f".{name}.writing"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / f".{name}.lock").open("w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise GraphLoadError(
                    f"{folder / name} is being written by another process; wait until it ends."
                ) from None
            shutil.rmtree(writing, ignore_errors=True)
            writing.mkdir()
            try:
                yield writing
                shutil.rmtree(folder / name, ignore_errors=True)
                writing.rename(folder / name)
            finally:
                shutil.rmtree(writing, ignore_errors=True)
    except OSError as error:
        raise _unwritable(folder, error) from error


def _unwritable(folder: Path, error: OSError) -> GraphLoadError:
    advice = "Make room there, or name another folder, then run the same command again."
    return GraphLoadError(
        f"{folder} cannot be written: {error.strerror or error}. {advice} What it held before is unchanged."
    )


def _graphs(folder: Path) -> Iterable[Path]:
    return (path.parent for path in folder.glob("[!.]*/about.csv"))


def _write_arguments(folder: Path) -> None:
    """Write the file of arguments for every graph that the folder holds."""
    folder = folder.absolute()
    graphs = sorted(_graphs(folder))
    lines = ["--id-type=integer", "--array-delimiter=U+001F", f"--report-file={folder / 'import.report'}"]
    if any((graph / _BREAKS).exists() for graph in graphs):
        lines.append("--multiline-fields=true")
    for graph in graphs:
        # A folder that an earlier version wrote holds no hubs.
        lines += [
            f"--nodes={labels}={graph / name}.csv"
            for name, labels in _FILES.items()
            if (graph / f"{name}.csv").exists()
        ]
        lines.append(f"--relationships={graph / 'edges'}.csv")
    try:
        (folder / _ARGUMENTS).write_text("".join(f'"{_escaped(line)}"\n' for line in lines), encoding="utf-8")
    except OSError as error:
        raise _unwritable(folder, error) from error


def _escaped(argument: str) -> str:
    return argument.replace("\\", "\\\\").replace('"', '\\"')
