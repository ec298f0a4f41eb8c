"""``manage.py ask``: a question from a terminal, without a server."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from django.core.management.base import CommandError

from kgstore.loading.errors import GraphLoadError
from kgstore.store import GraphStoreError
from kgstore.terms import Entity
from reasoning.switches import EngineSwitches
from webapp import engine
from webapp.graphs.sample import graph_prepared
from webapp.http.errors import ProductError
from webapp.questions.services import question_text
from webapp.questions.terminal import TerminalPrinter
from webapp.runs.schemas import RunEventOut
from webapp.terminal.arguments import strategy_arguments
from webapp.terminal.command import TerminalCommand

if TYPE_CHECKING:
    from django.core.management.base import CommandParser


class Command(TerminalCommand):
    """Ask, and print the stages as they happen."""

    help = "Ask a question and watch it being reasoned about. Nothing is kept."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the question and what it is asked of."""
        parser.add_argument("question")
        parser.add_argument("--topic", metavar="MID", help="the entity that the question is about")
        parser.add_argument("--graph", help="the graph to ask")
        parser.add_argument("--scorer", choices=engine.scorer_names(), help="the model that decides")
        strategy_arguments(parser)
        parser.add_argument("--json", action="store_true", help="one event a line, as the socket sends them")

    def handle(self, *_: Any, question: str, json: bool, **options: Any) -> None:
        """Print each event; the exit status is 1 where the run failed."""
        name = options["graph"] or engine.default_graph()
        try:
            question = question_text(question)
            engine.strategy_chosen(options["strategy"])
            graph_prepared(name)
        except (ProductError, GraphLoadError, GraphStoreError) as error:
            raise CommandError(error.message if isinstance(error, ProductError) else str(error)) from error
        events = engine.reason(
            question,
            graph_name=name,
            scorer_name=options["scorer"] or engine.default_scorer(),
            strategy=options["strategy"],
            topic=Entity(options["topic"]) if options["topic"] else None,
            switches=EngineSwitches(width=options["width"], model_may_answer=options["model_may_answer"]),
        )
        printer, lines = TerminalPrinter(), self.json_lines()
        last = None
        for seq, event in enumerate(events, start=1):
            last = event
            if json:
                lines.write(RunEventOut(seq=seq, event=event).model_dump_json())
            else:
                printer.print(event)
        if last is None or last.kind == "failed":
            sys.exit(1)
