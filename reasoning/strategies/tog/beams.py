"""ToG's search: per hop, the best relations of each beam, what they lead to, and whether that is enough (section 2.1).

A beam is a way of relations from the topic entity with the entities that are kept at its end. Its weight is the product
of P(relation given the question and the relations before it), each a choice of READS' search among the relations of
those entities and None. P(None) says how far an answer stands at its end: if the beams together give that half or more
of their weight, what was found is enough. So one choice of a beam tries the last hop and chooses the next one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from kgstore.terms import Relation, TermKind
from reasoning import events
from reasoning.core.derivation import SearchStep
from reasoning.core.options import NoneOption, OptionPool, Stage, StepOption
from reasoning.core.structure import ROOT, InstanceGraph
from reasoning.facts.pools import facts_that_join, step_options
from reasoning.narration.narration import cost_record
from reasoning.scorers.base import Cost
from reasoning.strategies.growth import KeptFacts, is_decided
from reasoning.strategies.plans.plan import Plans, weighed
from reasoning.strategies.plans.proposed import way_to
from reasoning.strategies.plans.search import begun
from reasoning.strategies.sufficiency import sufficiency_event, tried_before, written
from reasoning.strategies.sufficiency_options import SUFFICIENCY
from reasoning.strategies.tog.frontier import Frontier, frontier_at, frontier_event
from reasoning.strategies.tog.options import DEPTH, WIDTH

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from kgstore.terms import Entity
    from reasoning.question.linking import Linking
    from reasoning.run.run import Run
    from reasoning.strategies.growth import Ended, Grown
    from reasoning.strategies.plans.plan import Way

LEAST_SHARE = 0.05
"""A relation that is less probable is not followed, however few there are."""
ENOUGH = 0.5


@dataclass(frozen=True, slots=True)
class _Next:
    """How a beam may go on."""

    steps: dict[Relation, float]
    """The relations that are kept, with their probabilities."""
    none: float
    """P(None): that the answer stands here."""
    none_first: bool
    """Whether that is the most probable."""


class Beams:
    """The beams of one run. If a user gave a step that no beam takes, they begin again where it led."""

    def __init__(self, run: Run, linking: Linking, *, judges: bool) -> None:
        """Begin at the topic entity; ``judges`` says whether entities are scored, and the best kept."""
        self._run = run
        self._linking = linking
        self._keep = run.switches[WIDTH] if judges else None
        self._frontiers: dict[int, Frontier] = {}
        self._beams: dict[Way, float] = {}
        """Those of the last hop with their weights."""
        self._waiting: list[Way] = []
        """The ways of the next hop that S_k is to hold before it goes on."""
        self._begun: set[int] = set()
        self._ends: dict[Way, float] = {}
        """Of every way that a beam took, its weight times P(None)."""
        self._over = False
        self._reason: Ended = "nothing_left"

    def reason(self) -> Ended:
        """Why the search ended: it was enough, it was as deep as it may be, or there was no way on."""
        return self._reason

    @property
    def plans(self) -> Plans:
        """The ways at whose ends the answer may stand, with their weights."""
        best = sorted(((way, share) for way, share in self._ends.items() if way and share > 0), key=lambda one: -one[1])
        if not best:
            return Plans((), 0, None, Cost())
        plans, covered = weighed(best)
        return Plans(plans, len(best), covered, Cost())

    def facts(self, entities: Sequence[Entity], relation: Relation, position: int) -> KeptFacts:
        """The facts along a relation from the entities that are kept at a node; see `KeepsFacts`."""
        run, graph = self._run, self._run.trace.graph
        heads = self._frontier(position).heads if position != ROOT else list(entities)
        found = run.store.expand(heads, relation, run.limits.facts_per_step)
        joining = facts_that_join(found.triples, relation, graph, recur=run.switches.topic_may_recur)
        return KeptFacts(list(joining), found.total, self._beams.get((*way_to(run, position), relation)))

    def lead_on(self, grown: Grown) -> Generator[events.StageEvent, None, Sequence[Way]]:
        """Try what the last hop found, and choose the next one; see `reasoning.strategies.growth.LeadsOn`."""
        tip = grown.given[-1] if grown.given else ROOT
        if tip not in self._begun:
            self._begun.add(tip)
            self._beams, self._waiting, self._over = {way_to(self._run, tip): 1.0}, [], False
        if self._over or any(self._is_missing(way, grown) for way in self._waiting):
            return ()
        is_recorded = any(
            self._selected(grown.positions[way]) is not None for way in self._beams if way in grown.positions
        )
        if not is_recorded and is_decided(self._run, grown):
            return ()
        self._beams = {way: weight for way, weight in self._beams.items() if way in grown.positions}
        self._waiting = yield from self._hop(grown)
        return self._waiting

    def _is_missing(self, way: Way, grown: Grown) -> bool:
        """Whether S_k is still to hold a way; what a person took out is not waited for."""
        if way in grown.positions:
            return False
        step = SearchStep(grown.positions[way[:-1]], way[-1])
        return (Stage.SEARCH, step) not in self._run.decisions.barred

    def _hop(self, grown: Grown) -> Generator[events.StageEvent, None, list[Way]]:
        """Weigh the ways on from each beam: the ways that S_k is to hold next, none where the search ends."""
        run = self._run
        if not self._beams:
            self._over = True
            return []
        positions = {way: grown.positions[way] for way in self._beams}
        ways_on: dict[Way, _Next] = {}
        for beam, (way, position) in enumerate(positions.items()):
            if position != ROOT:
                with run.timed(Stage.SEARCH) as clock:
                    frontier = self._frontier(position)
                    event = frontier_event(run, frontier, position, hop=len(way), beam=beam, seconds=clock())
                yield event
            ways_on[way] = yield from self._weighed(position)
        for way, following in ways_on.items():
            self._ends[way] = self._beams[way] * following.none
        if () in ways_on:
            enough = ways_on[()].none_first
        else:
            enough = yield from self._tried(positions, ways_on)
        deep = [way for way in ways_on if self._is_deep(positions[way])]
        on = {
            (*way, relation): self._beams[way] * share
            for way, following in ways_on.items()
            if way not in deep
            for relation, share in following.steps.items()
        }
        if enough or not on:
            self._over = True
            self._reason = "chosen" if enough else "step_limit" if deep else "nothing_left"
            return []
        self._beams = dict(sorted(on.items(), key=lambda one: -one[1])[: run.switches[WIDTH]])
        return [*self._beams]

    def _weighed(self, position: int) -> Generator[events.StageEvent, None, _Next]:
        """The choice of one beam, as the relations that it keeps; a dead end keeps none of none."""
        run = self._run
        record = self._selected(position)
        if record is None:
            with run.timed(Stage.SEARCH) as clock:
                selection = self._selection(position)
                record = events.SelectionMade(
                    stage=str(Stage.SEARCH), number=position, selection=selection, seconds=clock()
                )
        yield record
        run.confidence = None
        options, weights = record.selection.options, record.selection.weights
        shares = {one.index: share for one, share in zip(options, weights, strict=True)}
        none = next((shares[one.index] for one in options if isinstance(one, events.NoneOptionRecord)), 0.0)
        steps = {
            Relation.parse(one.relation.id): shares[one.index]
            for one in options
            if isinstance(one, events.StepOptionRecord) and one.index in record.selection.kept
        }
        if not options and run.trace.structure.nodes[position].kind is not TermKind.MEDIATOR:
            # Of a dead end that may be an answer, nothing but None is possible, so nothing was asked.
            none = 1.0
        return _Next(steps, none, none_first=none > 0 and none >= max(shares.values(), default=0.0))

    def _selection(self, position: int) -> events.SelectionRecord:
        """What the scorer gives the relations of a beam and None, and which of them are kept.

        Raises:
            InvalidDecisionError, ScorerUnavailableError, UndecidedError: see `Run.ask`.

        """
        run = self._run
        prefix = begun(run, position)
        position_on_path = prefix.structure.step
        if position != ROOT:
            heads = frozenset(self._frontier(position).heads)
            prefix = replace(prefix, graph=InstanceGraph((*prefix.graph.members[:-1], heads), prefix.graph.facts))
        here = step_options(run.store, prefix.graph, position_on_path, self._linking.targets)
        pool = OptionPool(tuple(replace(one, step=SearchStep(position, one.step.relation)) for one in here))
        pool = run.decisions.offered(Stage.SEARCH, pool)
        if not pool.options:
            return events.SelectionRecord(
                measure="probability", options=[], weights=[], kept=[], total=0, cost=cost_record(Cost())
            )
        nameless = run.trace.structure.nodes[position].kind is TermKind.MEDIATOR
        if not nameless:
            pool = OptionPool((*pool.options, NoneOption()))
        asked = OptionPool(
            tuple(
                replace(one, step=SearchStep(position_on_path, one.step.relation))
                if isinstance(one, StepOption)
                else one
                for one in pool.options
            )
        )
        width = run.switches[WIDTH]
        given = run.ask(
            Stage.SEARCH, position, asked, prefix.structure, self._linking, graph=prefix.graph, best=width + 1
        )
        shares = given.probabilities
        order = sorted(shares, key=lambda index: (-shares[index], index))
        steps = [index for index in order if isinstance(pool.options[index], StepOption)]
        kept = [index for index in steps if shares[index] >= LEAST_SHARE][:width] or steps[:1]
        shown = {*kept, *order[: run.limits.options_shown], *([] if nameless else [len(pool) - 1])}
        whole = run.narrator.selection(pool, given, len(pool))
        listed = [
            (option, weight)
            for option, weight in zip(whole.options, whole.weights, strict=True)
            if option.index in shown
        ]
        return whole.model_copy(
            update={
                "options": [option for option, _ in listed],
                "weights": [weight for _, weight in listed],
                "kept": kept,
            }
        )

    def _tried(self, positions: dict[Way, int], ways_on: dict[Way, _Next]) -> Generator[events.StageEvent, None, bool]:
        """Whether what the beams found is enough: by what all of them give None, or by a model that writes."""
        run = self._run
        hop = max(len(way) for way in positions)
        before = tried_before(run, hop)
        if run.switches[SUFFICIENCY] == "writer":
            before = yield from written(run, hop, run.question, [*positions.values()])
        elif before is None:
            weight = sum(self._beams.values())
            share = sum(self._beams[way] * following.none for way, following in ways_on.items()) / weight
            before = sufficiency_event(
                run,
                hop,
                run.question,
                [*positions.values()],
                enough=share >= ENOUGH,
                share=share,
                # The choices of the beams tell what it cost.
                cost=None,
                seconds=0.0,
            )
        yield before
        return before.enough

    def _is_deep(self, position: int) -> bool:
        """Whether a beam has gone as far as it may; links without a name do not count, and are never its end."""
        nodes = self._run.trace.structure.path(position)[1:]
        nameless = [node.kind is TermKind.MEDIATOR for node in nodes]
        return nameless.count(False) >= self._run.switches[DEPTH] and not (nameless and nameless[-1])

    def _frontier(self, position: int) -> Frontier:
        if position not in self._frontiers:
            self._frontiers[position] = frontier_at(self._run, self._linking, position, keep=self._keep)
        return self._frontiers[position]

    def _selected(self, position: int) -> events.SelectionMade | None:
        """How the run that this one goes on with tells the choice of a beam; None where it tells none."""
        kept = (event for event in self._run.kept if isinstance(event, events.SelectionMade))
        return next((event for event in kept if event.number == position), None)
