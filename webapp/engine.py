"""The one module that chooses store, scorer and strategy from the settings and joins them.

Nothing here imports a model's libraries: a scorer is opened where it is first asked, which is in a worker.
"""

from __future__ import annotations

from functools import cache
from threading import Lock
from typing import TYPE_CHECKING

from django.conf import settings

from kgstore.libraries import open_library
from kgstore.store import GraphStoreError
from reasoning import events
from reasoning.engine import EngineLimits, answer
from reasoning.errors import ReasoningError
from reasoning.scorers.registry import SCORERS, WEIGHTS, open_scorer

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

    from kgstore.library import GraphLibrary
    from kgstore.store import GraphStore
    from kgstore.terms import Entity
    from reasoning.engine import Choices
    from reasoning.scorers.base import Scorer
    from reasoning.switches import EngineSwitches

LIMITS = EngineLimits()

_opening = Lock()


@cache
def graph_library() -> GraphLibrary:
    """The graphs of this site."""
    return open_library(settings.ENVIRONMENT.graphs)


def graph(name: str) -> GraphStore:
    """A graph of this site.

    Raises:
        GraphStoreError: there is none of that name, or it cannot be read.

    """
    return graph_library().open(name)


def default_graph() -> str:
    """The name of the graph that is asked where none is chosen."""
    return str(settings.ENVIRONMENT.graph)


def default_scorer() -> str:
    """The name of the scorer that decides where none is chosen."""
    return str(settings.ENVIRONMENT.scorer)


def scorer_names() -> list[str]:
    """The scorers that may be chosen."""
    return sorted(SCORERS)


def scorer(name: str) -> Scorer:
    """A scorer, loaded once a process.

    Raises:
        ScorerUnavailableError: there is none of that name, or it cannot be loaded; the next call tries again.

    """
    with _opening:
        return _scorer(name)


@cache
def _scorer(name: str) -> Scorer:
    own = settings.ENVIRONMENT.scorer_weights if name == default_scorer() else None
    return open_scorer(name, own)


def scorer_weights(name: str) -> Path | None:
    """The folder of a scorer's weights and card; None for one that has none."""
    if name == default_scorer() and settings.ENVIRONMENT.scorer_weights is not None:
        own: Path = settings.ENVIRONMENT.scorer_weights
        return own
    bundled = WEIGHTS / name
    return bundled if bundled.is_dir() else None


def reason(
    question: str,
    *,
    graph_name: str,
    scorer_name: str | None,
    topic: Entity | None = None,
    given: Choices | None = None,
    limits: EngineLimits = LIMITS,
    switches: EngineSwitches | None = None,
) -> Generator[events.StageEvent, None, None]:
    """Answer a question; see `reasoning.engine.answer`. What cannot even be opened ends in `Failed` too.

    ``scorer_name`` may be None where every decision is given.
    """
    try:
        store = graph(graph_name)
        model = None if scorer_name is None else scorer(scorer_name)
    except ReasoningError as error:
        yield events.Failed(code=error.code, message=str(error), retryable=error.retryable)
        return
    except GraphStoreError as error:
        yield events.Failed(code="graph_unavailable", message=str(error), retryable=error.retryable)
        return
    yield from answer(question, store, model, topic=topic, given=given, limits=limits, switches=switches)
