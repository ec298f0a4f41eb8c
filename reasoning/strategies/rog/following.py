"""Which plans a run follows, and the facts along them (RoG, section 3.2: breadth first along each plan)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reasoning.core.derivation import SearchStep
from reasoning.core.structure import ROOT
from reasoning.facts.pools import facts_of, facts_that_join
from reasoning.scorers.base import Cost
from reasoning.strategies.growth import KeptFacts, is_decided
from reasoning.strategies.plans.options import PLANS
from reasoning.strategies.plans.plan import Plans
from reasoning.strategies.plans.proposed import propose, recorded_plans, way_to
from reasoning.strategies.plans.written import write
from reasoning.strategies.rog.options import PLANNER

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from kgstore.terms import Entity, Relation
    from reasoning import events
    from reasoning.question.linking import Linking
    from reasoning.run.run import Run
    from reasoning.strategies.growth import Grown
    from reasoning.strategies.plans.plan import Way


class Following:
    """The plans of one run. If a user gave a step that is on none of them, plans are made that continue from it."""

    def __init__(self, run: Run, linking: Linking) -> None:
        self._run = run
        self._linking = linking
        self._proposed: dict[int, Plans] = {}
        """By the node of S_k where they begin, in the order in which they were proposed."""

    @property
    def plans(self) -> Plans:
        """Those that count: the last ones that were proposed, which begin with the last step that a user gave."""
        return next(reversed(self._proposed.values()), Plans((), 0, None, Cost()))

    def facts(self, entities: Sequence[Entity], relation: Relation, position: int) -> KeptFacts:
        """All facts along a relation, and what the plans weigh together that follow it."""
        del entities
        run, graph = self._run, self._run.trace.graph
        found = facts_of(SearchStep(position, relation), graph, run.store, run.limits.facts_per_step)
        joining = facts_that_join(found.triples, relation, graph, recur=run.switches.topic_may_recur)
        way = (*way_to(run, position), relation)
        shares = [plans.share(way) for plans in reversed(self._proposed.values())]
        return KeptFacts(list(joining), found.total, next((share for share in shares if share > 0), None))

    def lead_on(self, grown: Grown) -> Generator[events.StageEvent, None, Sequence[Way]]:
        """Propose plans where it is not decided what to follow next; see `reasoning.strategies.growth.LeadsOn`."""
        tip = grown.given[-1] if grown.given else ROOT
        is_recorded = recorded_plans(self._run, way_to(self._run, tip)) is not None
        if tip in self._proposed or (not is_recorded and is_decided(self._run, grown)):
            return ()
        run, count = self._run, self._run.switches[PLANS]
        if run.switches[PLANNER] == "writer" and tip == ROOT:
            plans = yield from write(run, self._linking, count=count)
        else:
            plans = yield from propose(run, self._linking, count=count, begin=tip)
        self._proposed[tip] = plans
        return [plan.relations for plan in plans.grounded]
