"""``manage.py ask``: a question from a terminal, without a server."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from django.core.management.base import CommandError
from rich.markup import escape

from kgstore.loading.errors import GraphLoadError
from kgstore.store import GraphStoreError
from kgstore.terms import Entity
from reasoning.engine.changes import AskedRun
from reasoning.run.continuation import Continuation, TakeReading
from reasoning.strategies.registry import DEFAULT
from webapp import engine
from webapp.asking.questions.changing import HOW, ChangeTextError, change_typed
from webapp.asking.questions.services import question_text
from webapp.asking.questions.terminal import ANSWERS_SHOWN, TerminalPrinter, difference_print
from webapp.asking.runs.schemas import RunEventOut
from webapp.graphs.sample import graph_prepared
from webapp.platform.http.errors import ProductError
from webapp.platform.terminal.arguments import positive, strategy_arguments, switches_given, topic_argument
from webapp.platform.terminal.command import Terminal, TerminalCommand
from webapp.platform.terminal.shown import shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from django.core.management.base import CommandParser

    from reasoning.events import StageEvent


class Command(TerminalCommand):
    """Ask, and print the stages as they happen."""

    help = "Ask a question and print every decision. Nothing is saved. " + HOW

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the question and what it is asked of."""
        parser.add_argument("question")
        topic_argument(parser)
        parser.add_argument("--graph", help="the graph to ask")
        parser.add_argument("--scorer", choices=engine.scorer_names(), help="the model that decides")
        strategy_arguments(parser)
        parser.add_argument(
            "--change",
            metavar="STAGE:N=OPTION",
            action="append",
            default=[],
            help="once answered, continue with another decision: search:2=character",
        )
        parser.add_argument(
            "--keep-later", action="store_true", help="keep the decisions after a change where they still fit"
        )
        parser.add_argument(
            "--answers", metavar="N", type=positive, default=ANSWERS_SHOWN, help="maximum number of answers to print"
        )
        parser.add_argument(
            "--json",
            action="store_true",
            help="print one event per line, as the socket sends them, for the last change only",
        )

    def handle(self, *_: Any, question: str, json: bool, **options: Any) -> None:
        """Print each event; the exit status is 1 where the run failed."""
        name = options["graph"] or engine.default_graph()
        try:
            question = question_text(question)
            engine.strategy_chosen(options["strategy"], switches_given(options))
            graph_prepared(name)
        except (ProductError, GraphLoadError, GraphStoreError) as error:
            raise CommandError(error.message if isinstance(error, ProductError) else str(error)) from error
        asking = _Asking(question, name, options)
        changes: list[str] = options["change"]
        emitted = self._print_events(
            asking.events(), print_as=None if json and changes else json, answers=options["answers"]
        )
        first = emitted
        for place, typed in enumerate(changes, start=1):
            try:
                continuation = asking.continuation(emitted, typed, keep=options["keep_later"])
            except ChangeTextError as error:
                raise CommandError(str(error)) from error
            if not json:
                Terminal(highlight=False).print(f"\n[bold cyan]What if:[/] {escape(shown(asking.what_if))}\n")
            print_as = None if json and place < len(changes) else json
            emitted = self._print_events(asking.events(continuation), print_as=print_as, answers=options["answers"])
        if changes and not json:
            difference_print(first, emitted)
        if not emitted or emitted[-1].kind == "failed":
            sys.exit(1)

    def _print_events(self, events: Iterable[StageEvent], *, print_as: bool | None, answers: int) -> list[StageEvent]:
        """The events, printed one by one: for programs, for people, or not at all."""
        printer, lines = TerminalPrinter(answers), self.json_lines()
        emitted = []
        for seq, event in enumerate(events, start=1):
            emitted.append(event)
            if print_as:
                lines.write(RunEventOut(seq=seq, event=event).model_dump_json())
            elif print_as is False:
                printer.print(event)
        return emitted


class _Asking:
    """A question, and what it is asked of."""

    def __init__(self, question: str, graph: str, options: dict[str, Any]) -> None:
        self.what_if = ""
        """The last change in a few words."""
        self._question = question
        self._graph = graph
        self._options = options

    def events(self, continuation: Continuation | None = None) -> Iterable[StageEvent]:
        """Its events, where it goes on from another run, those of that one."""
        reading = continuation is not None and isinstance(continuation.change, TakeReading)
        return engine.reason(
            self._question,
            graph_name=self._graph,
            scorer_name=None if reading else self._options["scorer"] or engine.default_scorer(),
            strategy=DEFAULT if reading else self._options["strategy"],
            topic=Entity(self._options["topic"]) if self._options["topic"] else None,
            continuation=continuation,
            switches=switches_given(self._options),
            answers=self._options["answers"],
        )

    def continuation(self, emitted: Sequence[StageEvent], typed: str, *, keep: bool) -> Continuation:
        """What is kept of a run where a change is made.

        Raises:
            ChangeTextError: the change cannot be read, or does not fit the run.
            CommandError: the graph cannot be read.

        """
        try:
            store = engine.graph(self._graph)
            asked = AskedRun(emitted, store, strategy=self._options["strategy"], limits=engine.LIMITS)
            change = change_typed(typed, emitted, asked, store)
            self.what_if = asked.words(change)
        except GraphStoreError as error:
            raise CommandError(error.for_people) from error
        return Continuation(tuple(emitted), change, later="keep" if keep else "ask")
