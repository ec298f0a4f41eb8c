"""Remove a graph."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.core.management.base import CommandError

from kgstore.loading.errors import GraphLoadError
from kgstore.store import GraphStoreError
from webapp.engine import graph_library
from webapp.platform.terminal.command import TerminalCommand

if TYPE_CHECKING:
    from argparse import ArgumentParser


class Command(TerminalCommand):
    """``manage.py remove_graph NAME``."""

    help = "Remove a graph. Its runs can still be read."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """See ``--help``."""
        parser.add_argument("name", help="the name of the graph in addresses")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Remove it."""
        try:
            graph_library().remove(options["name"])
        except GraphStoreError as error:
            raise CommandError(error.for_operators) from error
        except GraphLoadError as error:
            raise CommandError(str(error)) from error
        self.print_text(f"Removed {options['name']}.")
