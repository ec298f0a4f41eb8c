"""The events of a run as lines for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.markup import escape

from reasoning import events
from reasoning.narration.wording import COUNTED, LABELS, STAGE_OF_EVENT, RunWords, decision_of, is_doubtful
from reasoning.strategies.registry import DEFAULT
from webapp.platform.terminal.command import Terminal
from webapp.platform.terminal.shown import shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reasoning.events import StageEvent

ANSWERS_SHOWN = 20
"""Default maximum of answers that are printed."""
_NAMES_WIDTH = 90
"""So much of a line is for the names of what a step found."""


class TerminalPrinter:
    """Prints a run, event by event: each decision as a sentence with its probability and the pool it was made from."""

    def __init__(self, answers: int = ANSWERS_SHOWN) -> None:
        """``answers`` says how many of them are printed."""
        self._write = Terminal(highlight=False).print
        self._words = RunWords(_written)
        self._answers = answers

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
                self._started(event)
            case events.SelectionMade():
                self._labelled(event, event.stage.capitalize())
            case _ if event.kind in LABELS:
                self._labelled(event, LABELS[event.kind])
                self._readings(event)
            case events.ModelWrote():
                self._text(event)
            case events.Undecided():
                title, decision = self._words.other_lines(event)
                self._write(f"\n[bold yellow]{title}:[/] {decision}")
            case events.Finished():
                self._finished(event)
            case events.Failed():
                self._write(f"\n[bold red]Failed:[/] {_written(event.message)}")
            case events.Cancelled():
                self._write("\n[yellow]Stopped.[/]")

    def _started(self, event: events.Started) -> None:
        by = "" if event.strategy == DEFAULT else f" · strategy {_written(event.strategy)}"
        self._write(f"[bold]{_written(event.question)}[/]")
        self._write(f"[dim]graph {_written(event.graph_title)} · scorer {_written(event.scorer)}{by}[/]")
        for line in self._words.other_lines(event):
            self._write(f"[dim]{line}[/]")
        self._write("")

    def _text(self, event: events.ModelWrote) -> None:
        self._labelled(event, "Written")
        for line in event.text.splitlines():
            self._write(f"         [italic]{_written(line)}[/]")
        for line in self._words.read_as(event):
            self._write(f"         [dim]{line}[/]")

    def _labelled(self, event: StageEvent, label: str) -> None:
        first, *more = self._words.other_lines(event)
        self._write(f"[cyan]{_written(label):<8}[/] {first}")
        for line in more:
            self._write(f"         [dim]{line}[/]")

    def _readings(self, event: StageEvent) -> None:
        for probability, words in self._words.readings(event):
            self._write(f"         [dim]{probability:.2f} {words}[/]")

    def _headline(self, event: events.Finished) -> None:
        """What stands above the answers: what they leave out, whether a claim holds, and their number."""
        if partial := self._words.partial(event):
            self._write(f"[bold yellow]{partial}[/]")
        if claim := self._words.claim(event):
            self._write(f"[bold green]{claim[0]}[/]")
            self._write(f"[dim]{claim[1]}[/]")
        for line in self._words.compared(event):
            self._write(line)
        if event.count is not None:
            self._write(f"[bold green]{event.count:,}[/]")
            listed = min(len(event.answers), self._answers)
            counted = COUNTED["at_least" if event.count_at_least else "all"]
            self._write(f"[dim]{counted.format(shown=f'{listed:,}', total=f'{event.answers_total:,}')}[/]")

    def _finished(self, event: events.Finished) -> None:
        if event.verdict in events.UNANSWERED:
            self._write(f"\n[bold yellow]{self._words.title(event)}.[/] {self._words.reason(event)}")
            for line in self._words.stopped(event):
                self._write(line)
            for change in self._words.ways_on(event):
                self._write(f'         [dim]--change "{change}"[/]')
        else:
            self._write("")
        self._headline(event)
        by_itself = event.verdict == "from_the_model"
        for answer in event.answers[: self._answers]:
            weight = "" if answer.weight is None else f" [dim]{answer.weight:.3g}[/]"
            hint = f" [dim]({_written(answer.hint)})[/]" if answer.hint else ""
            unit = answer.path[-1].relation.unit or "" if answer.path else ""
            name = self._words.term(answer.term, unit)
            self._write(f"[bold {'yellow' if by_itself else 'green'}]{name}[/]{hint}{weight}")
            for fact in (*answer.path, *answer.conditions):
                self._write(f"         [dim]{self._fact(fact)}[/]")
            for held in answer.held or ():
                self._write(f"         [dim]{self._words.held(held)}[/]")
        if event.answers_total > self._answers:
            listed = min(len(event.answers), self._answers)
            self._write(f"… {listed:,} of {event.answers_total:,} answers; --answers {event.answers_total} lists all")
        rest = self._words.other_lines(event)
        if rest:
            self._write("")
        for line in rest:
            self._write(f"[yellow]{line}[/]" if by_itself and line is rest[0] else f"[dim]{line}[/]")
        self._readings(event)
        seconds = sum(event.seconds.values())
        self._write(
            f"\n[dim]{event.cost.calls} model calls · {event.cost.tokens_in:,} tokens in · "
            f"{event.cost.tokens_out:,} out · {seconds:.2f} s[/]"
        )

    def _fact(self, fact: events.FactRecord) -> str:
        arrow = "◂─" if fact.relation.reverse else "─▸"
        source, target = (
            "◦" if end.kind == "mediator" else self._words.term(end, fact.relation.unit or "")
            for end in (fact.source, fact.target)
        )
        return f"{source} {arrow} {_written(fact.relation.label)} {arrow} {target}"


def difference_print(was: Sequence[StageEvent], now: Sequence[StageEvent]) -> None:
    """Print what a change made of the answers: which were kept, gained and lost, of those that are listed."""
    before, after = ({one.term.id: one.term.label for one in _answers(emitted)} for emitted in (was, now))
    write = Terminal(highlight=False).print
    write("")
    for label, colour, names in (
        ("kept", "dim", [name for each, name in after.items() if each in before]),
        ("gained", "green", [name for each, name in after.items() if each not in before]),
        ("lost", "red", [name for each, name in before.items() if each not in after]),
    ):
        listed = ", ".join(_written(name) for name in names[:ANSWERS_SHOWN])
        more = f" and {len(names) - ANSWERS_SHOWN:,} more" if len(names) > ANSWERS_SHOWN else ""
        write(f"[{colour}]{label:<8}{len(names):>4,}[/]  {listed}{more}")
    for emitted, run in ((was, "question"), (now, "change")):
        last = emitted[-1] if emitted else None
        if isinstance(last, events.Finished) and last.answers_total > len(last.answers):
            write(f"[dim]Of the {run}, {len(last.answers):,} of {last.answers_total:,} answers were compared.[/]")


def _answers(emitted: Sequence[StageEvent]) -> list[events.AnswerRecord]:
    last = emitted[-1] if emitted else None
    return last.answers if isinstance(last, events.Finished) else []


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


def _odds(decision: events.DecisionRecord | None) -> str:
    if decision is None:
        return ""
    chosen = next(option for option in decision.options if option.index == decision.chosen)
    if decision.explored:
        return f"  [dim]by weight, of {decision.total:,} options[/]"
    if not decision.given and not decision.exact:
        return f"  [dim]picked from {decision.total:,} options[/]"
    if chosen.probability is None:
        return " [dim]given[/]"
    if decision.total == 1:
        return "  [dim]the only option[/]"
    colour = "yellow" if is_doubtful(decision) else "green"
    text, unread = _probability(chosen.probability), ""
    if decision.unread is not None:
        most = _probability(min(chosen.probability / (1 - decision.unread.together), 1.0))
        text = text if most == text else f"{text} to {most}"
        unread = f", {decision.unread.count:,} of them not scored"
    return f"  [{colour}]{text}[/][dim], {decision.total:,} options{unread}[/]"


def _probability(probability: float) -> str:
    """In two digits; what is not certain is not shown as 1.00."""
    text = f"{probability:.2f}"
    return "over 0.99" if text == "1.00" and probability < 1 else text
