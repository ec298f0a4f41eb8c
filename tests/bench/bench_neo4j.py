"""How fast the store of production is, compared with the embedded one: ``python -m tests.bench.bench_neo4j [--json]``.

A Neo4j of its own runs next to SQLite over the same made-up triples. Every ratio is of two figures of one run: a hub
against a node of few edges, Neo4j against SQLite, our import against the vendor's alone on the same files.
``--graph FILE [NAMES]`` imports a graph of yours instead, and says how large it is on disk.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from rich.console import Console
from rich.table import Table

from kgstore.loading.formats.tsv import NameReader, TripleReader
from kgstore.loading.reading import GraphToLoad
from kgstore.neo4j.bulk_import import import_arguments, write_import_files
from kgstore.neo4j.library import Neo4jLibrary
from kgstore.neo4j.store import Neo4jStore
from kgstore.sqlite.library import SqliteLibrary
from kgstore.terms import Entity, Relation
from tests.bench.bench_store import milliseconds, write_triples
from tests.neo4j_server.server import Neo4jServer
from webapp.launch.setup import NO_NEO4J, neo4j_missing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from kgstore.store import GraphStore

HUB_EDGES = 1_000_000
HUB_TYPES = 100
HUB_LIMIT, IMPORT_LIMIT = 3.0, 1.5
IMPORTS = 3
SEARCHED = ("j", "jam", "new yo")
_WALK = "MATCH (e:Entity {mid: $mid})-[edge]-() RETURN DISTINCT type(edge)"
_DEGREES = "MATCH (e:Entity {mid: $mid}) RETURN "


def write_hub(path: Path) -> None:
    """A hub with a million edges and a node with a hundred, both of a hundred types; literals of every kind."""
    with path.open("w", encoding="utf-8") as file:
        for edge in range(HUB_EDGES):
            file.write(f"m.hub\thub.type.relation{edge % HUB_TYPES}\tm.{edge % 250_000:06x}\n")
        for edge in range(HUB_TYPES):
            file.write(f"m.few\thub.type.relation{edge}\tm.{edge:06x}\n")


class Counting:
    """A connection that counts queries."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection
        self.queries = 0

    def read(self, *arguments: Any) -> Any:
        """Run a query."""
        self.queries += 1
        return self._connection.read(*arguments)


def queries_of(store: Neo4jStore, call: Callable[[], object]) -> int:
    """How many queries a call makes."""
    connection = store._connection
    counting = Counting(connection)
    store._connection = counting  # type: ignore[assignment]
    try:
        call()
    finally:
        store._connection = connection
    return counting.queries


def measure(folder: Path) -> dict[str, Any]:
    """Every figure, in milliseconds unless its name says otherwise."""
    path, hub = folder / "triples.tsv", folder / "hub.tsv"
    write_triples(path, np.random.default_rng(7))
    write_hub(hub)
    server = Neo4jServer.install(folder / "server", heap="2g", page_cache="1g", for_minutes=False)
    graphs = {
        name: GraphToLoad(TripleReader(file), name, name, "made up") for name, file in (("bench", path), ("hub", hub))
    }
    figures: dict[str, Any] = imported(server, graphs.values(), folder / "files")
    with ExitStack() as stack:
        server.start()
        stack.callback(server.kill)
        embedded, neo4j = SqliteLibrary(folder / "graphs"), Neo4jLibrary(server.url)
        stack.callback(neo4j.close)
        stack.callback(embedded.close)
        figures |= indexed(server, neo4j)
        embedded.load(graphs["bench"])
        stores = {"sqlite": embedded.open("bench"), "neo4j": neo4j.open("bench")}
        figures["queries"] = [beside(stores, size) for size in (1, 100, 1_000)]
        figures["search"] = {
            typed: {name: milliseconds(lambda: store.search(typed, 10)) for name, store in stores.items()}  # noqa: B023
            for typed in SEARCHED
        }
        figures |= hubs(neo4j)
        figures |= online(neo4j, path, folder)
    return figures


