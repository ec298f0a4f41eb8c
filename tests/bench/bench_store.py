"""How fast the embedded store is, on a million made-up triples: ``python -m tests.bench.bench_store [--json]``.

Each figure is measured against a baseline in the same run: relations against bare arrays, loading against a bare loop
of INSERTs into one table of texts, a hub against a leaf.
"""

from __future__ import annotations

import argparse
import gc
import json
import sqlite3
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from rich.console import Console
from rich.table import Table

from kgstore.loading.formats.tsv import TripleReader
from kgstore.sqlite.loader import load_graph
from kgstore.sqlite.store import SqliteStore
from kgstore.terms import Direction, Entity, Relation

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

TRIPLES = 1_000_000
ENTITIES = 150_000
PREDICATES = 600
HUB_EDGES = 120_000
REPEATS = 25
SYLLABLES = ("ja", "mai", "ca", "new", "york", "ob", "ama", "kni", "ght", "ri", "der", "lo", "ve", "san", "ta", "mo")
TYPED = ("j", "jam", "new yo", "ob", "santamo", "knightri")


def write_triples(path: Path, rng: np.random.Generator) -> None:
    """A graph with few much used predicates and many rare ones, well known entities, one hub, and names.

    The triples of a subject stand together, as in dumps.
    """
    edges = TRIPLES - HUB_EDGES - ENTITIES
    subject = np.sort(rng.integers(0, ENTITIES, edges))
    predicate = np.minimum(rng.zipf(1.4, edges), PREDICATES) - 1
    obj = (ENTITIES * rng.random(edges) ** 3).astype(np.int64)
    syllables = rng.integers(0, len(SYLLABLES), (ENTITIES, 4))
    with path.open("w", encoding="utf-8") as file:
        for entity, chosen in enumerate(syllables.tolist()):
            first, second, third, fourth = (SYLLABLES[i] for i in chosen)
            file.write(f'm.{entity:06x}\ttype.object.name\t"{first}{second} {third}{fourth} {entity}"@en\n')
        for s, p, o in zip(subject.tolist(), predicate.tolist(), obj.tolist(), strict=True):
            file.write(f"m.{s:06x}\tdomain{p % 40}.type{p % 120}.relation{p}\tm.{o:06x}\n")
        for leaf in range(HUB_EDGES):
            file.write(f"m.{leaf:06x}\tpeople.person.nationality\tm.hub\n")


class BareArrays:
    """The least that could answer `relations`: a dictionary of ids and, for each, a slice of an array of counts."""

    def __init__(self, path: Path) -> None:
        self.ids: dict[str, int] = {}
        predicates: dict[str, int] = {}
        entities, codes = [], []
        for subject, predicate, obj in set(TripleReader(path)):
            if not obj.startswith('"'):
                code = 2 * predicates.setdefault(predicate, len(predicates))
                entities += (
                    self.ids.setdefault(subject, len(self.ids)),
                    self.ids.setdefault(obj, len(self.ids)),
                )
                codes += (code, code + 1)
        width = 2 * len(predicates)
        keys, self.triples = np.unique(np.array(entities) * width + np.array(codes), return_counts=True)
        owner, self.code = np.divmod(keys, width)
        self.start = np.searchsorted(owner, np.arange(len(self.ids) + 1))

    def relations(self, entities: Sequence[Entity]) -> list[tuple[int, int, int]]:
        """Code, entities and triples of every relation that the entities have."""
        ids = np.fromiter((self.ids[entity.mid] for entity in entities), np.int64, len(entities))
        start, length = self.start[ids], self.start[ids + 1] - self.start[ids]
        rows = np.arange(length.sum()) + np.repeat(start - np.cumsum(length) + length, length)
        having = np.bincount(self.code[rows])
        triples = np.bincount(self.code[rows], weights=self.triples[rows])
        codes = np.flatnonzero(having)
        return list(zip(codes.tolist(), having[codes].tolist(), triples[codes].tolist(), strict=True))


def insert_loop_seconds(path: Path, folder: Path) -> float:
    """A bare loop: split every line and insert it, no ids, no index, no counts, no names."""
    started = time.perf_counter()
    with closing(sqlite3.connect(folder / "bare.sqlite")) as connection, path.open(encoding="utf-8") as file:
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute("CREATE TABLE triples (subject TEXT, predicate TEXT, object TEXT)")
        for line in file:
            connection.execute("INSERT INTO triples VALUES (?, ?, ?)", line.rstrip("\n").split("\t"))
        connection.commit()
    return time.perf_counter() - started


def milliseconds(call: Callable[[], object], repeats: int = REPEATS) -> float:
    """The quickest of some calls: what the code takes, whatever else the machine is doing."""
    call()
    gc.collect()
    taken = []
    for _ in range(repeats):
        started = time.perf_counter()
        call()
        taken.append(time.perf_counter() - started)
    return 1000 * min(taken)


