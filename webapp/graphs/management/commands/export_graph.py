"""Write a loaded graph into a file that other stores of RDF read."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.core.management.base import CommandError

from kgstore.loading.errors import GraphLoadError
from kgstore.loading.exported_graph import write_ntriples
from kgstore.store import GraphStoreError
from webapp.engine import graph
from webapp.platform.terminal.command import TerminalCommand, progress_bar

if TYPE_CHECKING:
    from argparse import ArgumentParser

    from kgstore.loading.exported_graph import GraphFileReport

_FORMATS = {"nt": write_ntriples}


class Command(TerminalCommand):
    """``manage.py export_graph NAME OUTPUT``."""

    help = (
        "Write a loaded graph as RDF, in the form that exported SPARQL queries expect: they find in the file what "
        "Discern finds in the graph."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """See ``--help``."""
        parser.add_argument("name", help="the name of the graph in addresses")
        parser.add_argument(
            "output", type=Path, nargs="?", help="the file to write: graph.nt or graph.nt.gz (default: NAME.nt)"
        )
        parser.add_argument("--format", choices=list(_FORMATS), default="nt", help="nt: N-Triples")
        parser.add_argument("--json", action="store_true", help="report as one JSON document")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Write it, and say what was written."""
        output = options["output"] or Path(f"{options['name']}.{options['format']}")
        try:
            with progress_bar() as bar:
                task = bar.add_task("Writing the graph", total=1.0)
                report = _FORMATS[options["format"]](
                    graph(options["name"]), output, lambda share: bar.update(task, completed=share)
                )
        except (GraphLoadError, GraphStoreError) as error:
            raise CommandError(str(error)) from error
        except KeyboardInterrupt:
            raise CommandError("Stopped. Nothing was written.", returncode=130) from None
        if options["json"]:
            self.print_json({"output": str(output)} | dataclasses.asdict(report))
        else:
            self.print_text("\n".join(_lines(report, output)))


def _lines(report: GraphFileReport, output: Path) -> list[str]:
    """What was written, for people."""
    counts = f"{report.facts:,} facts, {report.types:,} types and {report.names:,} names"
    lines = [f"Wrote {output}: {counts} of {report.entities:,} entities."]
    if report.relations_left_out:
        lines.append(f"Left out: {report.relations_left_out:,} relations that questions never follow.")
    if report.refused:
        lines.append(f"Left out: {report.refused:,} triples that RDF cannot hold, such as:")
        lines += [f"  {example}" for example in report.refused_examples]
    return lines
