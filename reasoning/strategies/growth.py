"""How S_k and G_k grow along ways of relations that a strategy wants, or by the steps that a user gave instead."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol

from kgstore.terms import TermKind
from reasoning import events
from reasoning.core.derivation import SearchStep
from reasoning.core.options import NoneOption, OptionPool, Stage, StepOption
from reasoning.core.structure import ROOT
from reasoning.facts.pools import facts_of, search_pool, step_options
from reasoning.run.run import Decision

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Sequence

    from kgstore.terms import Entity, Relation, Triple
    from reasoning.question.linking import Linking
    from reasoning.run.run import Run

    Way = tuple[Relation, ...]
    Ended = Literal["chosen", "nothing_left", "step_limit"]

DIGITS = 6
"""Digits of reported weights and probabilities; more would differ between processors."""


@dataclass(frozen=True, slots=True)
class KeptFacts:
    """The facts that were kept along a relation from some entities."""

    triples: list[Triple]
    available: int
    """How many there are in the graph."""
    weight: float | None
    """How much the relation weighs there, 0 to 1, the largest of its facts; None where it is not weighed."""


class KeepsFacts(Protocol):
    """What a strategy keeps along the ways that it wants."""

    def facts(self, entities: Sequence[Entity], relation: Relation, position: int) -> KeptFacts | None:
        """What it keeps along a relation from the entities of the node at a position; None where it did not look."""


class LeadsOn(Protocol):
    """What more a strategy wants by now."""

    def __call__(self, grown: Grown) -> Generator[events.StageEvent, None, Sequence[Way]]:
        """The ways to grow in addition to those that it wanted before."""


@dataclass(slots=True)
class Grown:
    """S_k with what its nodes are."""

    positions: dict[Way, int] = field(default_factory=lambda: {(): ROOT})
    open_steps: list[StepOption] = field(default_factory=list)
    given: list[int] = field(default_factory=list)
    """Nodes that are on the way to no candidate."""


def searched(
    run: Run,
    linking: Linking,
    ways: KeepsFacts,
    wanted: Iterable[Way],
    lead_on: LeadsOn | None = None,
    reason: Callable[[], Ended] = lambda: "nothing_left",
) -> Generator[events.StageEvent, None, Grown]:
    """Grow S_k and G_k along the wanted ways, or by the steps that are given instead.

    Before each step, ``lead_on`` says what more is wanted; ``reason`` says why it ended where nothing is.
    """
    prefixes = _prefixes(wanted)
    grown = Grown(open_steps=list(step_options(run.store, run.trace.graph, ROOT, linking.targets)))
    barred = {choice for stage, choice in run.decisions.barred if stage is Stage.SEARCH}
    while True:
        if lead_on is not None:
            prefixes.update(_prefixes((yield from lead_on(grown))))
        with run.timed(Stage.SEARCH) as clock:
            number = run.trace.structure.step
            step = next((one for one in _steps(prefixes, grown) if one not in barred), None)
            made = _next_step(run, number, step, grown)
            if made is None or isinstance(made.option, NoneOption):
                break
            event = _grow(run, linking, ways, grown, made, clock())
        if event.node.position not in {grown.positions.get(way) for way in prefixes}:
            grown.given.append(event.node.position)
        yield event
    yield events.SearchEnded(
        reason=reason() if made is None else "chosen", decision=None if made is None else made.record, seconds=0.0
    )
    return grown


def is_decided(run: Run, grown: Grown) -> bool:
    """Whether nothing is to be weighed: the next step is decided, or the run is to stop at an open decision."""
    decisions = run.decisions
    if decisions.otherwise == "stop":
        return True
    pool = decisions.offered(Stage.SEARCH, search_pool(grown.open_steps))
    if decisions.take(Stage.SEARCH, run.trace.structure.step, pool) is not None:
        return True
    answered = any((Stage.INFER, 0) in said for said in (decisions.given, decisions.again))
    return answered and bool(grown.given)


def _prefixes(ways: Iterable[Way]) -> dict[Way, None]:
    """The ways, each after those that it begins with."""
    return dict.fromkeys(way[:end] for way in ways for end in range(1, len(way) + 1))


def _steps(wanted: Iterable[Way], grown: Grown) -> Iterator[SearchStep]:
    """The steps that grow those of the wanted ways that are missing from what there is."""
    for way in wanted:
        if way not in grown.positions and way[:-1] in grown.positions:
            yield SearchStep(grown.positions[way[:-1]], way[-1])


def _next_step(run: Run, number: int, step: SearchStep | None, grown: Grown) -> Decision | None:
    """The given step, or else the explorer's; None where there is none left.

    Raises:
        InvalidDecisionError: the given one does not fit.
        UndecidedStopError: none is given, and the run was asked to stop there.

    """
    options = list(grown.open_steps)
    if step is not None and all(option.step != step for option in options):
        # Of several entities together, the store leaves out what their other relation says already.
        options.append(StepOption(step, 0, 0, TermKind.ENTITY))
    pool, made = run.made(Stage.SEARCH, number, search_pool(options))
    if made is not None:
        return made
    run.stop_where_open(Stage.SEARCH, number, pool)
    if step is None:
        return None
    chosen = next(index for index, option in enumerate(pool.options) if option.choice == step)
    return Decision(pool.options[chosen], by_explorer(run, pool, chosen))


def _grow(
    run: Run, linking: Linking, ways: KeepsFacts, grown: Grown, made: Decision, seconds: float
) -> events.SearchStepTaken:
    if not isinstance(made.option, StepOption):
        raise TypeError("a pool of steps held something else")
    option, trace = made.option, run.trace
    step = option.step
    limit = run.limits.facts_per_step
    kept = ways.facts(trace.graph.entities_at(step.position), step.relation, step.position)
    if kept is None or not kept.triples:
        found = facts_of(step, trace.graph, run.store, limit)
        triples: Sequence[Triple] = found.triples
        available, weight = found.total, None
    else:
        triples, available = kept.triples[:limit], kept.available
        weight = None if kept.weight is None else round(kept.weight, DIGITS)
    ends = [triple.subject if step.relation.is_reverse else triple.object for triple in triples[:1]]
    kind = TermKind(run.narrator.term(ends[0]).kind) if ends else option.kind
    before = next(way for way, position in grown.positions.items() if position == step.position)
    trace.structure = trace.structure.grow(step.position, step.relation, kind)
    trace.graph = trace.graph.grow(step.relation, triples)
    position = trace.structure.step
    grown.positions[*before, step.relation] = position
    grown.open_steps = [
        *(one for one in grown.open_steps if one.step != step),
        *step_options(run.store, trace.graph, position, linking.targets),
    ]
    return run.step_taken(made, trace.structure, trace.graph, available, seconds, weight=weight)


def by_explorer(run: Run, pool: OptionPool, chosen: int) -> events.DecisionRecord:
    """A choice that follows from the exploration: no model said how probable it is among these options."""
    return picked(run, pool, chosen).model_copy(update={"explored": True})


def picked(run: Run, pool: OptionPool, chosen: int) -> events.DecisionRecord:
    """A choice without probabilities."""
    return run.narrator.decision(pool, chosen, None).model_copy(update={"given": False, "exact": False})
