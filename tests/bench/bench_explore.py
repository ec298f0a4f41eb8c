"""How soon a hub of a million facts is looked into: ``python -m tests.bench.bench_explore [--facts N] [--json]``.

In SQLite, and in a Neo4j of its own where Java and Maven are there. Each figure of the hub is shown next to that of a
leaf in the same run.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table

from kgstore.exploring.common_neighbours import common_neighbours
from kgstore.exploring.paths import shortest_paths
from kgstore.loading.reading import GraphToLoad
from kgstore.neo4j.bulk_import import import_arguments, write_import_files
from kgstore.neo4j.library import Neo4jLibrary
from kgstore.sqlite.library import SqliteLibrary
from kgstore.store_parts.cursor import encode_cursor
from kgstore.terms import Direction, Entity, Relation
from tests.neo4j_server.server import Neo4jServer
from webapp.launch.setup import NO_NEO4J, neo4j_missing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from kgstore.exploring.explorable import ExplorableStore
    from kgstore.loading.formats.lines import TripleText

FACTS = 1_000_000
PAGE = 50
REPEATS = 100
WARM_UP = 30
"""Number of calls that are not measured: Java compiles what runs often."""
NAME = "bench-explore"
HUB, PREDICATE = Entity("hub"), "r.s.in"
BACK = Relation(PREDICATE, Direction.REVERSE)


def triples(facts: int) -> Iterator[TripleText]:
    """A hub with this number of facts; some of its neighbours are connected."""
    for leaf in range(facts):
        yield f"leaf{leaf}", PREDICATE, "hub"
    for leaf in range(0, facts, 10):
        yield f"leaf{leaf}", "r.s.knows", f"leaf{(leaf * 7 + 1) % facts}"


def percentile(call: Callable[[], object]) -> float:
    """The 95th percentile of some calls, in milliseconds."""
    for _ in range(WARM_UP):
        call()
    taken = []
    for _ in range(REPEATS):
        started = time.perf_counter()
        call()
        taken.append(1_000 * (time.perf_counter() - started))
    return sorted(taken)[int(0.95 * REPEATS)]


def measured(store: ExplorableStore, facts: int) -> dict[str, float]:
    """Every figure of a store, in milliseconds at the 95th percentile."""
    chosen = random.Random(7)
    cursors = [encode_cursor(store.info().version, place) for place in (PAGE, facts // 2, facts - 2 * PAGE)]

    def leaf() -> Entity:
        return Entity(f"leaf{chosen.randrange(facts)}")

    def some(count: int) -> list[Entity]:
        return [leaf() for _ in range(count)]

    return {
        "relations of a leaf": percentile(lambda: store.relations([leaf()])),
        "relations of the hub": percentile(lambda: store.relations([HUB])),
        "the facts of a leaf": percentile(lambda: store.page(leaf(), Relation(PREDICATE), PAGE)),
        f"the first {PAGE} facts of the hub": percentile(lambda: store.page(HUB, BACK, PAGE)),
        f"any next {PAGE} facts of the hub": percentile(lambda: store.page(HUB, BACK, PAGE, chosen.choice(cursors))),
        f"{PAGE} facts of its relation": percentile(lambda: store.facts_of(PREDICATE, PAGE)),
        f"facts between {PAGE} leaves and the hub with 500 others": percentile(
            lambda: store.joining(some(PAGE), [HUB, *some(500)], 100_000)
        ),
        "paths between two leaves": percentile(lambda: shortest_paths(store, leaf(), leaf(), longest=4, limit=10)),
        "common neighbours of a leaf and the hub": percentile(
            lambda: common_neighbours(store, leaf(), HUB, limit=PAGE)
        ),
        "best known": percentile(lambda: store.best_known(10)),
        "schema": percentile(store.schema),
    }


def graph(facts: int) -> GraphToLoad:
    """The graph, to be loaded."""
    return GraphToLoad(triples(facts), NAME, "Bench", "made up")


def in_sqlite(folder: Path, facts: int) -> dict[str, float]:
    """The figures of the embedded store."""
    with closing(SqliteLibrary(folder / "graphs")) as library:
        library.load(graph(facts))
        return measured(library.open(NAME), facts)


def in_neo4j(folder: Path, facts: int) -> dict[str, float]:
    """The figures of a Neo4j that lives as long as the bench."""
    server = Neo4jServer.install(folder / "server", heap="2g", page_cache="1g", for_minutes=False)
    write_import_files(graph(facts), folder / "files")
    server.admin(*import_arguments(folder / "files"))
    try:
        server.start()
        with closing(Neo4jLibrary(server.url)) as library:
            library.connection.make_schema()
            return measured(library.open(NAME), facts)
    finally:
        server.kill()


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--facts", type=int, default=FACTS, help="how many the hub has")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    options = parser.parse_args()
    figures: dict[str, dict[str, float]] = {}
    missing = neo4j_missing(named_server_counts=False)
    with tempfile.TemporaryDirectory() as folder:
        figures["SQLite"] = in_sqlite(Path(folder), options.facts)
        if not missing:
            figures["Neo4j"] = in_neo4j(Path(folder), options.facts)
    if options.json:
        json.dump(figures, sys.stdout, indent=2)
        sys.stdout.write("\n")
        return
    table = Table("what", *figures, title=f"ms at the 95th percentile, a hub of {options.facts:,} facts")
    for what in figures["SQLite"]:
        table.add_row(what, *(f"{figures[store][what]:.2f}" for store in figures))
    Console().print(table)
    if missing:
        Console().print(NO_NEO4J.replace("tests were", "bench was").format(missing=missing))


if __name__ == "__main__":
    main()
