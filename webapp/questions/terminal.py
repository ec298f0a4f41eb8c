"""The events of a run as lines for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.markup import escape

from reasoning import events
from reasoning.options import Stage
from webapp.terminal.command import Terminal
from webapp.terminal.shown import shown

if TYPE_CHECKING:
    from reasoning.events import StageEvent

DOUBT = 0.6
"""A choice less probable than this is marked as a doubt."""
_ANSWERS_SHOWN = 20
_NOT_FOUND = {
    "no_topic": "nothing that the question names is in this graph",
    "no_relation": "the model saw no fact that leads on",
    "conditions_leave_nothing": "no fact meets all the conditions",
}


class TerminalPrinter:
    """Prints a run, event by event: each decision as a sentence with its probability and the pool it was made from."""

    def __init__(self) -> None:
        self._write = Terminal(highlight=False).print
        self._nodes: dict[int, str] = {}

    def print(self, event: StageEvent) -> None:  # noqa: C901 - one case for each kind
        """Print one event."""
        match event:
            case events.Started():
                self._write(f"[bold]{_written(event.question)}[/]")
                self._write(f"[dim]graph {_written(event.graph_title)} · scorer {_written(event.scorer)}[/]\n")
            case events.EntityLinked():
                self._linked(event)
            case events.SearchStepTaken():
                self._step(event)
            case events.SearchEnded():
                self._line(Stage.SEARCH, "nothing more", event.decision)
            case events.ConstraintChosen():
                self._line(Stage.PRUNE, f"keep where {self._condition(event.constraint)}", event.decision)
            case events.Pruned():
                self._write(f"         [dim]{event.removed_total:,} facts left, {event.kept_total:,} stayed[/]")
            case events.PruningEnded():
                if event.decision is not None:
                    self._line(Stage.PRUNE, "nothing more", event.decision)
            case events.AnswerPositionChosen():
                self._line(Stage.INFER, f"what stands at {self._node(event.position)}", event.decision)
            case events.Finished():
                self._finished(event)
            case events.Failed():
                self._write(f"\n[bold red]Failed:[/] {_written(event.message)}")
            case events.Cancelled():
                self._write("\n[yellow]Stopped.[/]")

    def _linked(self, event: events.EntityLinked) -> None:
        if event.topic is None:
            return
        if event.root is not None:
            self._nodes[event.root.position] = event.topic.label
        hint = f" [dim]({_written(event.topic_hint)})[/]" if event.topic_hint else ""
        self._line(Stage.LINK, f"[bold]{_written(event.topic.label)}[/]{hint}", event.decision)

    def _step(self, event: events.SearchStepTaken) -> None:
        node = event.node
        self._nodes[node.position] = node.name
        if node.relation is None or node.parent is None:
            return
        arrow = "◂─" if node.relation.reverse else "─▸"
        relation = f"[bold]{_written(node.relation.label)}[/] [dim]{_written(node.relation.context)}[/]"
        self._line(
            Stage.SEARCH, f"{_written(self._nodes[node.parent])} {arrow} {relation} {arrow} {node.name}", event.decision
        )
        of = f" of {event.facts_available:,}" if event.facts_available > event.facts_gained else ""
        some = ", ".join(dict.fromkeys(fact.target.label for fact in event.facts if fact.target.kind != "mediator"))
        named = f": {_written(some[:90])}{'…' if len(some) > 90 else ''}" if some else ""  # noqa: PLR2004 - a line's width
        self._write(f"         [dim]{event.facts_gained:,}{of} facts{named}[/]")

    def _line(self, stage: Stage, text: str, decision: events.DecisionRecord | None) -> None:
        self._write(f"[cyan]{stage.label:<8}[/] {text}{_odds(decision)}")

    def _condition(self, constraint: events.ConstraintRecord) -> str:
        target = "" if constraint.target is None else f" {_written(constraint.target.label)}"
        return f"{self._node(constraint.position)} {constraint.operator}{target}"

    def _node(self, position: int) -> str:
        return _written(self._nodes.get(position, str(position)))

    def _finished(self, event: events.Finished) -> None:
        if event.verdict in events.UNANSWERED:
            title = "Not in this graph" if event.reason == "no_topic" else "No answer found"
            self._write(f"\n[bold yellow]{title}:[/] {_NOT_FOUND[event.reason]}.")
        else:
            self._write("")
        for answer in event.answers[:_ANSWERS_SHOWN]:
            self._write(f"[bold green]{_written(answer.term.label)}[/]")
            for fact in (*answer.path, *answer.conditions):
                self._write(f"         [dim]{_fact(fact)}[/]")
        if event.answers_total > _ANSWERS_SHOWN:
            self._write(f"… {min(len(event.answers), _ANSWERS_SHOWN)} of {event.answers_total:,} answers")
        seconds = sum(event.seconds.values())
        self._write(
            f"\n[dim]{event.cost.calls} model calls · {event.cost.tokens_in:,} tokens in · "
            f"{event.cost.tokens_out:,} out · {seconds:.2f} s[/]"
        )


def _written(text: str) -> str:
    """A name as it may stand in a terminal: neither markup nor escape sequences of its own."""
    return escape(shown(text))


def _fact(fact: events.FactRecord) -> str:
    arrow = "◂─" if fact.relation.reverse else "─▸"
    source, target = (_written("◦" if end.kind == "mediator" else end.label) for end in (fact.source, fact.target))
    return f"{source} {arrow} {_written(fact.relation.label)} {arrow} {target}"


def _odds(decision: events.DecisionRecord | None) -> str:
    if decision is None:
        return ""
    chosen = next(option for option in decision.options if option.index == decision.chosen)
    if chosen.probability is None:
        return " [dim]given[/]"
    if not decision.exact:
        return f"  [dim]picked from {decision.total:,} options[/]"
    colour = "yellow" if chosen.probability < DOUBT else "green"
    told, unread = f"{chosen.probability:.2f}", ""
    if decision.unread is not None:
        most = f"{chosen.probability / (1 - decision.unread.together):.2f}"
        told = told if most == told else f"{told} to {most}"
        unread = f", {decision.unread.count:,} of them not read"
    return f"  [{colour}]{told}[/] [dim]of {decision.total:,} options{unread}[/]"
