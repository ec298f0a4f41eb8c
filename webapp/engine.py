"""The one module that chooses store, scorer and strategy from the settings and joins them.

Nothing here imports a model's libraries: a scorer is opened where it is first asked, which is in a worker.
"""

from __future__ import annotations

from functools import cache, lru_cache
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from django.conf import settings

from kgstore.libraries import open_library
from kgstore.store import GraphStoreError
from reasoning import events
from reasoning.engine import EngineLimits, answer
from reasoning.errors import ReasoningError
from reasoning.scorers.registry import (
    BUNDLED_WEIGHTS,
    LANGUAGE_MODELS,
    SCORERS,
    SERVED_MODELS,
    open_scorer,
    read_card,
    trained_scorers,
)
from reasoning.scorers.server import ModelServer, Served

if TYPE_CHECKING:
    from collections.abc import Generator

    from kgstore.library import GraphLibrary
    from kgstore.store import GraphStore
    from kgstore.terms import Entity
    from reasoning.engine import Choices
    from reasoning.scorers.base import Scorer
    from reasoning.switches import EngineSwitches

LIMITS = EngineLimits()
_SCORERS_KEPT = 4
"""Each takes some 150 MB of a worker's memory."""

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


def scorers_folder() -> Path:
    """Where trained scorers lie, each in a folder of its name."""
    return Path(settings.ENVIRONMENT.home) / "scorers"


def scorer_names() -> list[str]:
    """The scorers that may be chosen: those that come with the product, language models, then the trained ones."""
    default = default_scorer()
    own = [name for name in LANGUAGE_MODELS if name == default and settings.ENVIRONMENT.scorer_weights is not None]
    served = sorted(SERVED_MODELS) if model_server() is not None else []
    return [*sorted(SCORERS), *own, *served, *trained_scorers(scorers_folder())]


def model_server() -> ModelServer | None:
    """Where language models on servers are found; None where no server is named."""
    environment = settings.ENVIRONMENT
    key = environment.llm_key.get_secret_value() if environment.llm_key else None
    return ModelServer(environment.llm_url, environment.llm_model, key) if environment.llm_url else None


def scorer_fault(name: str) -> str | None:
    """Why a scorer that is loaded would not decide now, which only those on servers may say; None where it would.

    Raises:
        ScorerUnavailableError: it cannot be loaded.

    """
    model = scorer(name)
    return model.fault() if isinstance(model, Served) else None


def scorer(name: str) -> Scorer:
    """A scorer, loaded once a process, and again when it was trained anew.

    Raises:
        ScorerUnavailableError: there is none of that name, or it cannot be loaded; the next call tries again.

    """
    weights = settings.ENVIRONMENT.scorer_weights if name == default_scorer() else None
    card = (weights or scorers_folder() / name) / "card.json"
    written = card.stat().st_mtime_ns if card.exists() else 0
    with _opening:
        return _scorer(name, weights, written, model_server())


def scorer_card(name: str) -> dict[str, Any] | None:
    """The model card of a scorer: what it learned from, and how well it does; None for one that learned nothing.

    Raises:
        ScorerUnavailableError: it cannot be read.

    """
    if name == "lexical" or name in LANGUAGE_MODELS or name in SERVED_MODELS:
        return None
    weights = settings.ENVIRONMENT.scorer_weights if name == default_scorer() else None
    return read_card(weights or (BUNDLED_WEIGHTS if name in SCORERS else scorers_folder() / name))


@lru_cache(maxsize=_SCORERS_KEPT)
def _scorer(name: str, weights: Path | None, written: int, server: ModelServer | None) -> Scorer:
    del written  # a new card makes another scorer
    return open_scorer(name, weights, trained=scorers_folder(), server=server)


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
