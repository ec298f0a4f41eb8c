"""The one module that chooses store, scorer, writer and strategy from the settings and joins them.

Nothing here imports a model's libraries: a model is opened where it is first asked, which is in a worker.
"""

from __future__ import annotations

import logging
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.utils import timezone

from kgstore.open import open_library
from kgstore.store import GraphStoreError
from kgstore.terms import Date
from reasoning import events
from reasoning.core.errors import ReasoningError, ScorerUnavailableError
from reasoning.core.switches import DEFAULT_SWITCHES, EngineSwitches
from reasoning.datasets.learned import LearnedQuestions
from reasoning.engine.engine import answer, go_on
from reasoning.run.continuation import Continuation
from reasoning.run.run import RunLimits
from reasoning.scorers.base import Reading
from reasoning.scorers.cards import CARD_FILE, read_card
from reasoning.scorers.registry import KINDS, Place, Weights, card_folder, kind_of, open_scorer, trained_scorers
from reasoning.scorers.server import ModelServer, Served
from reasoning.strategies.registry import DEFAULT, STRATEGIES, needs_writer, trained_in
from reasoning.writers.base import never
from reasoning.writers.registry import KINDS as WRITERS
from reasoning.writers.registry import open_writer, writer_fault
from webapp.platform.extension_points import ExtensionPoint
from webapp.platform.http.errors import ProductError
from webapp.platform.work.model_cache import ModelCache, ModelKey
from webapp.platform.work.queues import Queue

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator

    from kgstore.exploring.explorable import ExplorableStore
    from kgstore.library import GraphLibrary
    from kgstore.terms import Entity
    from reasoning.core.switches import HasOptions
    from reasoning.scorers.base import Scorer
    from reasoning.writers.base import Writer

log = logging.getLogger(__name__)

LIMITS = RunLimits()
_FIRST_QUESTION = "who was the first president of the United States after 1950?"
_SCORERS_KEPT = 4
"""A small one takes some 150 MB of a worker's memory; a large one that needs the room of others gets it."""


@cache
def graph_library() -> GraphLibrary:
    """The graphs of this site."""
    return open_library(settings.ENVIRONMENT.graphs)


def graph(name: str) -> ExplorableStore:
    """A graph of this site.

    Raises:
        GraphStoreError: there is none of that name, or it cannot be read.

    """
    return graph_library().open(name)


def default_graph() -> str:
    """The name of the default graph."""
    return str(settings.ENVIRONMENT.graph)


def configured_scorer() -> str:
    """The name of the scorer that the settings name: the default if none is chosen on the site."""
    return str(settings.ENVIRONMENT.scorer)


default_chosen: ExtensionPoint[[], str | None] = ExtensionPoint()
"""The scorer that a user chose as the default on the site; None if no user did."""


def default_scorer() -> str:
    """The name of the default scorer.

    It is what was chosen on the site, as long as it is there; else what the settings name.
    """
    chosen = next(filter(None, default_chosen()), None)
    return chosen if chosen is not None and chosen in scorer_names() else configured_scorer()


def scorers_folder() -> Path:
    """Where trained scorers lie, each in a folder of its name."""
    return Path(settings.ENVIRONMENT.home) / "scorers"


def strategies_folder() -> Path:
    """Where trained weights of strategies lie, each in a folder of the strategy's name."""
    return Path(settings.ENVIRONMENT.home) / "strategies"


def model_folders() -> tuple[Path, ...]:
    """Where all that lies that was trained here."""
    return scorers_folder(), strategies_folder()


trained_in(strategies_folder())


def scorer_names() -> list[str]:
    """The scorers that may be chosen: those that come with the product, language models, then the trained ones."""
    return [*sorted(filter(_may_be_chosen, KINDS)), *trained_scorers(scorers_folder())]


def _may_be_chosen(kind: str) -> bool:
    """Whether what a kind of scorer needs is set: a server, or a folder of weights for the default scorer."""
    if KINDS[kind].place is Place.SERVER:
        return model_server() is not None
    if KINDS[kind].weights is Weights.REQUIRED:
        return kind == configured_scorer() and settings.ENVIRONMENT.scorer_weights is not None
    return True


def scorer_chosen(name: str | None) -> str:
    """The scorer of that name, or the default one where none was chosen.

    Raises:
        ProductError: there is none of that name.

    """
    name = name or default_scorer()
    if name not in scorer_names():
        known = ", ".join(scorer_names())
        raise ProductError(422, "unknown_scorer", f"There is no scorer “{name}”. Choose one of: {known}.")
    return name


