"""Count a benchmark's questions by the size of their gold structures."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.core.management.base import CommandError
from rich.table import Table

from reasoning.datasets.errors import DatasetError
from reasoning.datasets.registry import FORMATS, read_dataset
from reasoning.evaluation.metrics.structure_size import StructureTable
from webapp.platform.terminal.command import Terminal, TerminalCommand

if TYPE_CHECKING:
    from argparse import ArgumentParser

_BEGINNING = 4_096
_MARKS = {'"Questions"': "webqsp", '"qid"': "grailqa", '"sparql"': "cwq"}
"""What distinguishes the formats near the beginning of a file."""


class Command(TerminalCommand):
    """``manage.py structure_table FILE…``."""

    help = "Print questions by the leaves and edges of their gold structures. See docs/explanation/gold.md."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """See ``--help``."""
        parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="a benchmark's file of questions")
        parser.add_argument(
            "--format", choices=list(FORMATS), help="the format of the files (default: detected from their first lines)"
        )
        parser.add_argument("--json", action="store_true", help='print {"leaves": {"edges": questions}}')

    def handle(self, *_args: Any, **options: Any) -> None:
        """Count, print the table, and say on standard error what is not in it."""
        table = StructureTable()
        for path in options["files"]:
            try:
                table.add(read_dataset(path, options["format"] or _format_of(path)))
            except DatasetError as error:
                raise CommandError(str(error)) from error
        rows = table.by_leaves()
        if options["json"]:
            self.print_json(rows, indent=None)
        else:
            _print(table)
        counted, left_out = table.sizes.total(), table.left_out.total()
        self.print_note(f"Counted {counted:,} of {counted + left_out:,} questions.")
        for reason, count in table.left_out.most_common():
            self.print_note(f"Not counted, {count:,}: {reason}")


def _format_of(path: Path) -> str:
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            beginning = file.read(_BEGINNING)
    except OSError as error:
        raise CommandError(f"{path} cannot be read: {error.strerror or error}.") from error
    found = {beginning.find(mark): name for mark, name in _MARKS.items() if mark in beginning}
    if not found:
        raise CommandError(f"Cannot detect the format of {path}. Name it: --format {'|'.join(FORMATS)}.")
    return found[min(found)]


def _print(table: StructureTable) -> None:
    edges = sorted({size.edges for size in table.sizes})
    printed = Table("leaves", *(str(edge) for edge in edges), "questions", title="edges", box=None, header_style="dim")
    for leaves, row in table.by_leaves().items():
        printed.add_row(str(leaves), *(str(row.get(edge, "")) for edge in edges), str(sum(row.values())))
    Terminal().print(printed)
