"""List the graphs that can be asked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.core.management.base import CommandError
from rich.table import Table

from kgstore.library import UnreadableGraph
from kgstore.store import GraphStoreError
from webapp import engine
from webapp.platform.terminal.command import Terminal, TerminalCommand

if TYPE_CHECKING:
    from argparse import ArgumentParser

    from kgstore.store import GraphInfo


class Command(TerminalCommand):
    """``manage.py list_graphs``."""

    help = "List the graphs that were loaded. The default one, which DISCERN_GRAPH names, is marked with *."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """See ``--help``."""
        parser.add_argument("--json", action="store_true", help="print one JSON document")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Print them."""
        try:
            graphs = engine.graph_library().infos()
        except GraphStoreError as error:
            raise CommandError(error.for_operators) from error
        if options["json"]:
            self.print_json([_document(graph) for graph in graphs])
            return
        if not graphs:
            self.print_text(
                "No graph is loaded. Load one with manage.py load_graph, or the sample with manage.py prepare."
            )
            return
        table = Table(
            "name", "title", "entities", "triples", "loaded", "what to do", title="Graphs", header_style="dim"
        )
        for graph in graphs:
            name = f"{graph.name} *" if graph.name == engine.default_graph() else graph.name
            if isinstance(graph, UnreadableGraph):
                table.add_row(name, "", "", "", "", graph.error.for_operators)
            else:
                counts = f"{graph.entities:,}", f"{graph.triples:,}"
                table.add_row(name, graph.title, *counts, graph.loaded_at, " ".join(graph.advice))
        Terminal().print(table)


def _document(graph: GraphInfo | UnreadableGraph) -> dict[str, Any]:
    is_default = graph.name == engine.default_graph()
    if isinstance(graph, UnreadableGraph):
        return {"name": graph.name, "is_default": is_default, "fault": graph.error.for_operators}
    return {
        "name": graph.name,
        "is_default": is_default,
        "title": graph.title,
        "version": graph.version,
        "entities": graph.entities,
        "triples": graph.triples,
        "source": graph.source,
        "loaded_at": graph.loaded_at,
        "advice": list(graph.advice),
    }
