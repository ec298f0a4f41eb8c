"""Scorers are loaded once for all requests, do not block each other, and are closed when they are no longer in use."""

from __future__ import annotations

import socket
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from threading import Barrier
from typing import TYPE_CHECKING

import pytest

from reasoning.core.errors import ModelMemoryError, ScorerUnavailableError
from reasoning.scorers.lexical import LexicalScorer
from reasoning.scorers.registry import open_scorer
from reasoning.scorers.server import ModelServer
from tests.reasoning.chat_server import chat_server, first_longest
from tests.reasoning.language_models import decided_model, save_model
from webapp.platform.work.model_cache import ModelCache, ModelKey

if TYPE_CHECKING:
    from pathlib import Path

    from reasoning.scorers.base import Scorer


@pytest.fixture(autouse=True)
def clean() -> None:
    """These tests have no database."""


def load(key: ModelKey) -> Scorer:
    return open_scorer(key.name.partition(" ")[0], key.weights, server=key.server)


def test_threads_that_ask_at_once_get_one_model(tmp_path: Path) -> None:
    loaded: list[ModelKey] = []

    def counted(key: ModelKey) -> Scorer:
        loaded.append(key)
        return load(key)

    cache = ModelCache(counted, kept=4)
    key = ModelKey("causal", save_model(tmp_path / "small", decided_model()))
    together = Barrier(8)

    def ask(_: int) -> Scorer:
        together.wait()
        with cache.use(key) as scorer:
            return scorer

    with ThreadPoolExecutor(8) as threads:
        assert len(set(threads.map(ask, range(8)))) == 1
    assert loaded == [key]


def test_a_server_that_hangs_keeps_nobody_from_another_scorer() -> None:
    cache = ModelCache(load, kept=4)
    with ThreadPoolExecutor(1) as threads:
        with socket.create_server(("127.0.0.1", 0)) as silent:
            hanging = ModelKey("vllm", server=ModelServer((f"http://127.0.0.1:{silent.getsockname()[1]}",)))
            waiting = threads.submit(lambda: cache.use(hanging).__enter__())
            connection, _ = silent.accept()
            with connection:
                began = time.monotonic()
                with cache.use(ModelKey("lexical")) as scorer:
                    assert scorer.name == LexicalScorer().name
                assert time.monotonic() - began < 1
                assert not waiting.done()
        with pytest.raises(ScorerUnavailableError):
            waiting.result()


def test_what_is_dropped_is_closed_but_never_while_it_is_used() -> None:
    with chat_server(first_longest) as server:
        cache = ModelCache(load, kept=1)
        one, other = (ModelKey(f"chat {name}", server=ModelServer((server.url,), "model")) for name in "ab")
        with ExitStack() as used:
            first = used.enter_context(cache.use(one))
            with cache.use(other) as second:
                pass
            assert is_closed(second)
            assert not is_closed(first)
        assert not is_closed(first)
        with cache.use(one) as kept:
            assert kept is first
        # Trained again while a user still uses the old weights.
        with cache.use(one), cache.use(ModelKey(one.name, written=1, server=one.server)) as newer:
            assert not is_closed(first)
        assert is_closed(first)
        with cache.use(ModelKey("lexical")):
            pass
        assert is_closed(newer)


def test_a_model_that_needs_the_room_of_others_gets_it() -> None:
    with chat_server(first_longest) as server:
        idle = ModelKey("chat", server=ModelServer((server.url,), "model"))
        tried: list[str] = []

        def tight(key: ModelKey) -> Scorer:
            tried.append(key.name)
            if key.name == "lexical" and not is_closed(small):
                raise ModelMemoryError("It does not fit.")
            return load(key)

        cache = ModelCache(tight, kept=4)
        with cache.use(idle) as small:
            with pytest.raises(ModelMemoryError), cache.use(ModelKey("lexical")):
                pass
            assert not is_closed(small)
        with cache.use(ModelKey("lexical")):
            assert tried == ["chat", "lexical", "lexical", "lexical"]
            assert is_closed(small)


def is_closed(scorer: Scorer) -> bool:
    """Whether a chat model's clients hung up."""
    return all(client.is_closed() for client in scorer._client._clients)
