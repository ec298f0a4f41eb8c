"""How fast dumps are read, what a graph takes in memory and on disk: ``python -m tests.bench.bench_loaders [--json]``.

Reading is compared with bare gzip and readline in the same run. Bytes a triple are the slope between two sizes of a
made-up graph, so that what every process takes anyway does not count; give ``--graph FILE`` for those of a real one.
"""

from __future__ import annotations

import argparse
import gzip
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from rich.console import Console
from rich.table import Table

from kgstore.loading.formats.filters import TripleFilter
from kgstore.loading.formats.freebase_rdf import FreebaseRdfReader
from kgstore.loading.formats.registry import format_of
from kgstore.loading.formats.tsv import NameReader, TripleReader
from kgstore.sqlite.loader import load_graph

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

DUMP_ENTITIES = 100_000
GRAPH_ENTITIES = (50_000, 200_000)
FACTS = 6
LANGUAGES = ("en", "de", "fr", "ja", "ru", "pt-BR", "zh-Hant")
DOMAINS = ("film", "tv", "people", "location", "sports", "music", "base.thing", "user.someone.default")
NS, KEY = "http://rdf.freebase.com/ns/", "http://rdf.freebase.com/key/"
FILM = TripleFilter(kept_domains=frozenset({"film"}), languages=frozenset({"en"}))
MEGABYTE = 1e6


def graph_triples(entities: int) -> Iterator[tuple[str, str, str]]:
    """Names, types, facts and dates of made-up entities; some are far better known than others."""
    rng = np.random.default_rng(7)
    for number in range(entities):
        mid = f"m.0{number:06x}"
        objects = (entities * rng.random(FACTS) ** 3).astype(int).tolist()
        relations = np.minimum(rng.zipf(1.4, FACTS), 600).tolist()
        yield mid, "type.object.name", f'"The name of number {number}"@en'
        yield mid, "type.object.type", f"{DOMAINS[number % 6]}.kind{number % 40}"
        for obj, relation in zip(objects, relations, strict=True):
            yield mid, f"{DOMAINS[relation % 8]}.kind{relation % 40}.relation{relation}", f"m.0{obj:06x}"
        if not number % 3:
            yield (
                mid,
                "people.person.date_of_birth",
                f'"19{number % 100:02d}-0{number % 9 + 1}-1{number % 10}"^^xsd:date',
            )


def write_graph(path: Path, entities: int) -> int:
    """The made-up graph as TSV; returns how many triples it has."""
    count = 0
    with path.open("w", encoding="utf-8") as file:
        for count, triple in enumerate(graph_triples(entities), start=1):  # noqa: B007 - the last count is wanted
            file.write("\t".join(triple) + "\n")
    return count


def write_dump(path: Path) -> None:
    """The same as an RDF dump, with what a real one has besides: labels, keys, names in many languages, numbers."""
    xsd = "http://www.w3.org/2001/XMLSchema#"
    with gzip.open(path, "wt", encoding="utf-8", compresslevel=6) as file:
        for number, (subject, predicate, obj) in enumerate(graph_triples(DUMP_ENTITIES)):
            term = obj.replace("xsd:date", f"<{xsd}date>") if obj[0] == '"' else f"<{NS}{obj}>"
            file.write(f"<{NS}{subject}>\t<{NS}{predicate}>\t{term}\t.\n")
            if predicate == "type.object.name":
                for language in LANGUAGES:
                    file.write(f'<{NS}{subject}>\t<{NS}{predicate}>\t"Ein \\"Name\\" {number}"@{language}\t.\n')
                    file.write(f'<{NS}{subject}>\t<{NS}common.topic.alias>\t"Other {number}"@{language}\t.\n')
                file.write(f"<{NS}{subject}>\t<http://www.w3.org/2000/01/rdf-schema#label>\t{obj}\t.\n")
                file.write(f'<{NS}{subject}>\t<{KEY}wikipedia.en>\t"Name$0027s_{number}"\t.\n')
                file.write(f'<{NS}{subject}>\t<{KEY}wikipedia.de_id>\t"{number}"\t.\n')
                file.write(f'<{NS}{subject}>\t<{NS}location.statistical_region.number>\t"{number}.5"\t.\n')


def seconds(read: Callable[[], Iterator[object]]) -> tuple[float, int]:
    """How long the quicker of two readings takes, and of how many things."""
    taken, count = [], 0
    for _ in range(2):
        started = time.perf_counter()
        count = sum(1 for _ in read())
        taken.append(time.perf_counter() - started)
    return min(taken), count


def bare_lines(path: Path) -> Iterator[bytes]:
    """Bare gzip and readline."""
    with gzip.open(path) as file:
        while line := file.readline():
            yield line