def measure_graph(folder: Path, path: Path, names: Iterable[tuple[str, str]]) -> dict[str, Any]:
    """Importing one graph, and its size."""
    server = Neo4jServer.install(folder / "server", heap="2g", page_cache="1g", for_minutes=False)
    graph = GraphToLoad(TripleReader(path), "bench", "Bench", path.name, names=names)
    figures = imported(server, [graph], folder / "files")
    with ExitStack() as stack:
        server.start()
        stack.callback(server.kill)
        neo4j = Neo4jLibrary(server.url)
        stack.callback(neo4j.close)
        return figures | indexed(server, neo4j)


def imported(server: Neo4jServer, graphs: Iterable[GraphToLoad], files: Path) -> dict[str, Any]:
    """Writing and importing the files, against the vendor's import of the same files alone: the median of three."""
    graphs = list(graphs)
    tries = []
    for _ in range(IMPORTS):
        started = time.perf_counter()
        triples = sum(write_import_files(graph, files).triples for graph in graphs)
        writing = time.perf_counter() - started
        started = time.perf_counter()
        server.admin(*import_arguments(files))
        vendor = time.perf_counter() - started
        tries.append(((writing + vendor) / vendor, writing, vendor, triples))
    ratio, writing, vendor, triples = sorted(tries)[IMPORTS // 2]
    return {
        "triples_imported": triples,
        "write_files_seconds": writing,
        "vendor_import_seconds": vendor,
        "import_ratio": ratio,
    }


def indexed(server: Neo4jServer, library: Neo4jLibrary) -> dict[str, Any]:
    """Making the indexes of what was imported; the bytes of the store and of its indexes. Restarts the server."""
    started = time.perf_counter()
    library.connection.make_schema()
    taken = time.perf_counter() - started
    # Only a server that ended politely has written all of it to its files.
    server.stop()
    store = server.home / "data" / "databases" / "neo4j"
    whole, indexes = bytes_of(store), bytes_of(store / "schema")
    server.start()
    return {"index_seconds": taken, "store_bytes": whole - indexes, "index_bytes": indexes}


def bytes_of(folder: Path) -> int:
    """What the files of a folder take on disk, in bytes: a file may be longer than what was written of it."""
    return sum(512 * file.stat().st_blocks for file in folder.rglob("*") if file.is_file())


def beside(stores: dict[str, GraphStore], size: int) -> dict[str, Any]:
    """What the engine asks of this many entities at a time, in both stores."""
    entities = [Entity(f"m.{i * 7:06x}") for i in range(size)]
    relation = Relation("domain0.type0.relation0")
    calls: dict[str, Callable[[GraphStore], object]] = {
        "relations": lambda store: store.relations(entities),
        "expand": lambda store: store.expand(entities, relation, 5_000),
        "links": lambda store: store.links(entities, [Entity("m.hub")]),
        "cards": lambda store: store.cards(entities),
    }
    taken = {
        what: {name: milliseconds(lambda: call(store)) for name, store in stores.items()}  # noqa: B023
        for what, call in calls.items()
    }
    store = stores["neo4j"]
    assert isinstance(store, Neo4jStore)
    counted = {what: queries_of(store, lambda: call(store)) for what, call in calls.items()}  # noqa: B023
    return {"entities": size, "taken": taken, "neo4j_queries": counted}


def hubs(library: Neo4jLibrary) -> dict[str, Any]:
    """The relation list of a hub compared with that of a node with few edges, and the two ways that were not taken."""
    store = library.open("hub")
    hub, few = [Entity("m.hub")], [Entity("m.few")]
    assert [len(store.relations(entities)) for entities in (hub, few)] == [HUB_TYPES, HUB_TYPES]
    of_hub = milliseconds(lambda: store.relations(hub), 200)
    of_few = milliseconds(lambda: store.relations(few), 200)

    def ask(query: str) -> None:
        library.connection.read(query, {"mid": "m.hub"}, lambda rows: [row.values() for row in rows])

    kinds = ", ".join(f"COUNT {{ (e)-[:`hub.type.relation{i}`]->() }}" for i in range(HUB_TYPES))
    return {
        "hub_relations": of_hub,
        "few_relations": of_few,
        "hub_ratio": of_hub / of_few,
        "hub_relations_by_walking": milliseconds(lambda: ask(_WALK), 2),
        "hub_relations_by_degrees": milliseconds(lambda: ask(_DEGREES + kinds), 10),
        "hub_expand_200": milliseconds(lambda: store.expand(hub, Relation("hub.type.relation7"), 200)),
    }


def online(library: Neo4jLibrary, path: Path, folder: Path) -> dict[str, Any]:
    """Loading in batches while the server runs."""
    some = folder / "some.tsv"
    with path.open(encoding="utf-8") as source:
        some.write_text("".join(line for number, line in enumerate(source) if number % 5 == 0), encoding="utf-8")
    report = library.load(GraphToLoad(TripleReader(some), "online", "Online", "made up"))
    return {
        "online_triples": report.triples,
        "online_seconds": report.seconds,
        "online_rows_per_second": (report.edges + report.entities + report.literals) / report.seconds,
    }


def show(figures: dict[str, Any]) -> Table:
    """The figures for people."""
    table = Table("what", "Neo4j", "beside", title=f"{figures['triples_imported']:,} triples", title_justify="left")
    for row in figures.get("queries", ()):
        for what, taken in row["taken"].items():
            table.add_row(
                f"{what} of {row['entities']:,} entities ({row['neo4j_queries'][what]} queries)",
                f"{taken['neo4j']:.2f} ms",
                f"SQLite {taken['sqlite']:.2f} ms, ratio {taken['neo4j'] / taken['sqlite']:.1f}",
            )
    for typed, taken in figures.get("search", {}).items():
        table.add_row(f"search {typed!r}", f"{taken['neo4j']:.2f} ms", f"SQLite {taken['sqlite']:.2f} ms")
    if "hub_ratio" in figures:
        table.add_row(
            f"relations of a hub with {HUB_EDGES:,} edges",
            f"{figures['hub_relations']:.2f} ms",
            f"{HUB_TYPES} edges {figures['few_relations']:.2f} ms, ratio {figures['hub_ratio']:.2f} (≤ {HUB_LIMIT:g})",
        )
        table.add_row("the same by walking its edges", f"{figures['hub_relations_by_walking']:.0f} ms", "")
        table.add_row(
            "the same by degrees, its types known",
            f"{figures['hub_relations_by_degrees']:.1f} ms",
            "one plan a set of types",
        )
        table.add_row("200 triples of the hub", f"{figures['hub_expand_200']:.2f} ms", "")
    vendor = figures["vendor_import_seconds"]
    table.add_row(
        "import",
        f"{figures['write_files_seconds'] + vendor:.1f} s",
        f"vendor alone {vendor:.1f} s, ratio {figures['import_ratio']:.2f} (≤ {IMPORT_LIMIT:g})",
    )
    store, index = (figures[f"{what}_bytes"] / figures["triples_imported"] for what in ("store", "index"))
    table.add_row("bytes a triple on disk", f"{store + index:.0f}", f"{index:.0f} of them for indexes")
    table.add_row("indexes after the import", f"{figures['index_seconds']:.1f} s", "")
    if "online_triples" in figures:
        table.add_row(
            f"online load of {figures['online_triples']:,} triples",
            f"{figures['online_seconds']:.1f} s",
            f"{figures['online_rows_per_second']:,.0f} rows a second",
        )
    return table


def main() -> int:
    """Measure and print; fails where a promise does not hold."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.add_argument(
        "--graph", type=Path, nargs="+", metavar=("FILE", "NAMES"), help="import this one, nothing else"
    )
    arguments = parser.parse_args()
    if missing := neo4j_missing(named_server_counts=False):
        sys.stdout.write(NO_NEO4J.replace("tests were", "bench was").format(missing=missing) + "\n")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        if arguments.graph:
            path, *names = arguments.graph
            figures = measure_graph(Path(folder), path, NameReader(*names) if names else ())
        else:
            figures = measure(Path(folder))
    if arguments.json:
        json.dump(figures, sys.stdout, indent=2)
        sys.stdout.write("\n")
    else:
        Console().print(show(figures))
    # A user's own graph is timed, not judged.
    kept = arguments.graph or (figures["hub_ratio"] <= HUB_LIMIT and figures["import_ratio"] <= IMPORT_LIMIT)
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
