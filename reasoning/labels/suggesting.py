"""What a model decides for a question, as a derivation that is suggested to those who label."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf
from time import perf_counter
from typing import TYPE_CHECKING

from kgstore.store import GraphStoreError
from kgstore.terms import Entity
from reasoning import events
from reasoning.core.boundary import UnforeseenError, one_question
from reasoning.core.derivation import Derivation
from reasoning.core.errors import ScorerUnavailableError, WritingCancelledError
from reasoning.core.switches import EngineSwitches
from reasoning.core.trace import Trace
from reasoning.engine.engine import answer
from reasoning.labels.worth_labelling import doubt
from reasoning.narration.replay import decisions_made
from reasoning.run.run import TERSE
from reasoning.strategies.registry import DEFAULT, READINGS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from kgstore.store import GraphStore
    from kgstore.terms import Date
    from reasoning.scorers.base import Scorer
    from reasoning.writers.base import Writer

_ANY = Entity("m.0")
_TOO_LONG = "timeout"


@dataclass(frozen=True, slots=True)
class Suggested:
    """What a model came to."""

    derivation: Derivation | None
    """None where it came to no answer of the graph."""
    reason: str
    """Why, in a word that can be counted: a verdict, the code of a fault, or ``timeout``."""
    doubt: float | None = None
    """How little the model was sure: `reasoning.labels.worth_labelling.doubt`."""


def suggest(
    question: str,
    store: GraphStore,
    scorer: Scorer,
    *,
    strategy: str = DEFAULT,
    width: int = READINGS.usual,
    writer: Writer | None = None,
    today: Date | None = None,
    longest: float = inf,
    watch: Callable[[], None] = lambda: None,
) -> Suggested:
    """Let a model decide a question, whose topic entity it finds itself; ``today`` is the day that *now* means.

    A question that takes more than ``longest`` seconds, or breaks, comes to nothing. ``watch`` is called after each
    event, and while a model writes; what it raises ends the question.

    Raises:
        GraphStoreError: the graph cannot be read; it is about more than this question.
        ScorerUnavailableError: the model cannot be asked; likewise.
        UnknownStrategyError, WriterMissingError: see `reasoning.engine.engine.answer`.

    """
    trace = Trace()
    until = perf_counter() + longest
    ended_by: Exception | None = None

    def is_over() -> bool:
        """Watch while a model writes. What is raised then is no fault of the question: it waits until that is left."""
        nonlocal ended_by
        try:
            watch()
        except Exception as error:  # noqa: BLE001 - raised again below
            ended_by = error
        return ended_by is not None or perf_counter() > until

    run = answer(
        question,
        store,
        scorer,
        strategy=strategy,
        writer=writer,
        limits=TERSE,
        switches=EngineSwitches(options={READINGS.name: width}),
        today=today,
        trace=trace,
        cancelled=is_over,
    )
    emitted: list[events.StageEvent] = []
    try:
        for event in _unbroken(question, run):
            emitted.append(event)
            watch()
            if perf_counter() > until:
                return Suggested(None, _TOO_LONG)
    except WritingCancelledError:
        if ended_by is not None:
            raise ended_by from None
        return Suggested(None, _TOO_LONG)
    except UnforeseenError as error:
        return Suggested(None, str(error))
    return replace(_come_to(emitted[-1] if emitted else None, trace, store), doubt=doubt(decisions_made(emitted)))


def _unbroken(question: str, run: Iterator[events.StageEvent]) -> Iterator[events.StageEvent]:
    with one_question(question):
        yield from run


def _come_to(last: events.StageEvent | None, trace: Trace, store: GraphStore) -> Suggested:
    if isinstance(trace.fault, ScorerUnavailableError):
        raise trace.fault
    if isinstance(trace.fault, GraphStoreError):
        # Where the graph is there for another query, it was this question's own that failed.
        store.cards([_ANY])
    if isinstance(last, events.Failed):
        return Suggested(None, last.code)
    if not isinstance(last, events.Finished) or last.verdict in events.UNANSWERED:
        return Suggested(None, "unfinished" if not isinstance(last, events.Finished) else last.verdict)
    made = trace.derivation
    return Suggested(made if isinstance(made, Derivation) else None, last.verdict)
