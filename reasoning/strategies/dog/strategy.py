"""DoG: debate on graph (arXiv 2409.03155)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reasoning.run.topic_choice import choose_topic
from reasoning.strategies.dog.answering import answered
from reasoning.strategies.dog.rounds import Rounds

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reasoning import events
    from reasoning.run.run import Run


class Dog:
    """Follows one relation at a time and shortens the question by what it answered, until that is enough.

    A round: filter (a relation r for q^k, the question with k hops left, out of those of the newest set E^i), fill (all
    facts along r), try (are they enough for q^k?), and else a debate that turns q^k into q^(k-1), about E^(i+1). The
    roles of the debate are R1, the simplifier; R2, the critic; and R3, the linguist.
    """

    name = "dog"
    needs_writer = False

    def answer(self, run: Run) -> Iterator[events.StageEvent]:
        """See `reasoning.run.strategy.Strategy`."""
        linking = yield from choose_topic(run)
        if linking.topic is None:
            yield run.finished("not_in_graph", "no_topic")
            return
        rounds = Rounds(run, linking)
        yield from rounds.searched()
        yield from answered(run, is_spent=rounds.is_spent)
