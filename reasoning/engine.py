"""Answer a question by a strategy, as one generator of typed events.

The engine knows no database and no settings of a site, and nothing that is handed to it can carry a gold label.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from kgstore.store import GraphStoreError
from reasoning import events
from reasoning.errors import ReasoningError
from reasoning.run import Run, RunLimits
from reasoning.strategies.registry import DEFAULT, open_strategy
from reasoning.switches import EngineSwitches
from reasoning.trace import Trace

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from kgstore.store import GraphStore
    from kgstore.terms import Entity
    from reasoning.options import Stage
    from reasoning.run import Choices
    from reasoning.scorers.base import Cost, Scorer
    from reasoning.strategy import Strategy

log = logging.getLogger(__name__)


def answer(
    question: str,
    store: GraphStore,
    scorer: Scorer | None,
    *,
    strategy: str = DEFAULT,
    topic: Entity | None = None,
    given: Choices | None = None,
    spent: Mapping[Stage, Cost] | None = None,
    limits: RunLimits | None = None,
    switches: EngineSwitches | None = None,
    trace: Trace | None = None,
) -> Iterator[events.StageEvent]:
    """Answer a question over a graph, telling every decision while it is made.

    ``topic`` is the entity that the asker chose, if any; it is never an answer, unless a switch says so. The scorer is
    asked only where ``given`` holds no decision; it may be None where all are given. What these took by stage when they
    were made is ``spent``, and counts towards the costs that are told at the end. What the run comes to is written into
    ``trace``. The first event is `Started`, the last one `Finished` or `Failed`.

    Raises:
        UnknownStrategyError: there is no strategy of that name; before the first event.

    """
    method = open_strategy(strategy)
    run = Run(
        question,
        store,
        scorer,
        topic=topic,
        given=given or {},
        limits=limits or RunLimits(),
        switches=switches or EngineSwitches(),
        trace=trace or Trace(),
    )
    run.costs.update(spent or {})
    return _told(run, method)


def _told(run: Run, method: Strategy) -> Iterator[events.StageEvent]:
    try:
        yield run.started(method.name)
        yield from method.answer(run)
    except ReasoningError as error:
        run.trace.fault = error
        log.warning("%s", error.for_operators)
        yield events.Failed(code=error.code, message=error.for_people, retryable=error.retryable)
    except GraphStoreError as error:
        run.trace.fault = error
        yield events.Failed(code="graph_unavailable", message=error.for_people, retryable=error.retryable)
