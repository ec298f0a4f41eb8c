"""The address, model and key of a language model on a server."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from reasoning.core.errors import ScorerUnavailableError


@dataclass(frozen=True, slots=True)
class ModelServer:
    """A server, or several of the same model, that speak OpenAI's protocol."""

    urls: tuple[str, ...]
    """The address of each, with or without ``/v1`` at its end."""
    model: str | None = None
    """The model's name there; None where it serves one only."""
    key: str | None = field(default=None, repr=False)
    """What it asks for as a key."""

    @property
    def bases(self) -> tuple[str, ...]:
        """The addresses without ``/v1``."""
        return tuple(url.rstrip("/").removesuffix("/v1") for url in self.urls)

    @property
    def headers(self) -> dict[str, str]:
        """What every request bears."""
        return {"Authorization": f"Bearer {self.key}"} if self.key else {}


@runtime_checkable
class Served(Protocol):
    """A scorer whose model lives on a server, which may go away and come back."""

    def close(self) -> None:
        """Hang up; it decides nothing any more."""

    def fault(self) -> ScorerUnavailableError | None:
        """Why the server would not decide now; None where it would. Asks it."""
