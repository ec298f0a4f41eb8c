"""Several vLLM servers of one model: which one is asked, and what happens when one fails."""

from __future__ import annotations

import itertools
import logging
import threading
import time
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

import httpx2

from reasoning.core.errors import ModelServerAwayError, ScorerUnavailableError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from reasoning.scorers.server import ModelServer

log = logging.getLogger(__name__)

TIMEOUT = httpx2.Timeout(120.0, connect=3.0)
"""Seconds: an answer may wait behind others in the server's queue."""
CONNECTIONS = 64
AWAY_SECONDS = 10.0
"""How long one that failed is not asked while others are there."""
_BUSY = {HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_MANY_REQUESTS}
_WORDS_SHOWN = 300


@dataclass
class Replica:
    """One server."""

    url: str
    client: httpx2.Client
    model: str = ""
    """The name under which it serves the model."""
    away_until: float = 0.0
    checked: bool = False
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def is_away(self) -> bool:
        """Whether it failed a moment ago."""
        return time.monotonic() < self.away_until

    def ask(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> Any:
        """Send a request, and return the answer's JSON.

        Raises:
            ReplicaAwayError: it cannot be reached, or is too busy or too broken to answer.
            ScorerUnavailableError: it refuses the request.

        """
        try:
            response = self.client.request(method, path, json=body)
        except httpx2.TransportError as error:
            raise ReplicaAwayError(f"{self.url} does not answer ({error or type(error).__name__})") from error
        status = response.status_code
        if status >= HTTPStatus.INTERNAL_SERVER_ERROR or status in _BUSY:
            raise ReplicaAwayError(f"{self.url} answers {status}: {response.text[:_WORDS_SHOWN]}")
        if status in {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN}:
            raise ScorerUnavailableError(f"The language-model server {self.url} wants a key: set DISCERN_LLM_KEY.")
        if status >= HTTPStatus.BAD_REQUEST:
            raise ScorerUnavailableError(
                f"The language-model server {self.url} refuses {path} ({status}: {response.text[:_WORDS_SHOWN]})."
            )
        try:
            return response.json()
        except ValueError as error:
            raise ScorerUnavailableError(
                f"{self.url} answers, but not as a vLLM server does; check DISCERN_LLM_URL."
            ) from error


class ReplicaAwayError(Exception):
    """One replica did not answer; another may."""


class Replicas:
    """The servers, in the order in which they were named."""

    def __init__(self, server: ModelServer, check: Callable[[Replica], None]) -> None:
        """Prepare to ask them; ``check`` is called with each before it is asked for the first time."""
        if not server.urls:
            raise ScorerUnavailableError("No language-model server is named: set DISCERN_LLM_URL to its address.")
        limits = httpx2.Limits(max_connections=CONNECTIONS, max_keepalive_connections=CONNECTIONS)
        self._all = [
            Replica(url, httpx2.Client(base_url=url, headers=server.headers, timeout=TIMEOUT, limits=limits))
            for url in server.bases
        ]
        self._check = check
        self._turn = itertools.count()

    def next(self) -> int:
        """Whose turn it is to take a new question."""
        turn = next(self._turn)
        order = [(turn + step) % len(self._all) for step in range(len(self._all))]
        return next((index for index in order if not self._all[index].is_away), order[0])

    def complete(self, body: Mapping[str, Any], at: int) -> tuple[Any, int]:
        """Send a completion request to replica ``at``, or to the next one that is there; the answer, and whose it is.

        Raises:
            ScorerUnavailableError: none answers (`ModelServerAwayError`), or one refuses the request.

        """
        return self._first(lambda replica: replica.ask("POST", "/v1/completions", {**body, "model": replica.model}), at)

    def fault(self) -> ScorerUnavailableError | None:
        """Why no server would answer now; None where one would."""
        try:
            self.check()
        except ScorerUnavailableError as error:
            return error
        return None

    def check(self) -> None:
        """See that a server answers.

        Raises:
            ScorerUnavailableError: none does (`ModelServerAwayError`), or one refuses.

        """
        self._first(lambda replica: replica.ask("GET", "/v1/models"), 0)

    def close(self) -> None:
        """Hang up."""
        for replica in self._all:
            replica.client.close()

    def _first(self, ask: Callable[[Replica], Any], at: int) -> tuple[Any, int]:
        order = [(at + step) % len(self._all) for step in range(len(self._all))]
        order.sort(key=lambda index: self._all[index].is_away)  # those that are away are asked last
        reasons: list[str] = []
        for index in order:
            replica = self._all[index]
            try:
                with replica.lock:
                    if not replica.checked:
                        self._check(replica)
                        replica.checked = True
                answer = ask(replica)
            except ReplicaAwayError as error:
                if not replica.is_away:
                    log.warning("language-model server away: %s", error)
                replica.away_until = time.monotonic() + AWAY_SECONDS
                replica.checked = False  # what comes back may be another version
                reasons.append(str(error))
            else:
                replica.away_until = 0.0
                return answer, index
        raise ModelServerAwayError(
            f"No language-model server answers: {'; '.join(reasons)}. Start it, or check DISCERN_LLM_URL."
        )
