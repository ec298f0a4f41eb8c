"""``manage.py compare``: a question, answered by several strategies and models one after another, in a terminal."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any

from django.core.management.base import CommandError
from rich.markup import escape
from rich.table import Table

from kgstore.loading.errors import GraphLoadError
from kgstore.store import GraphStoreError
from kgstore.terms import Entity
from reasoning.core.errors import ReasoningError
from reasoning.engine.divergence import parting
from reasoning.events import Failed, Finished
from reasoning.narration.wording import CLAIM, VERDICT_WORDS
from reasoning.strategies.registry import STRATEGIES
from webapp import engine
from webapp.asking.questions.services import question_text
from webapp.asking.questions.side_by_side import decision_words, same_answers
from webapp.graphs.sample import graph_prepared
from webapp.platform.http.errors import ProductError
from webapp.platform.terminal.arguments import switch_arguments, switches_given, topic_argument
from webapp.platform.terminal.command import Terminal, TerminalCommand, progress_bar
from webapp.platform.terminal.shown import shown

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from django.core.management.base import CommandParser

    from reasoning.core.switches import EngineSwitches
    from reasoning.engine.divergence import Parted
    from reasoning.events import FactRecord, StageEvent

_ANSWERS_SHOWN = 5
_SHARED = (
    "Later runs reuse what the model read before, so their costs are too low. “evaluate” measures each run separately."
)


@dataclass(frozen=True, slots=True)
class _Way:
    strategy: str
    scorer: str


class Command(TerminalCommand):
    """Answer a question with several strategies and models, and print the results side by side."""

    help = (
        "Answer a question by several strategies and models, one after another: print the answers and the cost "
        "of each, and the first decision that differs. Nothing is saved."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the question and the ways to answer it."""
        parser.add_argument("question")
        topic_argument(parser)
        parser.add_argument("--graph", help="the graph to ask")
        parser.add_argument(
            "--strategy",
            action="append",
            choices=STRATEGIES,
            default=[],
            help="one of the strategies; may be given several times (all that can run here)",
        )
        parser.add_argument(
            "--scorer",
            action="append",
            choices=engine.scorer_names(),
            default=[],
            help="a model that decides; may be given several times, and each strategy is run with each",
        )
        switch_arguments(parser)
        parser.add_argument("--json", action="store_true", help="print one JSON document per run and line")

    def handle(self, *_: Any, question: str, **options: Any) -> None:
        """Print a row for each way; the exit status is 1 where a run failed."""
        graph = options["graph"] or engine.default_graph()
        switches = switches_given(options)
        strategies = options["strategy"] or [name for name in STRATEGIES if not engine.strategy_fault(name, switches)]
        ways = [_Way(*each) for each in product(strategies, options["scorer"] or [engine.default_scorer()])]
        ways = list(dict.fromkeys(ways))
        if len(ways) < 2:  # noqa: PLR2004 - one is not compared
            raise CommandError("Only one combination to compare. Give --strategy or --scorer at least twice.")
        try:
            question = question_text(question)
            for strategy in strategies:
                engine.strategy_chosen(strategy, switches)
            graph_prepared(graph)
            for scorer in dict.fromkeys(way.scorer for way in ways):
                # The first way would be slower than the others otherwise.
                engine.read_ahead(graph, scorer)
        except (ProductError, GraphLoadError, GraphStoreError) as error:
            raise CommandError(error.message if isinstance(error, ProductError) else str(error)) from error
        except ReasoningError as error:
            raise CommandError(error.for_people) from error
        topic = Entity(options["topic"]) if options["topic"] else None
        emitted = _asked(question, graph, ways, topic, switches)
        ended = {way: log for way, log in emitted.items() if isinstance(log[-1], Finished)}
        parted = parting(list(ended.values()))
        by_way = dict(zip(ended, () if parted is None else parted.runs, strict=False))
        if options["json"]:
            lines = self.json_lines()
            for way, log in emitted.items():
                lines.write(json.dumps(_document(way, log, by_way.get(way)), ensure_ascii=False))
        else:
            write = Terminal(highlight=False).print
            write(_table(emitted))
            write(f"[dim]{_SHARED}[/]")
            for line in (*_evidence(ended), *_agreeing(ended), *_parting(ended, by_way)):
                write(line)
        if any(isinstance(log[-1], Failed) for log in emitted.values()):
            sys.exit(1)


