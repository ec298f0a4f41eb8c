"""A chat model behind OpenAI's protocol that writes. What it writes is streamed, so that it can be stopped."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from threading import Event
from time import monotonic
from typing import TYPE_CHECKING, Any, cast

import openai

from reasoning.errors import WritingCancelledError, WritingTimeoutError
from reasoning.scorers.base import Cost
from reasoning.scorers.chat_client import ChatClient
from reasoning.writers.base import WRITING_SECONDS, Written, never

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterator, Sequence
    from concurrent.futures import Future

    from openai.types.chat import ChatCompletionMessageParam

    from reasoning.errors import ScorerUnavailableError
    from reasoning.scorers.server import ModelServer
    from reasoning.writers.base import Message

_LOOK_SECONDS = 0.1
"""Between two looks at whether it is to stop."""


class ChatWriter:
    """A chat model on a server. Safe to share between threads."""

    def __init__(self, server: ModelServer) -> None:
        """Find the server, and the model if it is not named.

        Raises:
            ScorerUnavailableError: no server answers, or it must be said which model is meant.

        """
        self._client = ChatClient(server)

    @property
    def name(self) -> str:
        """What people are told of which model wrote."""
        return self._client.model

    def write(
        self,
        messages: Sequence[Message],
        *,
        limit: int,
        temperature: float = 0.0,
        stop: Sequence[str] = (),
        seconds: float = WRITING_SECONDS,
        cancelled: Callable[[], bool] = never,
    ) -> Written:
        """See `Writer.write`."""
        until = monotonic() + seconds
        asked = cast(
            "list[ChatCompletionMessageParam]",
            [{"role": message.role, "content": message.text} for message in messages],
        )

        async def stream(client: openai.OpenAI) -> Written:
            parts: list[str] = []
            cost = Cost(1)
            async with (
                openai.AsyncOpenAI(
                    base_url=client.base_url,
                    api_key=client.api_key,
                    timeout=max(until - monotonic(), 0.0),
                    max_retries=client.max_retries,
                ) as server,
                await server.chat.completions.create(
                    model=self._client.model,
                    messages=asked,
                    temperature=temperature,
                    max_completion_tokens=limit,
                    stop=list(stop) or None,
                    stream=True,
                    stream_options={"include_usage": True},
                ) as chunks,
            ):
                async for chunk in chunks:
                    if chunk.usage is not None:
                        cost = Cost(1, chunk.usage.prompt_tokens, chunk.usage.completion_tokens)
                    parts += [choice.delta.content or "" for choice in chunk.choices]
            return Written("".join(parts), cost)

        def listen(client: openai.OpenAI) -> Written:
            with _listening(stream(client)) as written:
                while not wait([written], timeout=_LOOK_SECONDS).done:
                    if cancelled():
                        raise WritingCancelledError("The model was told to stop writing.")
                    if monotonic() > until:
                        raise WritingTimeoutError(
                            f"The model {self.name} took more than {seconds:.0f} seconds and was stopped. Ask "
                            "again, or choose another strategy."
                        )
                return written.result()

        return self._client.ask(listen)

    def fault(self) -> ScorerUnavailableError | None:
        """Why no server would answer now; None where one would."""
        return self._client.fault()

    def close(self) -> None:
        """Hang up."""
        self._client.close()


@contextmanager
def _listening(stream: Coroutine[Any, Any, Written]) -> Iterator[Future[Written]]:
    """Listen to a server from a thread of its own; whoever leaves the block hangs up, whether it said anything or not.

    A server may be silent for long, so that nobody who waits for it could look at anything else meanwhile.
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
