"""A model that writes: what it promises, over a real connection."""

from __future__ import annotations

import time

import pytest

from reasoning.errors import ModelServerAwayError, ScorerUnavailableError, WritingCancelledError, WritingTimeoutError
from reasoning.scorers.base import Cost
from reasoning.scorers.server import ModelServer
from reasoning.writers.base import Message, Written
from reasoning.writers.chat import ChatWriter
from tests.reasoning.chat_server import chat_server

ASKED = (Message("system", "Be brief."), Message("user", "Who was the voice of KITT?"))


def test_it_writes_and_says_what_that_cost() -> None:
    with chat_server(lambda _: "It was William Daniels.") as server:
        writer = ChatWriter(ModelServer((server.url,)))
        assert writer.name == "picker"
        assert writer.write(ASKED, limit=20, temperature=0.4, stop=("\n",)) == Written(
            "It was William Daniels.", Cost(1, 40, 4)
        )
        assert writer.fault() is None
        writer.close()
    (body,) = server.asked
    assert body["messages"] == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Who was the voice of KITT?"},
    ]
    assert (body["max_completion_tokens"], body["temperature"], body["stop"]) == (20, 0.4, ["\n"])


def test_it_stops_when_told_to() -> None:
    with chat_server(lambda _: "word " * 200) as server:
        server.pause = 0.02
        writer = ChatWriter(ModelServer((server.url,)))
        seen = iter([False, False, True])
        started = time.monotonic()
        with pytest.raises(WritingCancelledError):
            writer.write(ASKED, limit=500, cancelled=lambda: next(seen))
        assert time.monotonic() - started < 3
        writer.close()


def test_it_stops_though_the_server_says_nothing_and_hangs_up() -> None:
    def never(_: object) -> str:
        time.sleep(10)
        return ""

    with chat_server(never) as server:
        writer = ChatWriter(ModelServer((server.url,)))
        started = time.monotonic()
        with pytest.raises(WritingCancelledError):
            writer.write(ASKED, limit=500, cancelled=lambda: bool(server.asked))
        assert time.monotonic() - started < 3
        writer.close()


def test_a_server_that_is_not_listened_to_any_more_learns_it() -> None:
    with chat_server(lambda _: "word " * 200) as server:
        server.pause = 0.05
        writer = ChatWriter(ModelServer((server.url,)))
        with pytest.raises(WritingCancelledError):
            writer.write(ASKED, limit=500, cancelled=lambda: bool(server.asked))
        assert server.left.wait(timeout=5)
        writer.close()


def test_it_takes_no_longer_than_it_may() -> None:
    with chat_server(lambda _: "word " * 200) as server:
        server.pause = 0.05
        writer = ChatWriter(ModelServer((server.url,)))
        with pytest.raises(WritingTimeoutError, match="more than 0 seconds"):
            writer.write(ASKED, limit=500, seconds=0.3)
        writer.close()


def test_where_nobody_answers_it_says_so() -> None:
    with chat_server(lambda _: "") as server:
        writer = ChatWriter(ModelServer((server.url,)))
    with pytest.raises(ModelServerAwayError):
        writer.write(ASKED, limit=5, seconds=30)
    assert isinstance(writer.fault(), ScorerUnavailableError)
    writer.close()