def model_server() -> ModelServer | None:
    """Where language models on servers are found; None where no server is named."""
    environment = settings.ENVIRONMENT
    key = environment.llm_key.get_secret_value() if environment.llm_key else None
    return ModelServer(environment.llm_url, environment.llm_model, key) if environment.llm_url else None


def queue_of(scorer_name: str, strategy: str = DEFAULT, chosen: HasOptions = DEFAULT_SWITCHES) -> Queue:
    """Where work waits that asks a scorer by a strategy: language models that a worker reads go where a GPU may be.

    So does the one that writes, for strategies that need it. Those on servers need none here. Background work
    for goes to its `Queue.background`.
    """
    name = writer_name()
    if name is not None and WRITERS[name].place is Place.GPU and needs_writer(strategy, chosen):
        return Queue.GPU
    try:
        kind = kind_of(scorer_name, _weights_set(scorer_name), trained=scorers_folder())
    except ScorerUnavailableError:
        return Queue.CPU
    return Queue.GPU if kind.place is Place.GPU else Queue.CPU


def scorer_fault(name: str) -> ScorerUnavailableError | None:
    """Why a scorer that is loaded would not decide now, which only those on servers may say; None where it would.

    Raises:
        ScorerUnavailableError: it cannot be loaded.

    """
    with scorer(name) as model:
        return model.fault() if isinstance(model, Served) else None


def read_ahead(graph_name: str, scorer_name: str) -> str:
    """Let a scorer read what a graph offers and answer a question, so that the first asker waits no longer than others.

    Returns the graph's version. What a scorer keeps of it lies in the home folder.

    Raises:
        GraphStoreError: the graph cannot be read.
        ScorerUnavailableError: the scorer cannot be loaded.

    """
    store = graph(graph_name)
    with scorer(scorer_name) as model:
        if isinstance(model, Reading):
            model.read_ahead(store, Path(settings.ENVIRONMENT.home) / "cache" / "relations")
        if not isinstance(model, Served):
            # The first passes of a model are slower than all others, and so are the first looks at a graph.
            for _ in answer(_FIRST_QUESTION, store, model, limits=LIMITS):
                pass
    return store.info().version


def scorer(name: str) -> AbstractContextManager[Scorer]:
    """A scorer, loaded once per process, and again after a new training; it is open within the block.

    Raises:
        ScorerUnavailableError: there is none of that name, or it cannot be loaded; the next call tries again.

    """
    weights = _weights_set(name)
    card = (weights or scorers_folder() / name) / "card.json"
    written = card.stat().st_mtime_ns if card.exists() else 0
    return _scorers.use(ModelKey(name, weights, written, model_server()))


def _load(key: ModelKey) -> Scorer:
    return open_scorer(key.name, key.weights, trained=scorers_folder(), server=key.server)


_scorers = ModelCache(_load, kept=_SCORERS_KEPT)


def scorer_card(name: str) -> dict[str, Any] | None:
    """The model card of a scorer: what it learned from, and how well it does; None for one that learned nothing.

    Raises:
        ScorerUnavailableError: it cannot be read.

    """
    folder = card_folder(name, _weights_set(name), trained=scorers_folder())
    return None if folder is None else read_card(folder)


def scorer_folder(name: str) -> Path | None:
    """The folder of a scorer's weights; None for one that has none here."""
    return _weights_set(name) or card_folder(name, trained=scorers_folder())


def served_model(name: str) -> str | None:
    """What a scorer's server calls its model; None for a scorer that computes here, or if it is not set."""
    server = model_server()
    is_served = name in KINDS and KINDS[name].place is Place.SERVER
    return server.model if is_served and server is not None else None


def learned_questions(name: str) -> LearnedQuestions | None:
    """The questions that a scorer learned from; empty for one that learned nothing, None where that is unknown.

    Raises:
        ScorerUnavailableError: what is known cannot be read.

    """
    weights = _weights_set(name)
    kind = KINDS.get(name)
    if kind is not None and kind.learns_nothing:
        return LearnedQuestions()
    folder = card_folder(name, weights, trained=scorers_folder()) or weights
    return None if folder is None else LearnedQuestions.read(folder)


def questions_learned_by_weights(strategy: str) -> LearnedQuestions | None:
    """The questions that a strategy's own weights learned from; empty for one without, None where that is unknown.

    Raises:
        ScorerUnavailableError: what is known cannot be read.

    """
    weights = STRATEGIES[strategy].weights
    return LearnedQuestions() if weights is None else LearnedQuestions.read(weights())


