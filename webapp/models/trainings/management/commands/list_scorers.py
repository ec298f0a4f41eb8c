"""List the scorers that can be chosen."""

from __future__ import annotations

from typing import Any

from rich.table import Table

from webapp import engine
from webapp.platform.terminal.command import Terminal, TerminalCommand


class Command(TerminalCommand):
    """``manage.py list_scorers``."""

    help = "List the scorers that can be chosen, in settings (DISCERN_SCORER) and for every question or evaluation."

    def add_arguments(self, parser: Any) -> None:
        """See ``--help``."""
        parser.add_argument("--json", action="store_true", help="print names and model cards as one JSON document")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Print them."""
        cards = {name: engine.scorer_card(name) for name in engine.scorer_names()}
        if options["json"]:
            self.print_json(cards)
            return
        table = Table("name", "learned from", "trained", title="Scorers", header_style="dim")
        for name, card in cards.items():
            trained = {} if card is None else card["trained"]
            table.add_row(name, trained.get("title", "nothing: it has no weights"), trained.get("finished_at", ""))
        Terminal().print(table)
