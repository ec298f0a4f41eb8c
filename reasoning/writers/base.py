"""The one interface to a model that writes."""

from __future__ import annotations

from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING, Literal, Protocol

from reasoning.core.errors import WritingCancelledError, WritingTimeoutError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from reasoning.scorers.base import Cost

WRITING_SECONDS = 120.0
"""A text takes no longer, unless the caller says so."""


def never() -> bool:
    """Never cancel."""
    return False


@dataclass(frozen=True, slots=True)
class Message:
    """A part of a conversation."""

    role: Literal["system", "user", "assistant"]
    text: str


@dataclass(frozen=True, slots=True)
class Written:
    """What a model wrote."""

    text: str
    cost: Cost
    ended: bool = True
    """Whether it came to its end by itself or at a stop word; False where the limit of tokens cut it."""


class Writer(Protocol):
    """A model that writes. Safe to share between threads."""

    @property
    def name(self) -> str:
        """How users see which model wrote."""

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
        """Go on with a conversation.

        Args:
            messages: what was said so far, the oldest first.
            limit: maximum of tokens.
            temperature: 0 takes the likeliest token each time.
            stop: the text ends before the first of these.
            seconds: so long it may take, all in all.
            cancelled: asked now and then; where it is true, the model stops.

        Raises:
            ScorerUnavailableError: the model cannot be reached (`ModelServerAwayError`), or refuses.
            UndecidedError: it takes no such messages.
            WritingTimeoutError: it took too long.
            WritingCancelledError: it was asked to stop.

        """


@dataclass(frozen=True, slots=True)
class Watch:
    """How long a model that writes may take, and whether it is to stop."""

    name: str
    """Of the model."""
    seconds: float
    cancelled: Callable[[], bool]
    until: float
    """On the monotonic clock."""

    @classmethod
    def begun(cls, name: str, seconds: float, cancelled: Callable[[], bool]) -> Watch:
        """From now on; arguments as for `Writer.write`."""
        return cls(name, seconds, cancelled, monotonic() + seconds)

    @property
    def left(self) -> float:
        """The seconds that are left, 0 at least."""
        return max(self.until - monotonic(), 0.0)

    def check(self) -> None:
        """Look whether it may go on.

        Raises:
            WritingCancelledError: it was cancelled.
            WritingTimeoutError: the time is up.

        """
        if self.cancelled():
            raise WritingCancelledError(f"The model {self.name} was asked to stop writing.")
        if self.left == 0.0:
            raise WritingTimeoutError(
                f"The model {self.name} took more than {self.seconds:.0f} seconds and was stopped. Ask again, or "
                "choose another strategy."
            )
