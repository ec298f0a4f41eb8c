"""A chat model behind OpenAI's protocol that writes."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, cast

from reasoning.scorers.chat.client import ChatServed
from reasoning.writers.base import WRITING_SECONDS, Watch, Written, never
from reasoning.writers.streamed import Piece, written

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Sequence

    import openai
    from openai.types.chat import ChatCompletionMessageParam

    from reasoning.writers.base import Message


class ChatWriter(ChatServed):
    """A chat model on a server. Safe to share between threads."""

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
        pieces = partial(
            chat_pieces, model=self.name, messages=messages, limit=limit, temperature=temperature, stop=stop
        )
        watch = Watch.begun(self.name, seconds, cancelled)
        return self._client.ask(lambda client: written(client, pieces, watch))


async def chat_pieces(
    server: openai.AsyncOpenAI,
    *,
    model: str,
    messages: Sequence[Message],
    limit: int,
    temperature: float,
    stop: Sequence[str],
) -> AsyncGenerator[Piece, None]:
    """What a server's chat model goes on with, piece by piece; arguments as for `Writer.write`."""
    asked = cast(
        "list[ChatCompletionMessageParam]",
        [{"role": message.role, "content": message.text} for message in messages],
    )
    async with await server.chat.completions.create(
        model=model,
        messages=asked,
        temperature=temperature,
        max_completion_tokens=limit,
        stop=list(stop) or None,
        stream=True,
        stream_options={"include_usage": True},
    ) as chunks:
        async for chunk in chunks:
            text = "".join(choice.delta.content or "" for choice in chunk.choices)
            is_cut = any(choice.finish_reason == "length" for choice in chunk.choices)
            yield Piece(text, is_cut, chunk.usage)
