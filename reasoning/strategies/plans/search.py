"""The most probable plans, by a beam over the scorer's decisions.

The probability of a plan is the product of P(step given Q and the steps before it) over its steps, times P(None) after
the last: each factor is a choice of READS' search (arXiv 2412.12643, section 4.1) among the relations of the newest
node. So every plan is grounded, each factor is exact, and direction and parallel relations are kept. EPERM
(arXiv 2502.16171) and RoG (arXiv 2310.01061) let a fine-tuned language model write plans by beam search instead.

Ours: a plan does not end at mediators, so None is not offered there. None at the topic entity is no plan; where it is
more probable than each relation, there are none. A plan does not branch, though READS would still offer the relations
of the nodes before the newest: a scorer that compares options is shown those too, and what it gives them is shared out
among the others.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from kgstore.terms import TermKind
from reasoning.core.options import NoneOption, OptionPool, Stage, StepOption
from reasoning.core.structure import ROOT, AbstractStructure, InstanceGraph
from reasoning.facts.pools import facts_of, facts_that_join, step_options
from reasoning.scorers.base import Cost
from reasoning.strategies.plans.plan import Plans, Round, WayOn, weighed

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from reasoning.question.linking import Linking
    from reasoning.run.run import Run
    from reasoning.strategies.plans.plan import Way

KeptIn: TypeAlias = "Callable[[int, Sequence[WayOn]], Sequence[int] | None]"
"""By the number of a round and what it weighed, which of that to continue with; None if that is not decided."""

DEFAULT_DEPTH = 4
"""Default maximum of relations of a plan."""


@dataclass(frozen=True, slots=True)
class Prefix:
    """The first relations of plans, and what they lead to. Immutable."""

    way: Way
    probability: float
    structure: AbstractStructure
    """A chain: the node k is what the first k relations lead to."""
    graph: InstanceGraph

    def followed(self, run: Run, option: StepOption, probability: float) -> Prefix:
        """The prefix with one relation more."""
        step = option.step
        found = facts_of(step, self.graph, run.store, run.limits.facts_per_step)
        joining = facts_that_join(found.triples, step.relation, self.graph, recur=run.switches.topic_may_recur)
        return Prefix(
            (*self.way, step.relation),
            probability,
            self.structure.grow(step.position, step.relation, option.kind),
            self.graph.grow(step.relation, joining),
        )

    @property
    def may_end(self) -> bool:
        """Whether an answer may stand where it leads to."""
        newest = self.structure.nodes[-1]
        return newest.position != ROOT and newest.kind is not TermKind.MEDIATOR

    def pool(self, run: Run, linking: Linking) -> OptionPool:
        """How it may go on, and None: at the topic entity, and where a plan may end."""
        return OptionPool(self.options(step_options(run.store, self.graph, self.structure.step, linking.targets)))

    def options(self, steps: Sequence[StepOption]) -> tuple[StepOption | NoneOption, ...]:
        """The steps from where it leads, and None where that is offered."""
        return (*steps, NoneOption()) if self.may_end or not self.way else (*steps,)


def plans_of(
    run: Run,
    linking: Linking,
    *,
    count: int,
    width: int | None = None,
    depth: int = DEFAULT_DEPTH,
    begin: int = ROOT,
    kept_in: KeptIn = lambda _number, _ways: None,
) -> Plans:
    """The ``count`` most probable plans of the question's topic entity, or fewer; none where it has no relation.

    A round takes ``width`` prefixes one relation further, by default as many as plans. It ends as
    soon as no prefix can still lead to a plan that is more probable than those found; what a beam dropped is not looked
    at again. ``begin`` is a node of S_k: all plans begin with the relations that lead there, which weigh nothing. A
    plan has ``depth`` relations at most, and one more than those in any case. ``kept_in`` says what a user gave a
    round to continue with.

    Raises:
        InvalidDecisionError: there is no scorer.
        ScorerUnavailableError, UndecidedError: see `Scorer.score`.
        UndecidedStopError: the run was asked to stop at what is not given.

    """
    kept = [begun(run, begin)]
    offers = _Offers(run, linking)
    width = width or count
    rounds: list[Round] = []
    first = len(kept[0].way)
    last = max(depth, first + 1)
    found: list[tuple[Way, float]] = []
    total = 0
    exact = True
    cost = Cost()
    for length in range(first, last + 1):
        ways_on: list[tuple[Prefix, StepOption, float]] = []
        for prefix in kept:
            if length == last and not prefix.may_end:
                continue
            candidates = _next(offers, prefix, max(count, width))
            exact &= candidates.exact
            cost += candidates.cost
            if not prefix.way and candidates.options and isinstance(candidates.options[0][0], NoneOption):
                return Plans((), 0, None, cost)
            for option, probability in candidates.options:
                if isinstance(option, StepOption):
                    ways_on.append((prefix, option, probability))
                elif prefix.way:
                    found.append((prefix.way, probability))
                    total += 1
        # Of equals, the first stays.
        found = sorted(found, key=lambda one: -one[1])[:count]
        least = found[-1][1] if len(found) == count else 0.0
        ways = tuple(WayOn(prefix.way, option, probability) for prefix, option, probability in ways_on)
        given = kept_in(len(rounds), ways)
        best = sorted(range(len(ways)), key=lambda index: -ways[index].probability)[:width]
        goes_on = [index for index in best if ways[index].probability > least] if given is None else given
        if length == last:
            break
        if ways:
            rounds.append(Round(ways, tuple(goes_on)))
        kept = [ways_on[index][0].followed(run, *ways_on[index][1:]) for index in goes_on]
    plans, covered = weighed(found)
    return Plans(plans, total, covered if exact and plans else None, cost, tuple(rounds))


def begun(run: Run, position: int) -> Prefix:
    """The path of S_k and G_k to a node."""
    structure, graph = run.trace.structure, run.trace.graph
    way: Way = ()
    path, facts = AbstractStructure(structure.nodes[:1]), InstanceGraph(graph.members[:1])
    for node in structure.path(position)[1:]:
        if node.relation is not None:
            way = (*way, node.relation)
            path = path.grow(path.step, node.relation, node.kind)
            facts = facts.grow(node.relation, [fact.triple for fact in graph.facts_at(node.position)])
    return Prefix(way, 1.0, path, facts)


@dataclass(frozen=True, slots=True)
class _Next:
    """The most probable ways on from a prefix, with what the whole of each has."""

    options: list[tuple[StepOption | NoneOption, float]]
    """Where None is among them, the prefix is a plan."""
    exact: bool
    cost: Cost


class _Offers:
    """What the graph offers at the nodes of prefixes; where several begin alike, it is read once."""

    def __init__(self, run: Run, linking: Linking) -> None:
        self.run = run
        self.linking = linking
        self._read: dict[Way, tuple[StepOption, ...]] = {}

    def at(self, prefix: Prefix, position: int) -> tuple[StepOption, ...]:
        """The relations of a node of its chain."""
        way = prefix.way[:position]
        if way not in self._read:
            self._read[way] = step_options(self.run.store, prefix.graph, position, self.linking.targets)
        return self._read[way]

    def passed(self, prefix: Prefix) -> tuple[StepOption, ...]:
        """The relations of the nodes before the newest, without those that it followed."""
        return tuple(
            option
            for position, relation in enumerate(prefix.way)
            for option in self.at(prefix, position)
            if option.step.relation != relation
        )


def _next(offers: _Offers, prefix: Prefix, count: int) -> _Next:
    """How a prefix goes on. What is less probable than ``count`` others and one more is not looked at."""
    run, newest = offers.run, prefix.structure.step
    steps = offers.at(prefix, newest)
    options = prefix.options(steps)
    if not options:
        return _Next([], exact=True, cost=Cost())
    if not steps:
        # Nothing but None is possible, so nothing is asked.
        return _Next([(NoneOption(), prefix.probability)], exact=True, cost=Cost())
    passed = offers.passed(prefix) if run.scorer_compares else ()
    pool = OptionPool((*options, *passed))
    best = len(pool) if passed else count + 1
    asked = run.ask(Stage.SEARCH, newest, pool, prefix.structure, offers.linking, graph=prefix.graph, best=best)
    shares = {index: share for index, share in asked.probabilities.items() if index < len(options) and share > 0}
    among = sum(shares.values()) if passed else 1.0
    order = sorted(shares, key=lambda index: (-shares[index], index))
    following = [(options[index], prefix.probability * shares[index] / among) for index in order]
    return _Next(following, asked.exact, asked.cost)
