"""How soon a hub of a million facts is looked into: ``python -m tests.bench.bench_explore [--facts N] [--json]``.

In SQLite, and in Neo4j where ``NEO4J_TEST_URL`` names one. Each figure stands beside that of a leaf in the same run.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table

from kgstore.common_neighbours import common_neighbours
from kgstore.cursor import encode_cursor
from kgstore.loading.reading import GraphToLoad
from kgstore.open import open_library
from kgstore.paths import shortest_paths
from kgstore.terms import Direction, Entity, Relation

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from kgstore.explorable import ExplorableStore
    from kgstore.loading.lines import TripleText

FACTS = 1_000_000
PAGE = 50
REPEATS = 100
NAME = "bench-explore"
HUB, PREDICATE = Entity("hub"), "r.s.in"
BACK = Relation(PREDICATE, Direction.REVERSE)


def triples(facts: int) -> Iterator[TripleText]:
    """A hub that so many leaves lead to, some of which know one another."""
    for leaf in range(facts):
        yield f"leaf{leaf}", PREDICATE, "hub"
    for leaf in range(0, facts, 10):
        yield f"leaf{leaf}", "r.s.knows", f"leaf{(leaf * 7 + 1) % facts}"


def percentile(call: Callable[[], object]) -> float:
    """The 95th percentile of some calls, in milliseconds."""
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


def measure(url: str, facts: int) -> dict[str, float]:
    """Load the graph into a library, measure, and remove it."""
    with closing(open_library(url)) as library:
        library.load(GraphToLoad(list(triples(facts)), NAME, "Bench", "made up"))
        try:
            return measured(library.open(NAME), facts)
        finally:
            library.remove(NAME)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--facts", type=int, default=FACTS, help="how many the hub has")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    options = parser.parse_args()
    figures: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        figures["SQLite"] = measure(f"sqlite:///{Path(folder)}", options.facts)
    if url := os.environ.get("NEO4J_TEST_URL"):
        figures["Neo4j"] = measure(url, options.facts)
    if options.json:
        json.dump(figures, sys.stdout, indent=2)
        sys.stdout.write("\n")
        return
    table = Table("what", *figures, title=f"ms at the 95th percentile, a hub of {options.facts:,} facts")
    for what in figures["SQLite"]:
        table.add_row(what, *(f"{figures[store][what]:.2f}" for store in figures))
    Console().print(table)


if __name__ == "__main__":
    main()
