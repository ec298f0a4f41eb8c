"""ToG: think on graph (arXiv 2307.07697), a beam over relations and entities."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reasoning.run.topic_choice import choose_topic
from reasoning.strategies.growth import searched
from reasoning.strategies.plans.reasoner import reasoned
from reasoning.strategies.sufficiency_options import SUFFICIENCY
from reasoning.strategies.tog.beams import Beams

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reasoning import events
    from reasoning.run.run import Run


class Tog:
    """Goes on from the best entities of the best relations, ``EngineSwitches.width`` of each, ``depth`` hops at most.

    After each hop it tries whether what was found is enough. The answer is what stands at the end of the weightiest
    way, or what the model that says what is enough makes of the paths.
    """

    name = "tog"
    needs_writer = False
    judges = True
    """Whether the entities that a relation leads to are scored, and the best kept."""

    def answer(self, run: Run) -> Iterator[events.StageEvent]:
        """See `reasoning.run.strategy.Strategy`."""
        linking = yield from choose_topic(run)
        if linking.topic is None:
            yield run.finished("not_in_graph", "no_topic")
            return
        beams = Beams(run, linking, judges=self.judges)
        grown = yield from searched(run, linking, beams, (), beams.lead_on, beams.reason)
        yield from reasoned(run, beams.plans, grown, by_writer=run.switches[SUFFICIENCY] == "writer")


class TogR(Tog):
    """ToG-R (section 2.2): relations alone are scored, so all that they lead to stays in the beam.

    ToG-R itself goes on from some of it, drawn by chance.
    """

    name = "tog-r"
    judges = False
