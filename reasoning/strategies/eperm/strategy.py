"""EPERM: evidence path enhanced reasoning (arXiv 2502.16171).

P(A|G, Q) is the sum over subgraphs and evidence paths of P(A|R, Q) P(R|G', Q) P(G'|G, Q): a subgraph G' is retrieved, a
finder weighs evidence paths R in it, and a predictor answers from those.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from reasoning.run.topic_choice import choose_topic
from reasoning.strategies.eperm.finder import Finder
from reasoning.strategies.eperm.judge import opened_judge
from reasoning.strategies.eperm.predictor import predicted
from reasoning.strategies.growth import searched

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from reasoning import events
    from reasoning.run.run import Run


class Eperm:
    """Retrieves relations round by round, follows the best plans, and keeps the entities that fit the question.

    S_k holds the relations of all plans, G_k the facts between entities that were kept. Answers are what the weighed
    paths lead to, as far as they come near the one that weighs most; or what the scorer, or a model that writes, takes
    of the paths' ends.
    """

    name = "eperm"
    needs_writer = False

    def __init__(self, weights: Path) -> None:
        """Take the folder of the judge's weights."""
        self._weights = weights

    def answer(self, run: Run) -> Iterator[events.StageEvent]:
        """See `reasoning.run.strategy.Strategy`.

        Raises:
            ScorerUnavailableError: the judge's weights are missing, or cannot be loaded.

        """
        linking = yield from choose_topic(run)
        if linking.topic is None:
            yield run.finished("not_in_graph", "no_topic")
            return
        finder = Finder(run, linking, opened_judge(self._weights))
        grown = yield from searched(run, linking, finder, (), finder.lead_on)
        yield from predicted(run, linking, finder, grown)