def measure(folder: Path) -> dict[str, Any]:
    """Every figure, in milliseconds unless its name says otherwise."""
    rng = np.random.default_rng(7)
    path = folder / "triples.tsv"
    write_triples(path, rng)
    insert_seconds = insert_loop_seconds(path, folder)
    target = folder / "bench.sqlite"
    started = time.process_time()
    report = load_graph(TripleReader(path, strict=True), target, name="bench", title="Bench", source="made up")
    figures: dict[str, Any] = {
        "triples": report.triples_read,
        "load_seconds": report.seconds,
        "load_processor_seconds": time.process_time() - started,
        "load_triples_per_second": report.triples_read / report.seconds,
        "insert_loop_triples_per_second": report.triples_read / insert_seconds,
        "file_megabytes": target.stat().st_size / 1e6,
        "open": milliseconds(lambda: SqliteStore(target).close()),
    }
    store, arrays = SqliteStore(target), BareArrays(path)
    known = [Entity(f"m.{i:06x}") for i in rng.permutation(ENTITIES).tolist() if f"m.{i:06x}" in arrays.ids]
    figures["relations"] = [relations_against_arrays(store, arrays, known[:size]) for size in (1, 100, 1000)]

    hub, leaf = Entity("m.hub"), known[1]
    backwards = Relation("people.person.nationality", Direction.REVERSE)
    figures["hub_edges"] = store.expand([hub], backwards, 0).total
    figures["hub_relations"] = milliseconds(lambda: store.relations([hub]), 200)
    figures["leaf_relations"] = milliseconds(lambda: store.relations([leaf]), 200)
    figures["hub_to_leaf"] = figures["hub_relations"] / figures["leaf_relations"]
    figures["hub_expand_200"] = milliseconds(lambda: store.expand([hub], backwards, 200))
    figures["expand_1000_entities"] = milliseconds(
        lambda: store.expand(known[:1000], Relation("domain0.type0.relation0"), 5000)
    )
    figures["links_1000_entities_to_hub"] = milliseconds(lambda: store.links(known[:1000], [hub]))
    figures["search"] = {typed: milliseconds(lambda typed=typed: store.search(typed, 10)) for typed in TYPED}
    figures["named_200"] = milliseconds(lambda: store.named([f"nobody {i}" for i in range(200)]))
    store.close()
    return figures


def relations_against_arrays(store: SqliteStore, arrays: BareArrays, entities: Sequence[Entity]) -> dict[str, float]:
    """The store and bare arrays, asked for the relations of the same entities."""
    ours = [(count.entities, count.triples) for count in store.relations(entities)]
    assert sorted(ours) == sorted((having, triples) for _, having, triples in arrays.relations(entities))
    sqlite = milliseconds(lambda: store.relations(entities))
    bare = milliseconds(lambda: arrays.relations(entities))
    return {
        "entities": len(entities),
        "relations": len(ours),
        "sqlite": sqlite,
        "bare_arrays": bare,
        "ratio": sqlite / bare,
    }


def show(figures: dict[str, Any]) -> Table:
    """The figures for people."""
    table = Table("what", "measured", "against", title=f"{figures['triples']:,} triples", title_justify="left")
    for row in figures["relations"]:
        table.add_row(
            f"relations of {row['entities']:.0f} entities ({row['relations']} found)",
            f"{row['sqlite']:.3f} ms",
            f"bare arrays {row['bare_arrays']:.3f} ms, ratio {row['ratio']:.1f}",
        )
    table.add_row(
        f"relations of a hub with {figures['hub_edges']:,} edges",
        f"{figures['hub_relations']:.3f} ms",
        f"leaf {figures['leaf_relations']:.3f} ms, ratio {figures['hub_to_leaf']:.1f}",
    )
    table.add_row("200 triples of the hub", f"{figures['hub_expand_200']:.2f} ms", "")
    table.add_row("expand 1,000 entities", f"{figures['expand_1000_entities']:.2f} ms", "")
    table.add_row("links of 1,000 entities to the hub", f"{figures['links_1000_entities_to_hub']:.2f} ms", "")
    for typed, taken in figures["search"].items():
        table.add_row(f"search {typed!r}", f"{taken:.2f} ms", "")
    table.add_row("200 names that nobody bears", f"{figures['named_200']:.2f} ms", "")
    table.add_row("open", f"{figures['open']:.2f} ms", f"{figures['file_megabytes']:.0f} MB on disk")
    table.add_row(
        "load, triples a second",
        f"{figures['load_triples_per_second']:,.0f}",
        f"bare INSERT loop {figures['insert_loop_triples_per_second']:,.0f}",
    )
    table.add_row(
        "load, seconds", f"{figures['load_seconds']:.1f}", f"of the processor {figures['load_processor_seconds']:.1f}"
    )
    return table


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    as_json = parser.parse_args().json
    with tempfile.TemporaryDirectory() as folder:
        figures = measure(Path(folder))
    if as_json:
        json.dump(figures, sys.stdout, indent=2)
        sys.stdout.write("\n")
    else:
        Console().print(show(figures))


if __name__ == "__main__":
    main()
