"""The gold subgraph of a derivation: the facts that its answers rest on."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from kgstore.terms import Number
from reasoning import events
from reasoning.compiling.plan import NoQueryError, Plan
from reasoning.core.trace import Trace
from reasoning.engine.engine import answer
from reasoning.facts.pruning import prune
from reasoning.narration.replay import choices_of
from reasoning.run.run import TERSE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kgstore.store import GraphStore
    from kgstore.terms import Triple
    from reasoning.core.derivation import Derivation


def gold_subgraph(derivation: Derivation, store: GraphStore) -> tuple[Triple, ...]:
    """The facts on the ways from the topic entity to the answers and to what meets the conditions; each once.

    The second largest rests on the largest too, so what stands before a place in an order comes first. Empty where the
    graph does not allow a decision, or the derivation leads to no answer.

    Raises:
        GraphStoreError: the graph cannot be read.

    """
    facts = _facts(derivation, store)
    before = (fact for each in _before(derivation) for fact in _facts(each, store)) if facts else ()
    return tuple(dict.fromkeys((*before, *facts)))


def _before(derivation: Derivation) -> Iterator[Derivation]:
    """The derivation with each place in an order before its own."""
    for number, constraint in enumerate(derivation.constraints):
        if constraint.operator.is_extremal:
            for place in range(1, constraint.place):
                nearer = replace(constraint, target=None if place == 1 else Number(float(place)))
                conditions = (*derivation.constraints[:number], nearer, *derivation.constraints[number + 1 :])
                yield replace(derivation, constraints=conditions)


def _facts(derivation: Derivation, store: GraphStore) -> tuple[Triple, ...]:
    trace = Trace()
    try:
        plan = Plan(derivation)
    except NoQueryError:
        return ()
    emitted = list(
        answer(
            "-",
            store,
            None,
            given=choices_of(derivation),
            otherwise="stop",
            topic=derivation.topic,
            limits=TERSE,
            trace=trace,
        )
    )
    if not isinstance(emitted[-1], events.Finished) or not trace.answers:
        return ()
    graph, places = trace.graph, sorted(plan.asked)
    alive = [set(members) for members in prune(trace.structure, graph, derivation.constraints, store).members]
    alive[derivation.answer_position] &= set(trace.answers)
    for place in reversed(places):
        alive[plan.parent(place)] &= {f.source for f in graph.facts_at(place) if f.target in alive[place]}
    for place in places:
        alive[place] &= {f.target for f in graph.facts_at(place) if f.source in alive[plan.parent(place)]}
    kept = (
        fact.triple
        for place in places
        for fact in graph.facts_at(place)
        if fact.source in alive[plan.parent(place)] and fact.target in alive[place]
    )
    return tuple(dict.fromkeys(kept))