def reading(folder: Path) -> dict[str, Any]:
    """The dump compared with bare gzip."""
    path = folder / "dump.nt.gz"
    write_dump(path)
    bare, lines = seconds(lambda: bare_lines(path))
    whole, triples = seconds(lambda: iter(FreebaseRdfReader(path, strict=True)))
    filtered, taken = seconds(lambda: iter(FreebaseRdfReader(path, chosen=FILM, strict=True)))
    return {
        "lines": lines,
        "bare_lines_per_second": lines / bare,
        "triples": triples,
        "whole_lines_per_second": lines / whole,
        "whole_to_bare": whole / bare,
        "filtered_triples": taken,
        "filtered_lines_per_second": lines / filtered,
        "filtered_to_bare": filtered / bare,
    }


def load(path: Path, names: Path | None, target: Path) -> dict[str, float]:
    """Load in this process: triples, peak memory and size on disk in bytes."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    source = TripleReader(path) if path.suffix == ".tsv" else format_of(path).read(path)
    report = load_graph(
        source, target, name="bench", title="Bench", source="made up", names=NameReader(names) if names else ()
    )
    return {
        "triples": report.triples,
        "entities": report.entities,
        "seconds": report.seconds,
        "memory": 1024 * (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before),
        "disk": target.stat().st_size,
    }


def load_apart(path: Path, folder: Path, names: Path | None = None) -> dict[str, float]:
    """Load in a process of its own, whose peak memory is the load's alone."""
    command = [sys.executable, "-m", "tests.bench.bench_loaders", "--load", str(path), str(folder / "loaded.sqlite")]
    done = subprocess.run([*command, *([str(names)] if names else [])], check=True, capture_output=True, text=True)
    result: dict[str, float] = json.loads(done.stdout)
    return result


def sizes(folder: Path) -> dict[str, Any]:
    """Bytes a triple: the slope between two sizes."""
    loaded = []
    for entities in GRAPH_ENTITIES:
        path = folder / f"{entities}.tsv"
        write_graph(path, entities)
        loaded.append(load_apart(path, folder))
    small, large = loaded
    more = large["triples"] - small["triples"]
    return {
        "loads": loaded,
        "triples_per_entity": large["triples"] / large["entities"],
        "memory_bytes_per_triple": (large["memory"] - small["memory"]) / more,
        "disk_bytes_per_triple": (large["disk"] - small["disk"]) / more,
    }


def show(figures: dict[str, Any]) -> Iterator[Table]:
    """The figures for people."""
    if read := figures.get("reading"):
        table = Table("reading", "lines a second", "÷ bare", title=f"A dump of {read['lines']:,} lines")
        table.add_row("bare gzip and readline", f"{read['bare_lines_per_second']:,.0f}", "1.0")
        table.add_row(
            f"all {read['triples']:,} triples", f"{read['whole_lines_per_second']:,.0f}", f"{read['whole_to_bare']:.1f}"
        )
        table.add_row(
            f"{read['filtered_triples']:,} of one domain, in English, in two passes",
            f"{read['filtered_lines_per_second']:,.0f}",
            f"{read['filtered_to_bare']:.1f}",
        )
        yield table
    table = Table("loading into SQLite", "triples", "entities", "seconds", "peak memory", "on disk")
    for load_figures in figures["sizes"]["loads"]:
        table.add_row(
            "",
            f"{load_figures['triples']:,.0f}",
            f"{load_figures['entities']:,.0f}",
            f"{load_figures['seconds']:.1f}",
            f"{load_figures['memory'] / MEGABYTE:,.0f} MB",
            f"{load_figures['disk'] / MEGABYTE:,.0f} MB",
        )
    if "memory_bytes_per_triple" in figures["sizes"]:
        memory, disk = (figures["sizes"][f"{what}_bytes_per_triple"] for what in ("memory", "disk"))
        table.add_row("bytes a triple", "", "", "", f"{memory:.0f}", f"{disk:.0f}")
    yield table


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.add_argument("--graph", type=Path, nargs="+", metavar=("FILE", "NAMES"), help="load this one, nothing else")
    parser.add_argument("--load", nargs="+", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.load:
        path, target, *names = arguments.load
        sys.stdout.write(json.dumps(load(path, names[0] if names else None, target)))
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if arguments.graph:
            path, *names = arguments.graph
            figures: dict[str, Any] = {"sizes": {"loads": [load_apart(path, folder, *names)]}}
        else:
            figures = {"reading": reading(folder), "sizes": sizes(folder)}
    if arguments.json:
        json.dump(figures, sys.stdout, indent=2)
        sys.stdout.write("\n")
    else:
        for table in show(figures):
            Console().print(table)


if __name__ == "__main__":
    main()
