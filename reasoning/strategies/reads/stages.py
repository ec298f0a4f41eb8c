"""READS: search, prune and infer (Xu et al., arXiv 2412.12643, section 4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reasoning import events
from reasoning.answers import Prover, in_order
from reasoning.options import AnswerOption, ConstraintOption, Stage, StepOption
from reasoning.pools import facts_of, infer_pool, prune_pool, search_pool, step_options
from reasoning.pruning import Pruning
from reasoning.pruning import prune as semi_join
from reasoning.structure import ROOT
from reasoning.topic_choice import choose_topic

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Sequence

    from kgstore.terms import Relation, Triple
    from reasoning.derivation import Constraint
    from reasoning.linking import Linking
    from reasoning.run import Decision, Run
    from reasoning.structure import AbstractStructure, InstanceGraph


class Reads:
    """The strategy of READS: one option is chosen at each decision."""

    name = "reads"

    def answer(self, run: Run) -> Iterator[events.StageEvent]:
        """See `reasoning.strategy.Strategy`."""
        linking = yield from choose_topic(run)
        if linking.topic is None:
            yield run.finished("not_in_graph", "no_topic")
            return
        structure, graph = yield from search(run, linking)
        if structure.step == 0:
            yield run.finished("no_answer_found", "no_relation")
            return
        constraints, pruning = yield from prune(run, structure, graph, linking)
        if pruning.leaves_nothing:
            yield run.finished("conditions_leave_nothing", "conditions_leave_nothing")
            return
        position = yield from infer(run, structure, constraints, linking)
        if position is None:
            yield run.finished("no_answer_found", "no_relation")
            return
        yield _answered(run, structure, graph, pruning, constraints, position)


def search(run: Run, linking: Linking) -> Generator[events.StageEvent, None, tuple[AbstractStructure, InstanceGraph]]:
    """Grow S_k and G_k by one relation at a time, until None is chosen (READS, section 4.1)."""
    structure, graph = run.trace.structure, run.trace.graph
    with run.timed(Stage.SEARCH):
        open_steps = step_options(run.store, graph, ROOT, linking.targets)
    while open_steps and structure.step < run.limits.steps:
        with run.timed(Stage.SEARCH) as clock:
            made = run.decide(Stage.SEARCH, structure.step, search_pool(open_steps), structure, linking)
            option = made.option
            if isinstance(option, StepOption):
                found = facts_of(option.step, graph, run.store, run.limits.facts_per_step)
                structure = structure.grow(option.step.position, option.step.relation, option.kind)
                graph = graph.grow(option.step.relation, _allowed(run, option.step.relation, found.triples))
                run.trace.structure, run.trace.graph = structure, graph
                new_steps = step_options(run.store, graph, structure.step, linking.targets)
                older = open_steps if run.switches.search == "branching" else ()
                open_steps = (*(step for step in older if step != option), *new_steps)
                event = _step_taken(run, structure, graph, made, found.total, clock())
        if not isinstance(option, StepOption):
            yield events.SearchEnded(reason="chosen", decision=made.told, seconds=clock())
            return structure, graph
        yield event
    yield events.SearchEnded(reason="step_limit" if open_steps else "nothing_left", decision=None, seconds=0.0)
    return structure, graph


def prune(
    run: Run, structure: AbstractStructure, graph: InstanceGraph, linking: Linking
) -> Generator[events.StageEvent, None, tuple[tuple[Constraint, ...], Pruning]]:
    """Choose constraints until None, and keep what meets them all (READS, section 4.2)."""
    constraints: tuple[Constraint, ...] = ()
    pruning = Pruning(graph.members, {})
    most = run.limits.constraints if run.switches.constraints else 0
    while len(constraints) < most and not pruning.leaves_nothing:
        with run.timed(Stage.PRUNE) as clock:
            pool = prune_pool(structure, pruning.members, linking.targets, constraints)
            if len(pool) == 1 and run.given.get((Stage.PRUNE, len(constraints))) is None:
                break
            made = run.decide(Stage.PRUNE, len(constraints), pool, structure, linking, constraints)
        if not isinstance(made.option, ConstraintOption):
            yield events.PruningEnded(reason="chosen", decision=made.told, seconds=clock())
            return constraints, pruning
        run.trace.constraints = constraints = (*constraints, made.option.constraint)
        yield events.ConstraintChosen(
            number=len(constraints),
            decision=made.told,
            constraint=run.narrator.constraint(made.option.constraint),
            seconds=clock(),
        )
        with run.timed(Stage.PRUNE) as clock:
            pruning = semi_join(structure, graph, constraints)
        yield _pruned(run, graph, pruning, clock())
    yield events.PruningEnded(reason="nothing_left", decision=None, seconds=0.0)
    return constraints, pruning


def infer(
    run: Run, structure: AbstractStructure, constraints: tuple[Constraint, ...], linking: Linking
) -> Generator[events.StageEvent, None, int | None]:
    """Choose the position of the answer (READS, section 4.3); None where no position can hold one."""
    with run.timed(Stage.INFER) as clock:
        pool = infer_pool(structure, constraints)
        if not pool.options:
            return None
        made = run.decide(Stage.INFER, 0, pool, structure, linking, constraints)
        if not isinstance(made.option, AnswerOption):
            raise TypeError("a pool of answer positions held something else")
        run.trace.position = made.option.position
        event = events.AnswerPositionChosen(decision=made.told, position=made.option.position, seconds=clock())
    yield event
    return event.position


def _allowed(run: Run, relation: Relation, triples: Sequence[Triple]) -> Sequence[Triple]:
    """The triples of a step that may join G_k."""
    if run.switches.topic_may_recur:
        return triples
    topic = run.trace.topic
    return [triple for triple in triples if (triple.subject if relation.is_reverse else triple.object) != topic]


def _step_taken(
    run: Run, structure: AbstractStructure, graph: InstanceGraph, made: Decision, available: int, seconds: float
) -> events.SearchStepTaken:
    gained = graph.facts_at(structure.step)
    return events.SearchStepTaken(
        step=structure.step,
        decision=made.told,
        node=run.narrator.node(structure.nodes[-1]),
        facts=run.narrator.facts(gained[: run.limits.facts_shown]),
        facts_gained=len(gained),
        facts_available=available,
        members=len(graph.members[-1]),
        structure_size=len(structure.nodes),
        graph_size=len(graph.facts),
        seconds=seconds,
    )


def _pruned(run: Run, graph: InstanceGraph, pruning: Pruning, seconds: float) -> events.Pruned:
    shown = {fact.id for node in range(len(graph.members)) for fact in graph.facts_at(node)[: run.limits.facts_shown]}
    return events.Pruned(
        removed=[
            events.RemovedFact(fact=fact, reason=removal.reason, constraint=removal.constraint)
            for fact, removal in pruning.removed.items()
            if fact in shown
        ],
        removed_total=len(pruning.removed),
        kept_total=len(graph.facts) - len(pruning.removed),
        leaves_nothing=pruning.leaves_nothing,
        seconds=seconds,
    )


def _answered(
    run: Run,
    structure: AbstractStructure,
    graph: InstanceGraph,
    pruning: Pruning,
    constraints: tuple[Constraint, ...],
    position: int,
) -> events.Finished:
    with run.timed(Stage.INFER):
        told = pruning.members[position]
        if not run.switches.topic_may_answer:
            told -= graph.members[ROOT]
        run.trace.answers = terms = tuple(in_order(told, structure, graph, pruning, position))
        prover = Prover(structure, graph, pruning)
        proven = [prover.prove(term, position, constraints) for term in terms[: run.limits.answers_shown]]
        answers = run.narrator.answers(proven)
    if not terms:
        # All that is left is the topic entity.
        return run.finished("conditions_leave_nothing", "conditions_leave_nothing")
    return run.finished("answered", "answered", answers, len(terms))