def _asked(
    question: str, graph: str, ways: Sequence[_Way], topic: Entity | None, switches: EngineSwitches
) -> Mapping[_Way, Sequence[StageEvent]]:
    """The events of each way, asked one after another, so that none takes another's time."""
    by_method = {}
    with progress_bar() as bar:
        for way in bar.track(ways, description="Asking"):
            by_method[way] = list(
                engine.reason(
                    question,
                    graph_name=graph,
                    scorer_name=way.scorer,
                    strategy=way.strategy,
                    topic=topic,
                    switches=switches,
                )
            )
    return by_method


def _table(emitted: Mapping[_Way, Sequence[StageEvent]]) -> Table:
    table = Table("strategy", "model", "answers", "s", "calls", "tokens in", "out", header_style="dim")
    for way, log in emitted.items():
        end = log[-1]
        names = [escape(shown(STRATEGIES[way.strategy].title)), escape(shown(way.scorer))]
        if isinstance(end, Finished):
            cost = (f"{end.cost.calls:,}", f"{end.cost.tokens_in:,}", f"{end.cost.tokens_out:,}")
            table.add_row(*names, _answers(end), f"{sum(end.seconds.values()):.2f}", *cost)
        elif isinstance(end, Failed):
            table.add_row(*names, f"[red]failed: {escape(shown(end.message))}[/]", *[""] * 4)
    return table


def _answers(end: Finished) -> str:
    if end.count is not None:
        return f"{end.count:,}"
    if end.claim is not None:
        return CLAIM["yes" if end.claim.holds else "no"]
    if not end.answers:
        return f"[yellow]{VERDICT_WORDS[end.verdict]}[/]"
    listed = ", ".join(escape(shown(each.term.label)) for each in end.answers[:_ANSWERS_SHOWN])
    more = end.answers_total - min(len(end.answers), _ANSWERS_SHOWN)
    return listed if more <= 0 else f"{listed} and {more:,} more"


def _evidence(ended: Mapping[_Way, Sequence[StageEvent]]) -> list[str]:
    """The facts that prove the first answer of each way; those that have the same stand together."""
    proofs: dict[str, list[_Way]] = {}
    for way, log in ended.items():
        end = log[-1]
        if isinstance(end, Finished) and end.answers and end.answers[0].path:
            path = end.answers[0].path
            proof = "".join(_step(fact, first=index == 0) for index, fact in enumerate(path))
            proofs.setdefault(proof, []).append(way)
    return [f"\n[dim]{_names(ways)}:[/]\n  {proof}" for proof, ways in proofs.items()]


def _names(ways: Sequence[_Way]) -> str:
    return escape(shown(", ".join(f"{STRATEGIES[way.strategy].title} by {way.scorer}" for way in ways)))


def _step(fact: FactRecord, *, first: bool) -> str:
    source, target = ("◦" if term.kind == "mediator" else shown(term.label) for term in (fact.source, fact.target))
    arrow = f" ◂ {shown(fact.relation.label)} ─ " if fact.relation.reverse else f" ─ {shown(fact.relation.label)} ▸ "
    return escape(f"{source if first else ''}{arrow}{target}")


def _agreeing(ended: Mapping[_Way, Sequence[StageEvent]]) -> list[str]:
    groups = same_answers(ended)
    if not groups:
        return []
    if len(groups) == 1:
        return [f"\nAll {len(ended)} give the same answers."]
    return [f"\n{len(groups[0])} of {len(ended)} give the same answers; {len(groups)} different answers in total."]


def _parting(ended: Mapping[_Way, Sequence[StageEvent]], parted: Mapping[_Way, Parted]) -> list[str]:
    if not parted:
        return [] if len(ended) < 2 else ["All decisions are the same."]  # noqa: PLR2004 - one has nothing to part from
    lines = ["First decisions that differ:"]
    for number in dict.fromkeys(each.alike for each in parted.values()):
        alike = [way for way, each in parted.items() if each.alike == number]
        event = parted[alike[0]].event
        words = "no further decision" if event is None else decision_words(ended[alike[0]], event)
        lines.append(f"  {_names(alike)}: [bold]{escape(shown(words))}[/]")
    return lines


def _document(way: _Way, log: Sequence[StageEvent], parted: Parted | None) -> Mapping[str, object]:
    end = log[-1]
    document: dict[str, object] = {"strategy": way.strategy, "scorer": way.scorer}
    if isinstance(end, Finished):
        shown_of_end = {"verdict", "answers", "answers_total", "count", "claim", "compared", "partial", "cost"}
        document |= end.model_dump(mode="json", include=shown_of_end)
        document["seconds"] = sum(end.seconds.values())
    elif isinstance(end, Failed):
        document["failed"] = end.message
    document["parts_at"] = None if parted is None or parted.event is None else decision_words(log, parted.event)
    return document
