"""The finder of evidence: plans, and of what each leads to the entities that fit the question.

Source: EPERM, arXiv 2502.16171, section 3.3. As printed, its Algorithm 1 expands the topic entity at every hop, and
once too often; here each hop expands what the hop before it kept.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kgstore.terms import Entity, parse_term
from reasoning import events
from reasoning.core.derivation import SearchStep
from reasoning.core.options import Stage
from reasoning.core.structure import ROOT
from reasoning.facts.answers import answer_order
from reasoning.facts.pools import facts_of, facts_that_join
from reasoning.scorers.base import Cost
from reasoning.strategies.eperm.options import ENTITIES, EVIDENCE_WITHOUT
from reasoning.strategies.eperm.retrieval import retrieved
from reasoning.strategies.eperm.surroundings import met_of
from reasoning.strategies.growth import DIGITS, KeptFacts, is_decided
from reasoning.strategies.plans.plan import Plans
from reasoning.strategies.plans.proposed import recorded_plans, way_of_records, way_to

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping, Sequence

    from kgstore.terms import Relation, Term
    from reasoning.question.linking import Linking
    from reasoning.run.run import Run
    from reasoning.strategies.eperm.judge import Judge
    from reasoning.strategies.growth import Grown
    from reasoning.strategies.plans.plan import Way


class Finder:
    """The plans of one run, and what was kept along them."""

    def __init__(self, run: Run, linking: Linking, judge: Judge) -> None:
        self._run = run
        self._linking = linking
        self._judge = judge
        self._proposed: dict[int, Plans] = {}
        """By the node of S_k where they begin, in the order in which they were proposed."""
        self._scores: dict[Way, Mapping[Term, float]] = {}
        """By way, what was kept where it leads, each with its score."""

    @property
    def plans(self) -> Plans:
        """Those that count: the last ones that were proposed, which begin with the last step that a user gave."""
        return next(reversed(self._proposed.values()), Plans((), 0, None, Cost()))

    def scores(self, way: Way) -> Mapping[Term, float]:
        """How what a way leads to was judged, if it was kept; empty where it was not judged."""
        return self._scores.get(way, {})

    @property
    def threshold(self) -> float:
        """See `Judge.threshold`."""
        return self._judge.threshold

    @property
    def kept(self) -> Mapping[Way, Mapping[Term, float]]:
        """By way, in the order in which they were looked at, what was kept where it leads, each with its score."""
        return self._scores

    def facts(self, entities: Sequence[Entity], relation: Relation, position: int) -> KeptFacts:
        """The facts along a relation to what was kept, or to all of it where no plan goes there."""
        del entities
        run, graph = self._run, self._run.trace.graph
        way = (*way_to(run, position), relation)
        found = facts_of(SearchStep(position, relation), graph, run.store, run.limits.facts_per_step)
        joining = facts_that_join(found.triples, relation, graph, recur=run.switches.topic_may_recur)
        ends = list(dict.fromkeys(one.subject if relation.is_reverse else one.object for one in joining))
        # A user may take a step that no plan has: then all is kept, and judged as well.
        if way not in self._scores:
            self._scores[way] = self._judged(relation, ends)
        kept = self._scores[way]
        joining = [one for one in joining if (one.subject if relation.is_reverse else one.object) in kept]
        shares = [plans.share(way) for plans in reversed(self._proposed.values())]
        return KeptFacts(list(joining), found.total, next((share for share in shares if share > 0), None))

    def lead_on(self, grown: Grown) -> Generator[events.StageEvent, None, Sequence[Way]]:
        """Retrieve, plan and filter where it is not decided what to follow next; see `growth.LeadsOn`."""
        run = self._run
        tip = grown.given[-1] if grown.given else ROOT
        is_recorded = recorded_plans(self._run, way_to(self._run, tip)) is not None
        if tip in self._proposed or (not is_recorded and is_decided(self._run, grown)):
            return ()
        self._proposed[tip] = plans = yield from retrieved(run, self._linking, begin=tip)
        follow: list[Way] = []
        for way, numbers in _prefixes(plans).items():
            if way not in self._scores and way not in grown.positions:
                before = self._before(way[:-1], grown)
                if not before:
                    continue
                frontier = self._frontier(way, numbers, before)
                self._scores[way] = frontier.scores
                yield frontier.event
            follow.append(way)
        return follow

    def _before(self, way: Way, grown: Grown) -> list[Entity]:
        """The entities that a way goes on from: those that were kept there."""
        if way in self._scores:
            return [term for term in self._scores[way] if isinstance(term, Entity)]
        return self._run.trace.graph.entities_at(grown.positions[way]) if way in grown.positions else []

    def _frontier(self, way: Way, numbers: Sequence[int], before: Sequence[Entity]) -> _Frontier:
        """Judge what a relation leads to from some entities, and keep the best; see `FrontierKept`."""
        run = self._run
        record = self._recorded(way)
        if record is not None:
            return record
        filters = "filter" not in run.switches[EVIDENCE_WITHOUT]
        with run.timed(Stage.SEARCH) as clock:
            ends = self._ends(way[-1], before)
            scores = self._judged(way[-1], ends)
            order = sorted(ends, key=lambda end: (-scores[end], answer_order(end)))
            kept = order[: run.switches[ENTITIES]] if filters else order
            run.narrator.learn(order[: run.limits.facts_shown])
            event = events.FrontierKept(
                hop=len(way),
                of="plan",
                numbers=list(numbers),
                way=[run.narrator.relation(relation) for relation in way],
                judge=self._judge.name if filters else "",
                entities=[
                    events.FrontierEntityRecord(term=run.narrator.term(end), score=scores[end], kept=place < len(kept))
                    for place, end in enumerate(order[: run.limits.facts_shown])
                ],
                kept=len(kept),
                dropped=len(order) - len(kept),
                seconds=clock(),
            )
        return _Frontier({end: scores[end] for end in kept}, event)

    def _judged(self, relation: Relation, ends: Sequence[Term]) -> dict[Term, float]:
        """How well what a relation leads to fits the question; 1 for all without a judge."""
        if "filter" in self._run.switches[EVIDENCE_WITHOUT] or not ends:
            return dict.fromkeys(ends, 1.0)
        scores = self._judge.scores(met_of(self._run, self._linking, relation, ends))
        return {end: round(score, DIGITS) for end, score in zip(ends, scores, strict=True)}

    def _recorded(self, way: Way) -> _Frontier | None:
        """What the run that this one goes on with tells to have kept there; None where it does not tell all of it."""
        for event in self._run.kept:
            if isinstance(event, events.FrontierKept) and way_of_records(event.way) == way:
                kept = {parse_term(one.term.id): one.score for one in event.entities if one.kept}
                return _Frontier(kept, event) if len(kept) == event.kept else None
        return None

    def _ends(self, relation: Relation, before: Sequence[Entity]) -> list[Term]:
        """What a relation leads to from some entities."""
        run = self._run
        found = run.store.expand(before, relation, run.limits.facts_per_step)
        joining = facts_that_join(found.triples, relation, run.trace.graph, recur=run.switches.topic_may_recur)
        return list(dict.fromkeys(one.subject if relation.is_reverse else one.object for one in joining))


@dataclass(frozen=True, slots=True)
class _Frontier:
    """What was kept at the end of a path, with its scores and record."""

    scores: Mapping[Term, float]
    event: events.FrontierKept


def _prefixes(plans: Plans) -> dict[Way, list[int]]:
    """The ways that grounded plans go, each after those that it begins with, and the numbers of the plans that do."""
    found: dict[Way, list[int]] = {}
    for number, plan in enumerate(plans.plans):
        if plan.grounded:
            for end in range(1, len(plan.relations) + 1):
                found.setdefault(plan.relations[:end], []).append(number)
    return found
