"""Worker side of a run: run the engine, and persist every event before announcing it."""

from __future__ import annotations

import time
from contextlib import closing
from typing import TYPE_CHECKING

from django.conf import settings

from kgstore.terms import Entity
from reasoning.core.errors import WritingCancelledError
from reasoning.core.switches import EngineSwitches
from reasoning.events import TERMINAL_KINDS, Failed
from reasoning.run.continuation import Continuation, TakeReading
from webapp import engine
from webapp.asking.runs.changes import CHANGE, change_of, later_of
from webapp.asking.runs.selectors import run_graph_changed, run_stage_events, stage_events
from webapp.asking.runs.transitions import TIMEOUT, is_too_long, run_append, runs, too_long
from webapp.platform.disk import room_check
from webapp.platform.work.lease import ClaimLostError
from webapp.platform.work.turn import HandedBackError
from webapp.platform.work.worker import worker_of

if TYPE_CHECKING:
    from collections.abc import Generator

    from reasoning.events import StageEvent
    from webapp.asking.runs.models import ReasoningRun
    from webapp.platform.work.turn import Turn

_TICK = 0.1
"""Polling interval in seconds for cancellation."""


@worker_of(runs, waited_for=True)
def run_execute(turn: Turn[ReasoningRun]) -> None:
    """Execute a run: iterate the engine, persist each event, then announce it.

    A run that another worker began goes on where it stopped: its events are kept (`reasoning.run.continuation`), and
    the numbers go on. So a user who saw an event never sees it changed or missing. The cost that is reported at the end
    is that of all decisions, whichever worker made them; the seconds are the last worker's.
    """
    run = turn.item
    known = run_stage_events(run=run)
    if known and run_graph_changed(run=run):
        message = f"The graph “{run.graph_title}” was loaded again while this was reasoned about. Ask again."
        run_append(run, Failed(code="graph_changed", message=message, retryable=True))
        return
    continuation = _continuation(run, known)
    asks = not run.decided and not isinstance(continuation.change, TakeReading)
    produced = engine.reason(
        run.question.text,
        graph_name=run.graph,
        scorer_name=run.scorer if asks else None,
        strategy=run.strategy,
        topic=Entity(run.topic) if run.topic else None,
        continuation=continuation,
        switches=EngineSwitches.from_json(run.switches),
        cancelled=lambda: turn.stopping() or not _is_held(run),
    )
    try:
        _write_down(turn, produced, len(known))
    except WritingCancelledError:
        raise (HandedBackError if _is_held(run) else ClaimLostError) from None


def _write_down(turn: Turn[ReasoningRun], produced: Generator[StageEvent, None, None], known: int) -> None:
    """Write the events after the ``known`` ones, as they come."""
    run = turn.item
    with closing(produced):
        for seq, event in enumerate(produced, start=1):
            if is_too_long(run):
                run_append(run, Failed(code=TIMEOUT, message=too_long(), retryable=True))
                return
            if seq <= known and event.kind not in TERMINAL_KINDS:
                continue
            room_check()
            run_append(run, event)
            if event.kind not in TERMINAL_KINDS:
                _pause(turn)
            if turn.stopping() and event.kind not in TERMINAL_KINDS:
                raise HandedBackError


def _continuation(run: ReasoningRun, known: list[StageEvent]) -> Continuation:
    """What a run keeps: of itself where a worker began it before, of a judged question, or of the run it varies."""
    if run.parent is not None:
        wanted = CHANGE.validate_python(run.change)
        parent_events = run_stage_events(run=run.parent)
        return Continuation(tuple(parent_events), change_of(wanted), later=later_of(wanted), emitted=tuple(known))
    decided = stage_events(run.decided)
    return Continuation(tuple(known or decided[:1]), retold=tuple(decided[1:]))


def _pause(turn: Turn[ReasoningRun]) -> None:
    """Keep the pace that the settings ask for, noticing at once where the run is cancelled."""
    until = time.monotonic() + settings.ENVIRONMENT.pace_ms / 1000
    while (left := until - time.monotonic()) > 0 and not turn.stopping():
        time.sleep(min(left, _TICK))
        if not _is_held(turn.item):
            raise ClaimLostError


def _is_held(run: ReasoningRun) -> bool:
    """Whether the run is still this worker's: it was not cancelled or taken over."""
    return runs.held(run).exists()
