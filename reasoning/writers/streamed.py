"""Texts that a server behind OpenAI's protocol writes piece by piece, so that it can be stopped at any time."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import aclosing, contextmanager
from dataclasses import dataclass
from threading import Event
from typing import TYPE_CHECKING, Any

import openai

from reasoning.scorers.base import Cost
from reasoning.writers.base import Written

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Coroutine, Iterator
    from concurrent.futures import Future

    from openai.types import CompletionUsage

    from reasoning.writers.base import Watch

_LOOK_SECONDS = 0.1
"""Between two looks at whether it is to stop."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Some of a text."""

    text: str
    is_cut: bool = False
    """Whether the limit of tokens ends the text here."""
    usage: CompletionUsage | None = None
    """What it took, where the server tells that with this piece."""


def written(
    client: openai.OpenAI,
    pieces: Callable[[openai.AsyncOpenAI], AsyncGenerator[Piece, None]],
    watch: Watch,
) -> Written:
    """What a model writes whose server is asked as ``client`` asks.

    Raises:
        openai.OpenAIError: the server is away, or refuses.
        WritingCancelledError, WritingTimeoutError: see `Writer.write`.

    """

    async def joined() -> Written:
        parts: list[str] = []
        cost, is_cut = Cost(1), False
        async with (
            openai.AsyncOpenAI(
                base_url=client.base_url, api_key=client.api_key, timeout=watch.left, max_retries=client.max_retries
            ) as server,
            aclosing(pieces(server)) as some,
        ):
            async for piece in some:
                parts.append(piece.text)
                is_cut |= piece.is_cut
                if piece.usage is not None:
                    cost = Cost(1, piece.usage.prompt_tokens, piece.usage.completion_tokens)
        return Written("".join(parts), cost, ended=not is_cut)

    watch.check()
    with _listening(joined()) as text:
        while not wait([text], timeout=_LOOK_SECONDS).done:
            watch.check()
        return text.result()


@contextmanager
def _listening(stream: Coroutine[Any, Any, Written]) -> Iterator[Future[Written]]:
    """Listen to a server from a thread of its own; leaving the block closes the connection, even before an answer.

    A server may be silent for long, and a caller that waits for it could not check anything else meanwhile.
    """
    left = Event()

    async def until_left() -> Written:
        listening = asyncio.create_task(stream)
        while not listening.done() and not left.is_set():
            await asyncio.wait([listening], timeout=_LOOK_SECONDS)
        if not listening.done():
            listening.cancel()
        return await listening

    with ThreadPoolExecutor(max_workers=1, thread_name_prefix="writing") as thread:
        try:
            yield thread.submit(asyncio.run, until_left())
        finally:
            left.set()
