"""Load a graph from a file, so that questions can be asked of it."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.core.management.base import CommandError
from rich.table import Table

from kgstore.loading.errors import GraphLoadError
from kgstore.loading.formats.registry import FORMATS
from kgstore.loading.formats.tables.columns import suggested
from kgstore.loading.formats.tables.mapping import read_mapping, written_mapping
from kgstore.loading.formats.tables.reader import TableReader
from kgstore.neo4j.bulk_import import how_to_import, write_import_files
from webapp.graphs.loading import FileToLoad, GraphFile
from webapp.platform.terminal.command import Terminal, TerminalCommand, progress_bar

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Mapping

    from kgstore.loading.reading import LoadProgress, LoadReport

_STAGES = {
    "reading": "Reading triples",
    "arranging": "Sorting triples",
    "writing": "Writing the graph",
    "indexing": "Indexing names",
}


class Command(TerminalCommand):
    """``manage.py load_graph FILE --name NAME``."""

    help = (
        "Load a graph from a file of triples, in one of several formats. "
        "A graph of the same name is replaced once the new one is complete."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """See ``--help``."""
        parser.add_argument("file", type=Path, help="the triples, plain or packed (.gz, .bz2, .xz, .zst, .zip)")
        parser.add_argument("--name", required=True, help="the name of the graph in addresses: my-graph")
        parser.add_argument("--title", default="", help="the title of the graph (default: its name)")
        parser.add_argument("--names", type=Path, help="a file of names: an id and its names per line, between tabs")
        parser.add_argument(
            "--names-from-ids",
            action="store_true",
            help="derive the name of an entity without one from its id: Ada_Byron, "
            "http://dbpedia.org/resource/Ada_Lovelace",
        )
        parser.add_argument(
            "--format",
            choices=list(FORMATS),
            help="; ".join(f"{known.name}: {known.title}" for known in FORMATS.values())
            + ". By default it is detected from the first lines",
        )
        parser.add_argument("--rows", default="", help="only these rows of a rog file: ids, separated by commas")
        parser.add_argument(
            "--filters", type=Path, help="a TOML file: which domains, relations and languages of a dump to take"
        )
        parser.add_argument(
            "--mapping", type=Path, help="a file that says what the columns of tables mean; see --write-mapping"
        )
        parser.add_argument(
            "--write-mapping",
            type=Path,
            metavar="FILE",
            help="do not load; write what the columns of tables are taken for into this file, to be changed and used "
            "with --mapping",
        )
        parser.add_argument(
            "--import-files",
            type=Path,
            metavar="FOLDER",
            help="do not load; write files for neo4j-admin into this folder and print how to import them. For "
            "graphs of many millions of triples",
        )
        parser.add_argument("--strict", action="store_true", help="stop at the first malformed line")
        parser.add_argument("--json", action="store_true", help="report as one JSON document")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Load, and say what was loaded."""
        try:
            if options["write_mapping"]:
                self.print_note(_write_mapping(options["file"], options["write_mapping"]))
                return
            report, file = _load(options)
        except (GraphLoadError, ValueError) as error:
            raise CommandError(str(error)) from error
        except KeyboardInterrupt:
            raise CommandError("Stopped. The graphs that were there are unchanged.", returncode=130) from None
        if options["json"]:
            self.print_json(_document(report, file))
        else:
            _print(report, file)
        if options["import_files"]:
            self.print_note(how_to_import(options["import_files"]))


def _write_mapping(file: Path, out: Path) -> str:
    """Write what the columns of tables are taken for; returns how to use it."""
    try:
        out.write_text(written_mapping(suggested(TableReader(file).looked_at())), encoding="utf-8")
    except OSError as error:
        raise CommandError(f"{out} cannot be written: {error.strerror or error}.") from error
    return f"Wrote {out}. Change it as you like, and load with: --format table --mapping {out}"


def _load(options: Mapping[str, Any]) -> tuple[LoadReport, GraphFile]:
    """Load as the options say; returns the report and what was read, with its malformed lines."""
    file = GraphFile(
        FileToLoad(
            options["file"],
            options["name"],
            options["title"],
            format=options["format"] or "",
            names=options["names"],
            names_from_ids=options["names_from_ids"],
            rows=tuple(row.strip() for row in options["rows"].split(",") if row.strip()),
            filters=options["filters"],
            mapping=read_mapping(options["mapping"]) if options["mapping"] else (),
            strict=options["strict"],
        )
    )
    with progress_bar() as bar:
        task = bar.add_task(_STAGES["reading"], total=1.0)

        def show(progress: LoadProgress) -> None:
            fraction = file.fraction(progress)
            count = f" ({progress.done:,})" if progress.done else ""
            bar.update(
                task,
                description=f"{_STAGES[progress.stage]}{count}",
                completed=fraction or 0.0,
                total=None if fraction is None else 1.0,
            )

        if options["import_files"]:
            return write_import_files(file.graph, options["import_files"], show), file
        return file.load(show), file


def _document(report: LoadReport, file: GraphFile) -> dict[str, Any]:
    readers = file.readers
    return dataclasses.asdict(report) | {
        "advice": list(report.advice),
        "filters": list(file.filters()),
        "malformed": file.malformed,
        "malformed_examples": [
            {"file": str(reader.path)} | dataclasses.asdict(line) for reader in readers for line in reader.examples
        ],
    }


def _print(report: LoadReport, file: GraphFile) -> None:
    console = Terminal()
    table = Table(title=f"Loaded {report.name}", show_header=False, title_justify="left")
    table.add_column(style="bold")
    table.add_column(justify="right")
    for words, count in (
        ("triples read", report.triples_read),
        ("distinct triples", report.triples),
        ("edges", report.edges),
        ("inverse edges added", report.completed),
        ("entities", report.entities),
        ("entities with a name", report.named),
        ("mediators", report.mediators),
        ("literals", report.literals),
        ("predicates", report.predicates),
        ("names for unknown ids", report.names_unused),
        ("names in other languages, left out", report.names_foreign),
        ("malformed lines, passed over", file.malformed),
    ):
        table.add_row(words, f"{count:,}")
    table.add_row("version", report.version)
    table.add_row("seconds", f"{report.seconds:.1f}")
    console.print(table)
    for advice in report.advice:
        console.print(advice, style="bold yellow", markup=False)
    for said in file.filters():
        console.print(said, markup=False)
    for reader in file.readers:
        for line in reader.examples:
            console.print(f"{reader.path.name}, line {line.number}: {line.reason}", style="yellow", markup=False)
        if (more := reader.malformed - len(reader.examples)) > 0:
            console.print(f"… and {more:,} more in {reader.path.name}", style="yellow")
