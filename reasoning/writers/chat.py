"""A chat model behind OpenAI's protocol that writes. What it writes is streamed, so that it can be stopped."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING, cast

from reasoning.errors import WritingCancelledError, WritingTimeoutError
from reasoning.scorers.base import Cost
from reasoning.scorers.chat_client import ChatClient
from reasoning.writers.base import WRITING_SECONDS, Written

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import openai
    from openai.types.chat import ChatCompletionMessageParam

    from reasoning.errors import ScorerUnavailableError
    from reasoning.scorers.server import ModelServer
    from reasoning.writers.base import Message


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
        cancelled: Callable[[], bool] = lambda: False,
    ) -> Written:
        """See `Writer.write`."""
        until = monotonic() + seconds
        asked = cast(
            "list[ChatCompletionMessageParam]",
            [{"role": message.role, "content": message.text} for message in messages],
        )

        def stream(client: openai.OpenAI) -> Written:
            parts: list[str] = []
            cost = Cost(1)
            left = max(until - monotonic(), 0.0)
            with client.with_options(timeout=left).chat.completions.create(
                model=self._client.model,
                messages=asked,
                temperature=temperature,
                max_completion_tokens=limit,
                stop=list(stop) or None,
                stream=True,
                stream_options={"include_usage": True},
            ) as chunks:
                for chunk in chunks:
                    if cancelled():
                        raise WritingCancelledError("The model was told to stop writing.")
                    if monotonic() > until:
                        raise WritingTimeoutError(
                            f"The model {self.name} wrote for more than {seconds:.0f} seconds and was stopped. Ask "
                            "again, or choose another strategy."
                        )
                    if chunk.usage is not None:
                        cost = Cost(1, chunk.usage.prompt_tokens, chunk.usage.completion_tokens)
                    parts += [choice.delta.content or "" for choice in chunk.choices]
            return Written("".join(parts), cost)

        return self._client.ask(stream)

    def fault(self) -> ScorerUnavailableError | None:
        """Why no server would answer now; None where one would."""
        return self._client.fault()

    def close(self) -> None:
        """Hang up."""
        self._client.close()
