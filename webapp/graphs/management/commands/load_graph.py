"""Load a graph from a file, so that questions can be asked of it."""

from __future__ import annotations

import dataclasses
import json
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.core.management.base import BaseCommand, CommandError
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn
from rich.table import Table
from webapp.engine import graph_library

from kgstore.loading.errors import GraphLoadError
from kgstore.loading.rog import RogReader
from kgstore.loading.sqlite_loader import load_graph
from kgstore.loading.tsv import NameReader, TripleReader

if TYPE_CHECKING:
    from argparse import ArgumentParser

    from kgstore.loading.sqlite_loader import LoadProgress, LoadReport
    from kgstore.loading.tsv import LineReader

_STAGES = {
    "reading": "Reading triples",
    "arranging": "Sorting them",
    "writing": "Writing the graph",
    "indexing": "Indexing names",
}


class Command(BaseCommand):
    """``manage.py load_graph FILE --name NAME``."""

    help = "Load a graph from a file of triples. A graph of the same name is replaced once the new one is complete."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """See ``--help``."""
        parser.add_argument("file", type=Path, help="the triples, plain or gzipped")
        parser.add_argument("--name", required=True, help="what to call the graph in addresses: my-graph")
        parser.add_argument("--title", default="", help="what people call it; the name if not given")
        parser.add_argument("--names", type=Path, help="names of entities, an id and a name with a tab between a line")
        parser.add_argument(
            "--format",
            choices=["tsv", "rog"],
            default="tsv",
            help="tsv: subject, predicate, object with tabs between; rog: JSON lines with a graph of names each",
        )
        parser.add_argument("--rows", default="", help="of a rog file only these rows, by id, with commas between")
        parser.add_argument("--strict", action="store_true", help="stop at the first malformed line")
        parser.add_argument("--json", action="store_true", help="report as one JSON document")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Load, and say what was loaded."""
        # Whoever ends the process politely must leave nothing half loaded either.
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
        try:
            report, readers = _load(**{key: options[key] for key in _OPTIONS})
        except (GraphLoadError, ValueError) as error:
            raise CommandError(str(error)) from error
        except KeyboardInterrupt:
            raise CommandError("Stopped. Nothing was changed.", returncode=130) from None
        if options["json"]:
            self.stdout.write(json.dumps(_document(report, readers), indent=2))
        else:
            _print(report, readers)


_OPTIONS = ("file", "name", "title", "names", "format", "rows", "strict")


def _load(
    *, file: Path, name: str, title: str, names: Path | None, format: str, rows: str, strict: bool  # noqa: A002
) -> tuple[LoadReport, list[LineReader]]:
    if rows and format != "rog":
        raise CommandError("--rows chooses among the rows of a rog file; add --format rog.")
    target = graph_library().path(name)
    triples: TripleReader | RogReader
    if format == "rog":
        triples = RogReader(file, rows=[row.strip() for row in rows.split(",") if row.strip()], strict=strict)
    else:
        triples = TripleReader(file, strict=strict)
    name_reader = NameReader(names, strict=strict) if names else None
    with Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
    ) as bar:
        task = bar.add_task(_STAGES["reading"], total=1.0)

        def show(progress: LoadProgress) -> None:
            fraction = progress.done / progress.total if progress.total else None
            done = triples.lines.fraction if progress.stage == "reading" else fraction
            bar.update(
                task,
                description=f"{_STAGES[progress.stage]} ({progress.done:,})" if progress.done else _STAGES[progress.stage],
                completed=done or 0.0,
                total=None if done is None else 1.0,
            )

        report = load_graph(
            triples,
            target,
            name=name,
            title=title or name,
            source=file.name,
            names=name_reader or (),
            progress=show,
        )
    return report, [triples.lines, *([name_reader.lines] if name_reader else [])]


def _document(report: LoadReport, readers: list[LineReader]) -> dict[str, Any]:
    return dataclasses.asdict(report) | {
        "malformed": sum(reader.malformed for reader in readers),
        "malformed_examples": [
            {"file": str(reader.path)} | dataclasses.asdict(line) for reader in readers for line in reader.examples
        ],
    }


def _print(report: LoadReport, readers: list[LineReader]) -> None:
    console = Console()
    table = Table(title=f"Loaded {report.name}", show_header=False, title_justify="left")
    table.add_column(style="bold")
    table.add_column(justify="right")
    for words, count in (
        ("triples read", report.triples_read),
        ("distinct triples", report.triples),
        ("of them edges", report.edges),
        ("entities", report.entities),
        ("with a name", report.named),
        ("mediators", report.mediators),
        ("literals", report.literals),
        ("predicates", report.predicates),
        ("names for unknown ids", report.names_unused),
        ("names in other languages, left out", report.names_foreign),
        ("malformed lines, passed over", sum(reader.malformed for reader in readers)),
    ):
        table.add_row(words, f"{count:,}")
    table.add_row("version", report.version)
    table.add_row("seconds", f"{report.seconds:.1f}")
    console.print(table)
    for reader in readers:
        for line in reader.examples:
            console.print(f"{reader.path.name}, line {line.number}: {line.reason}", style="yellow", markup=False)
        if reader.malformed > len(reader.examples):
            console.print(f"… and {reader.malformed - len(reader.examples):,} more in {reader.path.name}", style="yellow")