def _weights_set(name: str) -> Path | None:
    """The folder of weights that the settings name for a scorer; they name one for the scorer of the settings alone."""
    weights: Path | None = settings.ENVIRONMENT.scorer_weights
    return weights if name == configured_scorer() else None


def strategy_chosen(name: str | None, chosen: HasOptions = DEFAULT_SWITCHES) -> str:
    """The strategy of that name, or the usual one where none was chosen.

    Raises:
        ProductError: there is none of that name, or it cannot run here.

    """
    name = name or DEFAULT
    if name not in STRATEGIES:
        message = f"There is no strategy “{name}”. Choose one of: {', '.join(STRATEGIES)}."
        raise ProductError(422, "unknown_strategy", message)
    if fault := strategy_fault(name, chosen):
        raise ProductError(422, "strategy_unavailable", fault, strategy=name)
    return name


def strategy_fault(name: str, chosen: HasOptions = DEFAULT_SWITCHES) -> str:
    """Why a strategy cannot run on this site, and what would help; empty where it can."""
    if needs_writer(name, chosen) and writer_name() is None:
        entry = STRATEGIES[name]
        other = "Choose another method" if needs_writer(name, DEFAULT_SWITCHES) else entry.otherwise
        return f"{entry.title} needs a language model that writes, and this site has none. {other}."
    weights = STRATEGIES[name].weights
    if weights is not None and not (weights() / CARD_FILE).exists():
        title = STRATEGIES[name].title
        return f"{title} has no weights on this site. Train some with “manage.py train_strategy {name}”."
    return ""


def writer_name() -> str | None:
    """The kind of model that writes on this site: the one that the settings name, else one for what they name.

    None where there is none: nothing names a kind, a server or a folder, or what the named kind needs is missing.
    """
    environment = settings.ENVIRONMENT
    usual = "causal" if environment.writer_weights else "chat" if environment.llm_url else None
    name: str | None = environment.writer or usual
    if name is None or writer_fault(name, folder=environment.writer_weights, server=model_server()):
        return None
    return name


@contextmanager
def writer(strategy: str, chosen: HasOptions = DEFAULT_SWITCHES) -> Iterator[Writer | None]:
    """The model that writes for a strategy, loaded once a process; None where it needs none, or the site has none.

    Raises:
        ScorerUnavailableError: it cannot be loaded, its server does not answer, or it must be said which is meant.

    """
    name = writer_name()
    if name is None or not needs_writer(strategy, chosen):
        yield None
        return
    with _writers.use(ModelKey(name, settings.ENVIRONMENT.writer_weights, server=model_server())) as model:
        yield model


def _load_writer(key: ModelKey) -> Writer:
    return open_writer(key.name, folder=key.weights, server=key.server)


_writers = ModelCache(_load_writer, kept=1)


def today() -> Date:
    """The day that *now* means in what is asked now."""
    return Date(timezone.localdate().isoformat())


def reason(
    question: str,
    *,
    graph_name: str,
    scorer_name: str | None,
    strategy: str = DEFAULT,
    topic: Entity | None = None,
    continuation: Continuation | None = None,
    switches: EngineSwitches | None = None,
    cancelled: Callable[[], bool] = never,
    answers: int = 0,
) -> Generator[events.StageEvent, None, None]:
    """Answer a question; see `reasoning.engine.engine.go_on`. What cannot even be opened ends in `Failed` too.

    ``scorer_name`` may be None where every decision is kept, and every text. The last event lists up to
    ``answers``, where that is more than usual.
    """
    switches = switches or EngineSwitches()
    with ExitStack() as opened:
        try:
            store = graph(graph_name)
            model = None if scorer_name is None else opened.enter_context(scorer(scorer_name))
            run_events = go_on(
                question,
                store,
                model,
                continuation or Continuation(()),
                strategy=strategy,
                writer=None if model is None else opened.enter_context(writer(strategy, switches)),
                topic=topic,
                limits=replace(LIMITS, answers_shown=max(LIMITS.answers_shown, answers)),
                switches=switches,
                today=today(),
                cancelled=cancelled,
            )
        except ReasoningError as error:
            log.warning("%s", error.for_operators)
            yield events.Failed(code=error.code, message=error.for_people, retryable=error.retryable)
            return
        except GraphStoreError as error:
            yield events.Failed(code="graph_unavailable", message=error.for_people, retryable=error.retryable)
            return
        yield from run_events
