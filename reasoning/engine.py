"""READS: search, prune and infer as one generator of typed events.

The stages are the functions `choose_topic`, `search`, `prune` and `infer`. The engine knows no runs, no database and no
settings, and nothing that is handed to it can carry a gold label.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import perf_counter
from typing import TYPE_CHECKING, Literal, TypeAlias

from kgstore.store import GraphStoreError
from kgstore.terms import Entity
from reasoning import events
from reasoning.answers import Prover, in_order
from reasoning.derivation import Constraint, SearchStep
from reasoning.errors import InvalidDecisionError, ReasoningError
from reasoning.linking import Linking, link
from reasoning.narration import Narrator, cost_record
from reasoning.options import (
    AnswerOption,
    ConstraintOption,
    DecisionState,
    NoneOption,
    Option,
    OptionPool,
    Stage,
    StepOption,
    TopicOption,
)
from reasoning.pools import infer_pool, prune_pool, reached_targets, search_pool, step_options, topic_pool
from reasoning.pruning import Pruning
from reasoning.pruning import prune as semi_join
from reasoning.scorers.base import Cost
from reasoning.structure import ROOT, AbstractStructure, InstanceGraph
from reasoning.switches import EngineSwitches, without_types
from reasoning.trace import Trace

if TYPE_CHECKING:
    from kgstore.store import GraphStore
    from kgstore.terms import Relation, Term, Triple
    from reasoning.scorers.base import Distribution, Scorer

STRATEGY = "reads"

Choice: TypeAlias = Entity | SearchStep | Constraint | int | None
"""A decision that is given: a topic entity, a search step, a constraint, an answer position, or None."""
Choices: TypeAlias = Mapping[tuple[Stage, int], Choice]
"""Given decisions by stage and by their number within it, from 0."""


log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class EngineLimits:
    """Where the engine stops or cuts; every cut is told with the full count."""

    steps: int = 8
    constraints: int = 4
    facts_per_step: int = 5_000
    facts_shown: int = 200
    options_shown: int = 40
    answers_shown: int = 200


TERSE = EngineLimits(facts_shown=0, options_shown=1, answers_shown=0)
"""For runs whose events nobody is shown: what they come to stands in their trace, uncut."""


def answer(
    question: str,
    store: GraphStore,
    scorer: Scorer | None,
    *,
    topic: Entity | None = None,
    given: Choices | None = None,
    spent: Mapping[Stage, Cost] | None = None,
    limits: EngineLimits | None = None,
    switches: EngineSwitches | None = None,
    trace: Trace | None = None,
) -> Iterator[events.StageEvent]:
    """Answer a question over a graph, telling every decision while it is made.

    ``topic`` is the entity that the asker chose, if any; it is never an answer, unless a switch says so. The scorer is
    asked only where ``given`` holds no decision; it may be None where all are given. What these took by stage when they
    were made is ``spent``, and counts towards the costs that are told at the end. What the run comes to is written into
    ``trace``. The last event is `Finished` or `Failed`.
    """
    context = _Context(
        question, store, scorer, given or {}, limits or EngineLimits(), switches or EngineSwitches(), trace or Trace()
    )
    context.costs.update(spent or {})
    try:
        yield context.started()
        linking = yield from choose_topic(context, topic)
        if linking.topic is None:
            yield context.finished("no_topic")
            return
        structure, graph = yield from search(context, linking)
        if structure.step == 0:
            yield context.finished("no_relation")
            return
        constraints, pruning = yield from prune(context, structure, graph, linking)
        if pruning.leaves_nothing:
            yield context.finished("conditions_leave_nothing")
            return
        position = yield from infer(context, structure, constraints, linking)
        if position is None:
            yield context.finished("no_relation")
            return
        yield context.answered(structure, graph, pruning, constraints, position)
    except ReasoningError as error:
        context.trace.fault = error
        log.warning("%s", error.for_operators)
        yield events.Failed(code=error.code, message=error.for_people, retryable=error.retryable)
    except GraphStoreError as error:
        context.trace.fault = error
        yield events.Failed(code="graph_unavailable", message=error.for_people, retryable=error.retryable)


def choose_topic(context: _Context, topic: Entity | None) -> Generator[events.StageEvent, None, Linking]:
    """Find what the question names, and choose the topic entity among it unless the asker did."""
    with context.timed(Stage.LINK) as clock:
        linking = link(context.question, context.store, topic)
        pool = topic_pool(linking)
        made = None
        if linking.topic is None and pool.options:
            made = context.decide(Stage.LINK, 0, pool, AbstractStructure(()), linking)
            if not isinstance(made.option, TopicOption) or not isinstance(made.option.mention.term, Entity):
                raise TypeError("a pool of topic entities held something else")
            linking = linking.about(linking.cards[made.option.mention.term])
        if linking.topic is not None:
            context.trace.structure = AbstractStructure.rooted(linking.topic.name or linking.topic.entity.mid)
            context.trace.graph = InstanceGraph.rooted(linking.topic.entity)
        root = None if linking.topic is None else context.trace.structure.nodes[ROOT]
    yield context.narrator.linked(linking, None if made is None else made.told, root, seconds=clock())
    return linking


def search(
    context: _Context, linking: Linking
) -> Generator[events.StageEvent, None, tuple[AbstractStructure, InstanceGraph]]:
    """Grow S_k and G_k by one relation at a time, until None is chosen (READS, section 4.1)."""
    structure, graph = context.trace.structure, context.trace.graph
    with context.timed(Stage.SEARCH):
        open_steps = step_options(context.store, graph, ROOT, linking.targets)
    while open_steps and structure.step < context.limits.steps:
        with context.timed(Stage.SEARCH) as clock:
            made = context.decide(Stage.SEARCH, structure.step, search_pool(open_steps), structure, linking)
            option = made.option
            if isinstance(option, StepOption):
                entities = [term for term in graph.members[option.step.position] if isinstance(term, Entity)]
                found = context.store.expand(entities, option.step.relation, context.limits.facts_per_step)
                structure = structure.grow(option.step.position, option.step.relation, option.kind)
                graph = graph.grow(option.step.relation, context.allowed(option.step.relation, found.triples))
                context.trace.structure, context.trace.graph = structure, graph
                context.reached = reached_targets(graph, linking.targets)
                new_steps = step_options(context.store, graph, structure.step, linking.targets)
                older = open_steps if context.switches.search == "branching" else ()
                open_steps = (*(step for step in older if step != option), *new_steps)
                event = context.step_taken(structure, graph, made, found.total, clock())
        if not isinstance(option, StepOption):
            yield events.SearchEnded(reason="chosen", decision=made.told, seconds=clock())
            return structure, graph
        yield event
    yield events.SearchEnded(reason="step_limit" if open_steps else "nothing_left", decision=None, seconds=0.0)
    return structure, graph


def prune(
    context: _Context, structure: AbstractStructure, graph: InstanceGraph, linking: Linking
) -> Generator[events.StageEvent, None, tuple[tuple[Constraint, ...], Pruning]]:
    """Choose constraints until None, and keep what meets them all (READS, section 4.2)."""
    constraints: tuple[Constraint, ...] = ()
    pruning = Pruning(graph.members, {})
    most = context.limits.constraints if context.switches.constraints else 0
    while len(constraints) < most and not pruning.leaves_nothing:
        with context.timed(Stage.PRUNE) as clock:
            pool = prune_pool(structure, pruning.members, linking.targets, constraints)
            if len(pool) == 1 and context.given.get((Stage.PRUNE, len(constraints))) is None:
                break
            made = context.decide(Stage.PRUNE, len(constraints), pool, structure, linking, constraints)
        if not isinstance(made.option, ConstraintOption):
            yield events.PruningEnded(reason="chosen", decision=made.told, seconds=clock())
            return constraints, pruning
        context.trace.constraints = constraints = (*constraints, made.option.constraint)
        yield events.ConstraintChosen(
            number=len(constraints),
            decision=made.told,
            constraint=context.narrator.constraint(made.option.constraint),
            seconds=clock(),
        )
        with context.timed(Stage.PRUNE) as clock:
            pruning = semi_join(structure, graph, constraints)
        yield context.pruned(graph, pruning, clock())
    yield events.PruningEnded(reason="nothing_left", decision=None, seconds=0.0)
    return constraints, pruning


def infer(
    context: _Context, structure: AbstractStructure, constraints: tuple[Constraint, ...], linking: Linking
) -> Generator[events.StageEvent, None, int | None]:
    """Choose the position of the answer (READS, section 4.3); None where no position can hold one."""
    with context.timed(Stage.INFER) as clock:
        pool = infer_pool(structure, constraints)
        if not pool.options:
            return None
        made = context.decide(Stage.INFER, 0, pool, structure, linking, constraints)
        if not isinstance(made.option, AnswerOption):
            raise TypeError("a pool of answer positions held something else")
        context.trace.position = made.option.position
        event = events.AnswerPositionChosen(decision=made.told, position=made.option.position, seconds=clock())
    yield event
    return event.position


@dataclass(frozen=True, slots=True)
class _Decision:
    option: Option
    told: events.DecisionRecord


@dataclass(slots=True)
class _Context:
    """What the stages of one run share."""

    question: str
    store: GraphStore
    scorer: Scorer | None
    given: Choices
    limits: EngineLimits
    switches: EngineSwitches
    trace: Trace
    costs: dict[Stage, Cost] = field(default_factory=lambda: dict.fromkeys(Stage, Cost()))
    stage_seconds: dict[Stage, float] = field(default_factory=lambda: dict.fromkeys(Stage, 0.0))
    reached: tuple[Term, ...] = ()
    narrator: Narrator = field(init=False)

    def __post_init__(self) -> None:
        self.narrator = Narrator(self.store, options_shown=self.limits.options_shown)

    @contextmanager
    def timed(self, stage: Stage) -> Iterator[Callable[[], float]]:
        """Count the time of the block towards a stage; what is yielded tells the seconds, which end with it."""
        started = perf_counter()
        ended: list[float] = []
        try:
            yield lambda: (ended[0] if ended else perf_counter()) - started
        finally:
            ended.append(perf_counter())
            self.stage_seconds[stage] += ended[0] - started

    def decide(
        self,
        stage: Stage,
        number: int,
        pool: OptionPool,
        structure: AbstractStructure,
        linking: Linking,
        constraints: tuple[Constraint, ...] = (),
    ) -> _Decision:
        """Take the given decision, or else ask the scorer."""
        if (stage, number) in self.given:
            pool, chosen = _with_choice(pool, self.given[stage, number])
            return _Decision(pool.options[chosen], self.narrator.decision(pool, chosen, None))
        if self.scorer is None:
            raise InvalidDecisionError(
                f"No choice is given for {stage} decision {number}, and there is no model to ask."
            )
        state = DecisionState(
            stage,
            self.question,
            structure,
            linking.mention,
            linking.targets,
            constraints,
            self.narrator.names(linking),
            self.reached,
            {entity: card.types for entity, card in linking.cards.items()},
        )
        asked = (state, pool) if self.switches.entity_types else without_types(state, pool)
        distribution: Distribution = self.scorer.score(*asked, best=1)
        self.costs[stage] += distribution.cost
        chosen = distribution.best
        return _Decision(pool.options[chosen], self.narrator.decision(pool, chosen, distribution))

    def allowed(self, relation: Relation, triples: Sequence[Triple]) -> Sequence[Triple]:
        """The triples of a step that may join G_k."""
        if self.switches.topic_may_recur:
            return triples
        topic = self.trace.topic
        return [triple for triple in triples if (triple.subject if relation.is_reverse else triple.object) != topic]

    def started(self) -> events.Started:
        info = self.store.info()
        return events.Started(
            question=self.question,
            graph=info.name,
            graph_title=info.title,
            graph_version=info.version,
            scorer="given decisions" if self.scorer is None else self.scorer.name,
            strategy=STRATEGY,
        )

    def step_taken(
        self, structure: AbstractStructure, graph: InstanceGraph, made: _Decision, available: int, seconds: float
    ) -> events.SearchStepTaken:
        gained = graph.facts_at(structure.step)
        return events.SearchStepTaken(
            step=structure.step,
            decision=made.told,
            node=self.narrator.node(structure.nodes[-1]),
            facts=self.narrator.facts(gained[: self.limits.facts_shown]),
            facts_gained=len(gained),
            facts_available=available,
            members=len(graph.members[-1]),
            structure_size=len(structure.nodes),
            graph_size=len(graph.facts),
            seconds=seconds,
        )

    def pruned(self, graph: InstanceGraph, pruning: Pruning, seconds: float) -> events.Pruned:
        shown = {
            fact.id for node in range(len(graph.members)) for fact in graph.facts_at(node)[: self.limits.facts_shown]
        }
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

    def answered(
        self,
        structure: AbstractStructure,
        graph: InstanceGraph,
        pruning: Pruning,
        constraints: tuple[Constraint, ...],
        position: int,
    ) -> events.Finished:
        with self.timed(Stage.INFER):
            told = pruning.members[position]
            if not self.switches.topic_may_answer:
                told -= graph.members[ROOT]
            self.trace.answers = terms = tuple(in_order(told, structure, graph, pruning, position))
            prover = Prover(structure, graph, pruning)
            proven = [prover.prove(term, position, constraints) for term in terms[: self.limits.answers_shown]]
            answers = self.narrator.answers(proven)
        if not terms:
            # All that is left is the topic entity.
            return self.finished("conditions_leave_nothing")
        return self._finished("answered", answers, len(terms))

    def finished(self, reason: Literal["no_topic", "no_relation", "conditions_leave_nothing"]) -> events.Finished:
        """The end of a run whose answer is not in the graph."""
        return self._finished(reason, [], 0)

    def _finished(
        self,
        reason: Literal["answered", "no_topic", "no_relation", "conditions_leave_nothing"],
        answers: list[events.AnswerRecord],
        total: int,
    ) -> events.Finished:
        return events.Finished(
            verdict="answered" if reason == "answered" else "not_in_graph",
            reason=reason,
            answers=answers,
            answers_total=total,
            cost=cost_record(sum(self.costs.values(), Cost())),
            costs=events.StageCosts(
                link=cost_record(self.costs[Stage.LINK]),
                search=cost_record(self.costs[Stage.SEARCH]),
                prune=cost_record(self.costs[Stage.PRUNE]),
                infer=cost_record(self.costs[Stage.INFER]),
            ),
            seconds=events.StageSeconds(
                link=self.stage_seconds[Stage.LINK],
                search=self.stage_seconds[Stage.SEARCH],
                prune=self.stage_seconds[Stage.PRUNE],
                infer=self.stage_seconds[Stage.INFER],
            ),
        )


def _with_choice(pool: OptionPool, choice: Choice) -> tuple[OptionPool, int]:
    """The pool and the index of a given choice in it.

    A constraint may name a target that the question does not mention; it joins the pool. Anything else must be in it.
    """
    for index, option in enumerate(pool.options):
        match option:
            case StepOption(step=own) | ConstraintOption(constraint=own):
                found = own == choice
            case AnswerOption(position=position):
                found = position == choice
            case TopicOption(mention=mention):
                found = mention.term == choice
            case NoneOption():
                found = choice is None
        if found:
            return pool, index
    if isinstance(choice, Constraint):
        return OptionPool((*pool.options, ConstraintOption(choice))), len(pool)
    if isinstance(choice, SearchStep):
        told = f"no entity at position {choice.position} has the relation {choice.relation}, or it was taken before"
    else:
        told = f"position {choice} cannot hold the answer" if choice is not None else "the stage cannot end here"
    raise InvalidDecisionError(f"The given decision does not fit this graph: {told}.")
