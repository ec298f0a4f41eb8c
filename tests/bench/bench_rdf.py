"""How fast RDF is read, next to rdflib: ``python -m tests.bench.bench_rdf [--statements N] [--json]``.

The same made-up graph is written in every format. Each reader goes over the whole file and keeps nothing but rdflib's
graph, as rdflib has no other way to read.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from pyoxigraph import BlankNode, Literal, NamedNode, Quad, RdfFormat, serialize
from rdflib import Dataset, Graph
from rich.console import Console
from rich.table import Table

from kgstore.loading.formats.registry import FORMATS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

STATEMENTS = 100_000
EX = "http://example.org/"
XSD = "http://www.w3.org/2001/XMLSchema#"
WRITTEN = {
    "ntriples": (RdfFormat.N_TRIPLES, "nt"),
    "nquads": (RdfFormat.N_QUADS, "nquads"),
    "turtle": (RdfFormat.TURTLE, "turtle"),
    "trig": (RdfFormat.TRIG, "trig"),
    "rdf-xml": (RdfFormat.RDF_XML, "xml"),
}
"""By format how pyoxigraph writes it, and what rdflib calls it."""
WITH_GRAPHS = frozenset({"nquads", "trig"})
REPEATS = 3


def statements(count: int, graph: NamedNode | None) -> Iterator[Quad]:
    """Facts, names, numbers, dates and blank nodes of made-up things, five to each."""
    for number in range(count):
        subject = NamedNode(f"{EX}thing/{number // 5}")
        kind = number % 5
        objects = (
            NamedNode(f"{EX}thing/{number * 7919 % count}"),
            Literal(f"The name of number {number}", language="en"),
            Literal(str(number), datatype=NamedNode(f"{XSD}integer")),
            Literal(f"19{number % 100:02d}-0{number % 9 + 1}-1{number % 10}", datatype=NamedNode(f"{XSD}date")),
            BlankNode(f"b{number % 1000}"),
        )
        quad = (subject, NamedNode(f"{EX}schema#relation{kind}_{number % 40}"), objects[kind])
        yield Quad(*quad, graph) if graph else Quad(*quad)


def seconds(read: Callable[[], object]) -> float:
    """Processor time of the quickest of some readings."""
    taken = []
    for _ in range(REPEATS):
        started = time.process_time()
        read()
        taken.append(time.process_time() - started)
    return min(taken)


def measured(name: str, folder: Path, count: int) -> dict[str, float | str]:
    """Statements per second of both readers for a format."""
    rdf_format, rdflib_name = WRITTEN[name]
    has_graphs = name in WITH_GRAPHS
    path = folder / f"file.{rdf_format.file_extension}"
    made = statements(count, NamedNode(f"{EX}graph") if has_graphs else None)
    serialize(made if has_graphs else (quad.triple for quad in made), str(path), format=rdf_format)

    def ours() -> None:
        found = sum(1 for _ in FORMATS[name].read(path))
        if found != count:
            raise SystemExit(f"{name}: {found:,} of {count:,} statements were read")

    def rdflib() -> None:
        (Dataset() if has_graphs else Graph()).parse(path, format=rdflib_name)

    own, other = seconds(ours), seconds(rdflib)
    return {"format": name, "per_second": count / own, "rdflib_per_second": count / other, "times": other / own}


def main() -> None:
    """Measure every format and print both speeds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--statements", type=int, default=STATEMENTS)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        rows = [measured(name, Path(folder), options.statements) for name in WRITTEN]
    if options.json:
        sys.stdout.write(json.dumps(rows, indent=2) + "\n")
        return
    table = Table("format", "statements/s", "rdflib", "times", title=f"Reading {options.statements:,} statements")
    for row in rows:
        per_second, other, times = (float(row[key]) for key in ("per_second", "rdflib_per_second", "times"))
        table.add_row(str(row["format"]), f"{per_second:,.0f}", f"{other:,.0f}", f"{times:.1f}")
    Console().print(table)


if __name__ == "__main__":
    main()
