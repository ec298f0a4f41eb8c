"""The gold subgraph of a derivation: the facts that its answers rest on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reasoning import events
from reasoning.compiling.plan import NoQueryError, Plan
from reasoning.engine import answer
from reasoning.pruning import prune
from reasoning.replay import choices_of
from reasoning.run import TERSE
from reasoning.trace import Trace

if TYPE_CHECKING:
    from kgstore.store import GraphStore
    from kgstore.terms import Triple
    from reasoning.derivation import Derivation


def gold_subgraph(derivation: Derivation, store: GraphStore) -> tuple[Triple, ...]:
    """The facts on the ways from the topic entity to the answers and to what meets the conditions; each once.

    Empty where the graph does not allow a decision, or the derivation leads to no answer.

    Raises:
        GraphStoreError: the graph cannot be read.

    """
    trace = Trace()
    try:
        plan = Plan(derivation)
    except NoQueryError:
        return ()
    told = list(
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
    if not isinstance(told[-1], events.Finished) or not trace.answers:
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
