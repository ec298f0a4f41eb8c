"""The decisions of a label so far, and what they lead to: the events of a run that asks no model."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from kgstore.terms import TermKind
from reasoning import events
from reasoning.core.derivation import Count, Derivation
from reasoning.core.options import COUNT_PLACE, Stage
from reasoning.core.structure import ROOT
from reasoning.core.trace import Trace
from reasoning.engine.engine import answer
from reasoning.run.run import TERSE

if TYPE_CHECKING:
    from kgstore.store import GraphStore
    from kgstore.terms import Date, Entity, Term
    from reasoning.core.derivation import Constraint, SearchStep
    from reasoning.core.options import Choice, Choices
    from reasoning.run.run import RunLimits


@dataclass(frozen=True, slots=True)
class DecidedSoFar:
    """The decisions that a person has made of READS' stages, in their order; each stage may be open still."""

    topic: Entity | None = None
    steps: tuple[SearchStep, ...] = ()
    steps_ended: bool = False
    """Whether they said that no further step is needed."""
    constraints: tuple[Constraint, ...] = ()
    constraints_ended: bool = False
    answer_position: int | None = None
    counted: bool = False
    """Whether the answers are counted; decided with the answer position."""

    def choices(self) -> Choices:
        """What a run takes instead of asking. The topic is not among them: it is what the run is asked about."""
        made: dict[tuple[Stage, int], Choice] = {
            **{(Stage.SEARCH, number): step for number, step in enumerate(self.steps)},
            **{(Stage.PRUNE, number): constraint for number, constraint in enumerate(self.constraints)},
        }
        if self.steps_ended:
            made[Stage.SEARCH, len(self.steps)] = None
        if self.constraints_ended:
            made[Stage.PRUNE, len(self.constraints)] = None
        if self.answer_position is not None:
            made[Stage.INFER, 0] = self.answer_position
            made[COUNT_PLACE] = Count() if self.counted else None
        return made

    @property
    def derivation(self) -> Derivation | None:
        """The derivation, where topic and answer position are decided."""
        if self.topic is None or self.answer_position is None:
            return None
        return Derivation(self.topic, self.steps, self.constraints, self.answer_position, self.counted)


@dataclass(frozen=True, slots=True)
class LedTo:
    """What decisions lead to."""

    emitted: list[events.StageEvent]
    """From `events.Started` to `events.Finished`, to `events.Undecided` at the first decision that is open, or to
    `events.Failed` at the first one that the graph does not allow."""
    answers: tuple[Term, ...]
    """The answers as things stand; see `led_to`."""
    position: int | None
    """Where these answers stand in S_k; None where nothing can hold one yet."""


def led_to(
    question: str, store: GraphStore, decided: DecidedSoFar, limits: RunLimits, *, today: Date | None = None
) -> LedTo:
    """Run the decisions over the graph. No model is asked. ``today`` is the day that *now* means.

    While the answer position is open, the answers are those of the newest node that may hold one, so that a person sees
    at each decision what the label would come to if it ended there.

    Raises:
        GraphStoreError: the graph cannot be read; only before the first event.

    """
    trace = Trace()
    emitted = list(
        answer(
            question,
            store,
            None,
            given=decided.choices(),
            otherwise="stop",
            topic=decided.topic,
            limits=limits,
            today=today,
            trace=trace,
        )
    )
    if not isinstance(emitted[-1], events.Undecided):
        return LedTo(emitted, trace.answers, trace.position)
    position = _newest_place(trace, decided)
    if position is None:
        return LedTo(emitted, (), None)
    ended = replace(decided, steps_ended=True, constraints_ended=True, answer_position=position)
    as_it_stands = Trace()
    for _ in answer(
        question,
        store,
        None,
        given=ended.choices(),
        otherwise="stop",
        topic=decided.topic,
        limits=TERSE,
        trace=as_it_stands,
    ):
        pass
    return LedTo(emitted, as_it_stands.answers, position)


def _newest_place(trace: Trace, decided: DecidedSoFar) -> int | None:
    """The newest node of S_k that may hold the answer: no mediator, and without a condition of its own."""
    bound = {constraint.position for constraint in decided.constraints}
    return next(
        (
            node.position
            for node in reversed(trace.structure.nodes)
            if node.position != ROOT and node.kind is not TermKind.MEDIATOR and node.position not in bound
        ),
        None,
    )
