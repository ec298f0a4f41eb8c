"""Whether what was found is enough, as DoG (arXiv 2409.03155) and ToG (arXiv 2307.07697) try after each round.

Both let a language model say yes or no. Ours: the scorer does, by the probability that None has among the ways on, and
a model that writes only where it is wanted. The words of the prompt are ours; only a reply that begins with *yes* means
yes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from reasoning import events
from reasoning.core.options import Stage
from reasoning.strategies.growth import DIGITS
from reasoning.writers.base import Message
from reasoning.writers.said import bare, reply_lines
from reasoning.writers.shown import lines_that_fit

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Sequence

    from reasoning.core.structure import Fact
    from reasoning.events import CostRecord
    from reasoning.run.run import Run

YES_OR_NO_TOKENS = 150
SHOWN_CHARACTERS = 4_000
"""So much is shown of the facts."""
_NAME_SHOWN = 200
_ASKED = (
    "Are these facts of a knowledge graph enough to answer the question? Write yes or no first, and then, if you like, "
    "why.\n\nFacts ({shown:,} of {total:,}):\n{facts}\n\nQuestion: {question}\nEnough:"
)


def tried_before(run: Run, round_: int) -> events.Sufficiency | None:
    """How the run that this one goes on with tells the try of a round; None where it tells none."""
    kept = (event for event in run.kept if isinstance(event, events.Sufficiency))
    return next((event for event in kept if event.round == round_), None)


def purpose(round_: int) -> str:
    """What the text of a try is asked for, in a few words."""
    return f"round {round_}: whether the facts are enough"


def sufficiency_event(
    run: Run,
    round_: int,
    question: str,
    positions: Sequence[int],
    *,
    enough: bool,
    share: float | None,
    cost: CostRecord | None,
    seconds: float,
    by_writer: bool = False,
) -> events.Sufficiency:
    """The event of a try from the facts at some nodes of S_k."""
    return events.Sufficiency(
        round=round_,
        question=question,
        enough=enough,
        by="writer" if by_writer else "scorer",
        share=None if share is None else round(share, DIGITS),
        positions=list(positions),
        facts_total=sum(len(run.trace.graph.facts_at(position)) for position in positions),
        cost=cost,
        seconds=seconds,
    )


def count(run: Run, event: events.Sufficiency) -> None:
    """Count a try that was not enough towards the confidence of the run; one that was enough is a decision."""
    if not event.enough:
        sure, share = run.confidence, event.share
        run.confidence = None if sure is None or share is None else sure * (1 - share)


def written(
    run: Run, round_: int, question: str, positions: Sequence[int]
) -> Generator[events.StageEvent, None, events.Sufficiency]:
    """Let a model write whether the facts at some nodes of S_k are enough: the event of its text, and what it means.

    Raises:
        WriterMissingError, ScorerUnavailableError, UndecidedError, WritingTimeoutError, WritingCancelledError: see
            `Run.write`.

    """
    with run.timed(Stage.SEARCH):
        facts = [fact for position in positions for fact in run.trace.graph.facts_at(position)]
        lines = fact_lines(run, facts, SHOWN_CHARACTERS)
        shown = "\n".join(lines)
        asked = _ASKED.format(shown=len(lines), total=len(facts), facts=shown, question=question)
    text, wrote = run.write(Stage.SEARCH, purpose(round_), [Message("user", asked)], limit=YES_OR_NO_TOKENS)
    yield wrote
    first = next(iter(reply_lines(text, labelled=False)), "")
    enough = bare(first).split(" ")[0] == "yes"
    # The text tells what it cost.
    return sufficiency_event(
        run, round_, question, positions, enough=enough, share=None, cost=None, seconds=0.0, by_writer=True
    )


def fact_lines(run: Run, facts: Iterable[Fact], room: int) -> list[str]:
    """Facts as lines, *Ann | family.person.parent | Bob*, as many as there is room for."""
    return lines_that_fit((_line(run, fact) for fact in facts), room)


def _line(run: Run, fact: Fact) -> str:
    source, target = (run.narrator.term(term).label[:_NAME_SHOWN] for term in (fact.source, fact.target))
    if fact.source != fact.triple.subject:
        source, target = target, source
    return f"{source} | {fact.triple.predicate} | {target}"
