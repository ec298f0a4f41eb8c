"""One run of a strategy: what every strategy shares, whatever its method.

A run takes a given decision or asks the scorer, counts time and cost by the name of a stage, and tells how it began and
ended. It knows the stages of no method.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import perf_counter
from typing import TYPE_CHECKING, TypeAlias

from reasoning import events
from reasoning.derivation import Constraint, SearchStep
from reasoning.errors import InvalidDecisionError
from reasoning.narration import Narrator, cost_record
from reasoning.options import Choice, ConstraintOption, DecisionState, Option, OptionPool, Stage
from reasoning.pools import reached_targets
from reasoning.scorers.base import Cost
from reasoning.switches import EngineSwitches, without_types
from reasoning.trace import Trace

if TYPE_CHECKING:
    from kgstore.store import GraphStore
    from kgstore.terms import Entity
    from reasoning.events import Reason, Verdict
    from reasoning.linking import Linking
    from reasoning.scorers.base import Scorer
    from reasoning.structure import AbstractStructure

Choices: TypeAlias = Mapping[tuple[Stage, int], Choice]
"""Given decisions by stage and by their number within it, from 0."""


@dataclass(frozen=True, slots=True)
class RunLimits:
    """Where a run stops or cuts; every cut is told with the full count."""

    steps: int = 8
    constraints: int = 4
    facts_per_step: int = 5_000
    facts_shown: int = 200
    options_shown: int = 40
    answers_shown: int = 200


TERSE = RunLimits(facts_shown=0, options_shown=1, answers_shown=0)
"""For runs whose events nobody is shown: what they come to stands in their trace, uncut."""


@dataclass(frozen=True, slots=True)
class Decision:
    """The option that was taken, and how it is told."""

    option: Option
    told: events.DecisionRecord


@dataclass(slots=True)
class Run:
    """A question on its way through a strategy. Nothing in it can carry a gold label."""

    question: str
    store: GraphStore
    scorer: Scorer | None
    """None where every decision is given."""
    topic: Entity | None = None
    """The entity that the asker chose, if any; it is never an answer, unless a switch says so."""
    given: Choices = field(default_factory=dict)
    limits: RunLimits = field(default_factory=RunLimits)
    switches: EngineSwitches = field(default_factory=EngineSwitches)
    trace: Trace = field(default_factory=Trace)
    """What the run comes to is written here."""
    costs: dict[Stage, Cost] = field(default_factory=lambda: dict.fromkeys(Stage, Cost()))
    """By stage; the costs of given decisions are those of when they were made."""
    stage_seconds: dict[Stage, float] = field(default_factory=lambda: dict.fromkeys(Stage, 0.0))
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
    ) -> Decision:
        """Take the given decision, or else ask the scorer.

        Args:
            stage: the stage that decides.
            number: which decision of the stage it is, from 0.
            pool: the options.
            structure: S_k, as the scorer is told it.
            linking: what the question names.
            constraints: those chosen so far.

        Raises:
            InvalidDecisionError: the given decision is not in the pool, or none is given and there is no scorer.
            ScorerUnavailableError, UndecidedError: see `Scorer.score`.

        """
        if (stage, number) in self.given:
            pool, chosen = with_choice(pool, self.given[stage, number])
            return Decision(pool.options[chosen], self.narrator.decision(pool, chosen, None))
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
            reached_targets(self.trace.graph, linking.targets),
            {entity: card.types for entity, card in linking.cards.items()},
        )
        asked = (state, pool) if self.switches.entity_types else without_types(state, pool)
        distribution = self.scorer.score(*asked, best=1)
        self.costs[stage] += distribution.cost
        chosen = distribution.best
        return Decision(pool.options[chosen], self.narrator.decision(pool, chosen, distribution))

    def started(self, strategy: str) -> events.Started:
        """The event with which a run of a strategy begins."""
        info = self.store.info()
        return events.Started(
            question=self.question,
            graph=info.name,
            graph_title=info.title,
            graph_version=info.version,
            scorer="given decisions" if self.scorer is None else self.scorer.name,
            strategy=strategy,
        )

    def finished(
        self,
        verdict: Verdict,
        reason: Reason,
        answers: list[events.AnswerRecord] | None = None,
        total: int = 0,
    ) -> events.Finished:
        """The event with which a run ends by itself: ``answers`` are the first of ``total``."""
        return events.Finished(
            verdict=verdict,
            reason=reason,
            answers=answers or [],
            answers_total=total,
            cost=cost_record(sum(self.costs.values(), Cost())),
            costs={str(stage): cost_record(cost) for stage, cost in self.costs.items()},
            seconds={str(stage): seconds for stage, seconds in self.stage_seconds.items()},
        )


def with_choice(pool: OptionPool, choice: Choice) -> tuple[OptionPool, int]:
    """The pool and the index of a given choice in it.

    A constraint may name a target that the question does not mention; it joins the pool. Anything else must be in it.

    Raises:
        InvalidDecisionError: it is not.

    """
    for index, option in enumerate(pool.options):
        if option.choice == choice:
            return pool, index
    if isinstance(choice, Constraint):
        return OptionPool((*pool.options, ConstraintOption(choice))), len(pool)
    if isinstance(choice, SearchStep):
        told = f"no entity at position {choice.position} has the relation {choice.relation}, or it was taken before"
    else:
        told = f"position {choice} cannot hold the answer" if choice is not None else "the stage cannot end here"
    raise InvalidDecisionError(f"The given decision does not fit this graph: {told}.")
