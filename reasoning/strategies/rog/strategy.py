"""RoG: reasoning on graphs by plans of relation paths (arXiv 2310.01061).

P(a|q, G) is the sum over plans z of P(a|q, z, G) P(z|q): a planner proposes relation paths, the facts along them are
retrieved, and a reasoner answers from those.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from reasoning.run.topic_choice import choose_topic
from reasoning.strategies.growth import searched
from reasoning.strategies.plans.reasoner import reasoned
from reasoning.strategies.rog.following import Following
from reasoning.strategies.rog.options import REASONER

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reasoning import events
    from reasoning.run.run import Run


class Rog:
    """Follows the ``EngineSwitches.plans`` best plans from the topic entity, breadth first along each.

    S_k holds the relations of all grounded plans, G_k the facts along them, with their direction and parallel
    relations, both of which RoG's published code loses. The answer is what stands at the end of the plan that weighs
    most, or what a model that writes makes of all of them.
    """

    name = "rog"
    needs_writer = False

    def answer(self, run: Run) -> Iterator[events.StageEvent]:
        """See `reasoning.run.strategy.Strategy`."""
        linking = yield from choose_topic(run)
        if linking.topic is None:
            yield run.finished("not_in_graph", "no_topic")
            return
        following = Following(run, linking)
        grown = yield from searched(run, linking, following, (), following.lead_on)
        yield from reasoned(run, following.plans, grown, by_writer=run.switches[REASONER] == "writer")
