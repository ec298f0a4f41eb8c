"""Chat models behind OpenAI's protocol, for what chooses and for what writes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import openai

from reasoning.core.errors import ModelServerAwayError, ScorerUnavailableError, UndecidedError

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    from reasoning.scorers.server import ModelServer

    Answer = TypeVar("Answer")

TIMEOUT_SECONDS = 120.0
RETRIES = 4
"""After a failed connection, a time-out, “too many requests” or a server's error; with growing pauses."""
FAULT_SECONDS = 5.0
_OF_THE_PROMPT = re.compile(r"context.{0,9}(length|size|window)|content.{0,3}(filter|management|policy)", re.IGNORECASE)
"""What servers say where they refuse one prompt, for its length or its words, and would take others."""

NO_TEMPLATE = "chat template"
"""What vLLM says where a model has none, since it was never taught to chat."""


class ChatClient:
    """The servers of one chat model: the first that is there answers. Safe to share between threads."""

    def __init__(self, server: ModelServer) -> None:
        """Find the server, and the model if it is not named.

        Raises:
            ScorerUnavailableError: no server answers, or it must be said which model is meant.

        """
        if not server.urls:
            raise ScorerUnavailableError("No chat model is named: set DISCERN_LLM_URL to its server's address.")
        self._clients = [
            openai.OpenAI(
                base_url=_with_path(url), api_key=server.key or "none", timeout=TIMEOUT_SECONDS, max_retries=RETRIES
            )
            for url in server.urls
        ]
        try:
            self.model = server.model or self.ask(_only_model)
        except BaseException:
            self.close()
            raise

    def ask(self, ask: Callable[[openai.OpenAI], Answer], *, first: int = 0) -> Answer:
        """What the first server says that is there, beginning with the ``first`` of them, counted round and round.

        Raises:
            ModelServerAwayError: none is.
            ScorerUnavailableError: it refuses, and would refuse everything else.
            UndecidedError: it takes no such prompt.

        """
        away: list[str] = []
        start = first % len(self._clients)
        for client in (*self._clients[start:], *self._clients[:start]):
            try:
                return ask(client)
            except (openai.APIConnectionError, openai.InternalServerError, openai.RateLimitError) as error:
                away.append(f"{client.base_url} does not answer ({error})")
            except (openai.AuthenticationError, openai.PermissionDeniedError) as error:
                raise ScorerUnavailableError(
                    f"The chat model's server {client.base_url} wants another key ({error}); set DISCERN_LLM_KEY."
                ) from error
            except openai.OpenAIError as error:
                if _OF_THE_PROMPT.search(str(error)):
                    raise UndecidedError(
                        f"The chat model's server {client.base_url} takes no such prompt ({error}); choose another "
                        "model."
                    ) from error
                if NO_TEMPLATE in str(error):
                    raise ScorerUnavailableError(
                        f"The model on {client.base_url} was never taught to chat ({error}); choose another one. To "
                        "write, DISCERN_WRITER=vllm takes it."
                    ) from error
                raise ScorerUnavailableError(
                    f"The chat model's server {client.base_url} refuses ({error}); check DISCERN_LLM_URL and "
                    "DISCERN_LLM_MODEL."
                ) from error
        raise ModelServerAwayError(f"No chat model answers: {'; '.join(away)}. Start it, or check DISCERN_LLM_URL.")

    def fault(self) -> ScorerUnavailableError | None:
        """Why no server would answer now; None where one would."""
        try:
            self.ask(lambda client: client.with_options(timeout=FAULT_SECONDS, max_retries=0).models.list())
        except ScorerUnavailableError as error:
            return error
        return None

    def close(self) -> None:
        """Hang up."""
        for client in self._clients:
            client.close()


class ChatServed:
    """What has its model on chat servers, to choose or to write (`reasoning.scorers.server.Served`)."""

    def __init__(self, server: ModelServer) -> None:
        """Find a server, and the model if it is not named.

        Raises:
            ScorerUnavailableError: no server answers, or it must be said which model is meant.

        """
        self._client = ChatClient(server)

    @property
    def name(self) -> str:
        """How users see which model it was."""
        return self._client.model

    def fault(self) -> ScorerUnavailableError | None:
        """Why no server would answer now; None where one would."""
        return self._client.fault()

    def close(self) -> None:
        """Hang up."""
        self._client.close()


def _with_path(url: str) -> str:
    """OpenAI's protocol lies under ``/v1`` unless an address has a path of its own."""
    bare = url.rstrip("/")
    return bare if "/" in bare.partition("://")[2] else f"{bare}/v1"


def _only_model(client: openai.OpenAI) -> str:
    names = sorted(model.id for model in client.models.list())
    if len(names) != 1:
        raise ScorerUnavailableError(
            f"{client.base_url} serves {len(names)} models; set DISCERN_LLM_MODEL to one of: {', '.join(names[:20])}."
        )
    return names[0]
