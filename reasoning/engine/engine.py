"""Answer a question by a strategy, as one generator of typed events.

The engine knows no database and no settings of a site, and nothing that is handed to it can carry a gold label.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Literal, TypedDict

from kgstore.store import GraphStoreError
from reasoning import events
from reasoning.core.errors import ContinuationRefusedError, ReasoningError, WriterMissingError, WritingCancelledError
from reasoning.core.switches import EngineSwitches
from reasoning.core.trace import Trace
from reasoning.narration.replay import places_of, recorded_costs
from reasoning.run.continuation import Continuation, Kept, kept
from reasoning.run.decisions import GivenDecisions
from reasoning.run.run import Run, RunLimits, UndecidedStopError
from reasoning.strategies.registry import DEFAULT, needs_writer, open_strategy, strategy_options
from reasoning.writers.base import never

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Unpack

    from kgstore.store import GraphStore
    from kgstore.terms import Date, Entity
    from reasoning.core.options import Choices
    from reasoning.run.strategy import Strategy
    from reasoning.scorers.base import Scorer
    from reasoning.writers.base import Writer

log = logging.getLogger(__name__)


class How(TypedDict, total=False):
    """Settings of a run besides its question; a key that is left out has its default."""

    strategy: str
    """Its name in the registry."""
    writer: Writer | None
    """For strategies that need one; None also where every text is kept."""
    topic: Entity | None
    """The entity that the asker chose; it is never an answer, unless a switch says so."""
    limits: RunLimits | None
    switches: EngineSwitches | None
    today: Date | None
    """The day that *now* means: today, or that of a dataset; without one, nothing is asked of now. A run that goes on
    from another keeps that one's."""
    trace: Trace | None
    """What the run comes to is written here."""
    cancelled: Callable[[], bool]
    """Asked now and then while a model writes; where it is true, the run breaks off with `WritingCancelledError`."""


def answer(
    question: str,
    store: GraphStore,
    scorer: Scorer | None,
    *,
    given: Choices | None = None,
    otherwise: Literal["ask", "stop"] = "ask",
    **how: Unpack[How],
) -> Iterator[events.StageEvent]:
    """Answer a question over a graph, telling every decision while it is made.

    The scorer is asked only where ``given`` holds no decision; it may be None where all are given, or where
    ``otherwise`` is to stop at the first that is not. The first event is `Started`, the last one `Finished`,
    `Undecided` or `Failed`.

    Raises:
        UnknownStrategyError: there is no strategy of that name; before the first event.
        WriterMissingError: it needs a model that writes, and is given none though a scorer is to be asked; likewise.
        WritingCancelledError: see `How.cancelled`; from an event on.

    """
    return _emitted(question, store, scorer, Kept((), (), GivenDecisions(given or {}, otherwise=otherwise)), **how)


def go_on(
    question: str, store: GraphStore, scorer: Scorer | None, continuation: Continuation, **how: Unpack[How]
) -> Iterator[events.StageEvent]:
    """Go on from events of an earlier run, perhaps with one decision changed; else as `answer`.

    What is kept is reported again unchanged, and asks nothing of a model; its costs count. With a change, the first
    event says what was kept. ``topic`` counts where the events do not tell one. Where the continuation says so, the run
    stops with `Undecided` at the first decision that is not kept.

    Raises:
        ContinuationRefusedError: the graph has changed, or there is no such decision; before the first event.
        GraphStoreError: the graph cannot be read; likewise.
        UnknownStrategyError, WriterMissingError, WritingCancelledError: see `answer`.

    """
    return _emitted(question, store, scorer, kept(continuation, store), **how)


def _emitted(
    question: str, store: GraphStore, scorer: Scorer | None, taken: Kept, **how: Unpack[How]
) -> Iterator[events.StageEvent]:
    writer = how.get("writer")
    switches = how.get("switches") or EngineSwitches()
    method = _ready(how.get("strategy", DEFAULT), switches, writer, asks=scorer is not None)
    run = Run(
        question,
        store,
        scorer,
        topic=None if taken.decides_topic else taken.topic or how.get("topic"),
        decisions=taken.decisions,
        kept=taken.known,
        calibration=taken.calibration,
        reported_before=frozenset(
            (place.stage, place.number) for place in places_of(taken.emitted) if place is not None
        ),
        writer=writer,
        cancelled=how.get("cancelled", never),
        limits=how.get("limits") or RunLimits(),
        switches=switches,
        today=taken.today if taken.has_begun else how.get("today"),
        trace=how.get("trace") or Trace(),
    )
    run.costs.update(recorded_costs(taken.known))
    return _events(run, method, taken)


def _ready(name: str, switches: EngineSwitches, writer: Writer | None, *, asks: bool) -> Strategy:
    if unknown := switches.options.keys() - strategy_options().keys():
        raise ValueError(f"No strategy has the option {', '.join(sorted(unknown))}.")
    strategy = open_strategy(name)
    if asks and writer is None and needs_writer(name, switches):
        other = "another strategy" if strategy.needs_writer else "who else chooses in it"
        raise WriterMissingError(f"The strategy “{name}” needs a model that writes. Choose {other}, or name one.")
    return strategy


def _events(run: Run, method: Strategy, taken: Kept) -> Iterator[events.StageEvent]:
    emitted = taken.emitted
    try:
        if not isinstance(next(iter(emitted), None), events.Started):
            yield run.started(method.name, taken.continued)
        yield from emitted
        yield from _after([event for event in emitted if not isinstance(event, events.Started)], method.answer(run))
    except UndecidedStopError as stop:
        yield stop.undecided
    except WritingCancelledError:
        # The caller that cancelled decides what happens to the run.
        raise
    except ReasoningError as error:
        run.trace.fault = error
        log.warning("%s", error.for_operators)
        yield events.Failed(code=error.code, message=error.for_people, retryable=error.retryable)
    except GraphStoreError as error:
        run.trace.fault = error
        yield events.Failed(code="graph_unavailable", message=error.for_people, retryable=error.retryable)


def _after(left: list[events.StageEvent], emitted: Iterator[events.StageEvent]) -> Iterator[events.StageEvent]:
    """The events of a strategy without those that were reported before: the first ones of each kind.

    A changed run reported what it kept before the strategy began, in whatever order that reports its own.

    Raises:
        ContinuationRefusedError: the run does not lead to the recorded decisions.

    """
    for event in emitted:
        again = next((one for one in left if one.kind == event.kind), None)
        if again is not None:
            left.remove(again)
        elif left and event.kind in events.TERMINAL_KINDS:
            raise ContinuationRefusedError("This run cannot repeat its earlier decisions. Ask the question again.")
        else:
            yield event
