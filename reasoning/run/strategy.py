"""What a strategy is: a method that answers a question over a graph, telling each of its decisions.

A new strategy is a folder in `reasoning.strategies` and an entry in its registry; see docs/explanation/strategies.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reasoning.events import StageEvent
    from reasoning.run.run import Run


class Strategy(Protocol):
    """A method. It keeps nothing between runs, and is safe to share between threads."""

    @property
    def name(self) -> str:
        """What runs, evaluations and commands call it: ``reads``."""

    @property
    def needs_writer(self) -> bool:
        """Whether it always needs a model that writes (`Run.writer`) in addition to the one that chooses."""

    def answer(self, run: Run) -> Iterator[StageEvent]:
        """Answer the run's question: every event after `Started`, up to and with `Finished`.

        Every decision goes through `Run.decide`, so that it can be given instead of asked. What the run comes to is
        written into its trace.

        Raises:
            ReasoningError, GraphStoreError: the run cannot go on; the caller emits `Failed`.

        """
