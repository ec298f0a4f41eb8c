"""A language model on vLLM servers that writes: one that was taught to chat, or one that only goes on with a text.

Several servers of one model take turns. A model without a chat template is sent the conversation as plain text.
"""

from __future__ import annotations

import itertools
from functools import partial
from typing import TYPE_CHECKING

import openai

from reasoning.scorers.chat.client import NO_TEMPLATE, ChatServed
from reasoning.writers.base import WRITING_SECONDS, Watch, Written, never
from reasoning.writers.chat import chat_pieces
from reasoning.writers.plain import TURN, plain_prompt
from reasoning.writers.streamed import Piece, written

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Sequence

    from reasoning.scorers.server import ModelServer
    from reasoning.writers.base import Message


class VllmWriter(ChatServed):
    """A language model on vLLM servers. Safe to share between threads."""

    def __init__(self, server: ModelServer) -> None:
        """Find a server, and the model if it is not named.

        Raises:
            ScorerUnavailableError: no server answers, or it must be said which model is meant.

        """
        super().__init__(server)
        self._turn = itertools.count()

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
        as_chat = partial(
            chat_pieces, model=self.name, messages=messages, limit=limit, temperature=temperature, stop=stop
        )
        as_text = partial(
            _text_pieces,
            model=self.name,
            prompt=plain_prompt(messages),
            limit=limit,
            temperature=temperature,
            stop=(*stop, TURN),
        )

        watch = Watch.begun(self.name, seconds, cancelled)

        def ask(client: openai.OpenAI) -> Written:
            try:
                return written(client, as_chat, watch)
            except openai.BadRequestError as error:
                if NO_TEMPLATE not in str(error):
                    raise
            return written(client, as_text, watch)

        return self._client.ask(ask, first=next(self._turn))


async def _text_pieces(
    server: openai.AsyncOpenAI, *, model: str, prompt: str, limit: int, temperature: float, stop: Sequence[str]
) -> AsyncGenerator[Piece, None]:
    """What a server's model goes on with after a text, piece by piece."""
    async with await server.completions.create(
        model=model,
        prompt=prompt,
        temperature=temperature,
        max_tokens=limit,
        stop=list(stop),
        stream=True,
        stream_options={"include_usage": True},
    ) as chunks:
        async for chunk in chunks:
            text = "".join(choice.text for choice in chunk.choices)
            is_cut = any(choice.finish_reason == "length" for choice in chunk.choices)
            yield Piece(text, is_cut, chunk.usage)
