"""The events of a run as lines for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.markup import escape

from reasoning import events
from reasoning.wording import STAGE_OF_EVENT, RunWords, decision_of, is_doubtful
from webapp.terminal.command import Terminal
from webapp.terminal.shown import shown

if TYPE_CHECKING:
    from reasoning.events import StageEvent

_ANSWERS_SHOWN = 20
_NAMES_WIDTH = 90
"""So much of a line is for the names of what a step found."""


class TerminalPrinter:
    """Prints a run, event by event: each decision as a sentence with its probability and the pool it was made from."""

    def __init__(self) -> None:
        self._write = Terminal(highlight=False).print
        self._words = RunWords(_written)

    def print(self, event: StageEvent) -> None:
        """Print one event."""
        self._words.learn(event)
        sentence, note = self._words.decision(event), self._words.note(event)
        if sentence:
            label = STAGE_OF_EVENT[event.kind].label
            self._write(f"[cyan]{label:<8}[/] {sentence}{_hint(event)}{_odds(decision_of(event))}")
        if note:
            self._write(f"         [dim]{note}{_found(event)}[/]")
        match event:
            case events.Started():
                self._write(f"[bold]{_written(event.question)}[/]")
                self._write(f"[dim]graph {_written(event.graph_title)} · scorer {_written(event.scorer)}[/]\n")
            case events.Finished():
                self._finished(event)
            case events.Failed():
                self._write(f"\n[bold red]Failed:[/] {_written(event.message)}")
            case events.Cancelled():
                self._write("\n[yellow]Stopped.[/]")

    def _finished(self, event: events.Finished) -> None:
        if event.verdict in events.UNANSWERED:
            self._write(f"\n[bold yellow]{self._words.title(event)}.[/] {self._words.reason(event)}")
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


def _hint(event: StageEvent) -> str:
    """What tells the topic from its namesakes."""
    hint = event.topic_hint if isinstance(event, events.EntityLinked) else ""
    return f" [dim]({_written(hint)})[/]" if hint else ""


def _found(event: StageEvent) -> str:
    """The names of what a step found, as many as fit."""
    if not isinstance(event, events.SearchStepTaken):
        return ""
    names = ", ".join(dict.fromkeys(fact.target.label for fact in event.facts if fact.target.kind != "mediator"))
    return f": {_written(names[:_NAMES_WIDTH])}{'…' if len(names) > _NAMES_WIDTH else ''}" if names else ""


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
    colour = "yellow" if is_doubtful(decision) else "green"
    told, unread = f"{chosen.probability:.2f}", ""
    if decision.unread is not None:
        most = f"{chosen.probability / (1 - decision.unread.together):.2f}"
        told = told if most == told else f"{told} to {most}"
        unread = f", {decision.unread.count:,} of them not read"
    return f"  [{colour}]{told}[/] [dim]of {decision.total:,} options{unread}[/]"
