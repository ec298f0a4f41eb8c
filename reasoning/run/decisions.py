"""The decisions that a run takes without asking a model: given ones, and those that it keeps of an earlier run."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

from reasoning.core.derivation import Constraint, SearchStep
from reasoning.core.errors import InvalidDecisionError
from reasoning.core.options import COUNT_PLACE, ConstraintOption, NoneOption, OptionPool, StepOption
from reasoning.narration.replay import choice_made

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from reasoning.core.options import Choice, Choices, Stage
    from reasoning.events import DecisionRecord
    from reasoning.narration.replay import Made


@dataclass(frozen=True, slots=True)
class Later:
    """Decisions of an earlier run that come after a change, and are kept where they still fit. Immutable.

    A step fits where its node is still there and has the relation; a condition and the answer's place fit where their
    node is still there and the pool holds them. Nodes are followed by what they were: where a step before them was
    taken out or put in, their positions move along.
    """

    waiting: tuple[Made, ...]
    """In the order in which they were made."""
    moved: Mapping[int, int]
    """By position in the earlier run, the position now; a node that is gone has none."""
    gone: frozenset[int] = frozenset()
    """The positions of the earlier run that were taken out, with all that grew from them."""

    def take(self, stage: Stage, number: int, pool: OptionPool) -> tuple[Choice, Later] | None:
        """The next decision of a stage that fits, and what waits after it; None where one must be made again."""
        choices = [option.choice for option in pool.options]
        rest = self
        for made in self.waiting:
            if made.stage is not stage or made.choice is None:
                continue
            choice = rest._now(made.choice)
            if choice is None:
                rest = rest._without_what_is_gone(made)
            elif choice in choices or _added(made):
                after = replace(rest, waiting=tuple(one for one in rest.waiting if one is not made))
                if isinstance(choice, SearchStep):
                    after = replace(after, moved={**after.moved, made.number + 1: number + 1})
                return choice, after
        left = [one for one in rest.waiting if one.stage is stage]
        ends = bool(left) and all(one.choice is None for one in left)
        return (None, rest) if ends and None in choices else None

    def _now(self, choice: Choice) -> Choice:
        """A decision of the earlier run with the positions of this one; None where its node is not there."""
        match choice:
            case SearchStep(position, relation) if position in self.moved:
                return SearchStep(self.moved[position], relation)
            case Constraint(position, operator, target) if position in self.moved:
                return Constraint(self.moved[position], operator, target)
            case int(position) if position in self.moved:
                return self.moved[position]
            case _:
                return None

    def _without_what_is_gone(self, made: Made) -> Later:
        """What grew from a node that was taken out, or spoke of it, goes with it."""
        position = made.choice.position if isinstance(made.choice, SearchStep | Constraint) else made.choice
        if position not in self.gone:
            return self
        gone = self.gone | {made.number + 1} if isinstance(made.choice, SearchStep) else self.gone
        return replace(self, waiting=tuple(one for one in self.waiting if one is not made), gone=gone)


def _added(made: Made) -> bool:
    """Whether a user added a condition: the question need not name its target."""
    return isinstance(made.choice, Constraint) and made.record is not None and made.record.given


@dataclass(frozen=True, slots=True)
class Taken:
    """A decision that was not asked for."""

    pool: OptionPool
    chosen: int
    """Its index in the pool."""
    record: DecisionRecord | None
    """Its record when it was made; None where there is none."""
    after: GivenDecisions
    """What is given from here on."""


@dataclass(frozen=True, slots=True)
class GivenDecisions:
    """What a run takes instead of asking, what it may not choose, and what it does where nothing is given.

    Immutable.
    """

    given: Choices = field(default_factory=dict)
    """These must fit; a run in which one does not ends with the reason."""
    records: Mapping[tuple[Stage, int], DecisionRecord] = field(default_factory=dict)
    """The records of given decisions, with their probabilities and costs."""
    later: Later | None = None
    """These are taken where they fit."""
    again: Choices = field(default_factory=dict)
    """What the run itself decided before it was broken off, where the above says nothing."""
    barred: frozenset[tuple[Stage, Choice]] = frozenset()
    """Options that no pool offers: a person took them out."""
    otherwise: Literal["ask", "stop"] = "ask"
    """Whether the model is asked for what is not given, or the run stops there."""

    def take(self, stage: Stage, number: int, pool: OptionPool) -> Taken | None:
        """The given decision; None where it must be made.

        Raises:
            InvalidDecisionError: it is not in the pool.

        """
        if (stage, number) in self.given:
            return self._taken(stage, number, pool, self.given[stage, number], self)
        kept = None if self.later is None else self.later.take(stage, number, pool)
        if kept is not None:
            choice, later = kept
            return self._taken(stage, number, pool, choice, replace(self, later=later))
        if (stage, number) in self.again:
            return self._taken(stage, number, pool, self.again[stage, number], self)
        return None

    def counts(self) -> bool | None:
        """Whether the answers are to be counted, as given or as decided before; None if that is not decided."""
        for said in (self.given, self.again):
            if COUNT_PLACE in said:
                return said[COUNT_PLACE] is not None
        return None

    def _taken(self, stage: Stage, number: int, pool: OptionPool, choice: Choice, after: GivenDecisions) -> Taken:
        pool, chosen = with_choice(pool, choice)
        record = self.records.get((stage, number))
        # Later versions offer more options, so an index may be another one's.
        return Taken(pool, chosen, record if record is not None and choice_made(record) == choice else None, after)

    def alone(self) -> GivenDecisions:
        """These without what the run itself decided, for a strategy that tells that in another way."""
        records = {place: record for place, record in self.records.items() if place in self.given}
        return replace(self, records=records, again={})

    def offered(self, stage: Stage, pool: OptionPool) -> OptionPool:
        """The pool without what is barred."""
        barred = {choice for where, choice in self.barred if where is stage}
        if not barred:
            return pool
        return OptionPool(
            tuple(option for option in pool.options if isinstance(option, NoneOption) or option.choice not in barred)
        )


def with_choice(pool: OptionPool, choice: Choice) -> tuple[OptionPool, int]:
    """The pool and the index of a given choice in it.

    A constraint may name a target that the question does not mention; it joins the pool, and so does None in a search
    that the model may not end yet. Anything else must be in it.

    Raises:
        InvalidDecisionError: it is not.

    """
    for index, option in enumerate(pool.options):
        if option.choice == choice:
            return pool, index
    if isinstance(choice, Constraint):
        return OptionPool((*pool.options, ConstraintOption(choice))), len(pool)
    if choice is None and pool.options and all(isinstance(option, StepOption) for option in pool.options):
        return OptionPool((*pool.options, NoneOption())), len(pool)
    if isinstance(choice, SearchStep):
        text = f"no entity at position {choice.position} has the relation {choice.relation}, or it was taken before"
    else:
        text = f"position {choice} cannot hold the answer" if choice is not None else "the stage cannot end here"
    raise InvalidDecisionError(f"The given decision does not fit this graph: {text}.")


def as_they_were(decisions: Iterable[Made]) -> tuple[Choices, dict[tuple[Stage, int], DecisionRecord]]:
    """Given decisions and their records."""
    decisions = list(decisions)
    choices = {(made.stage, made.number): made.choice for made in decisions}
    return choices, {(made.stage, made.number): made.record for made in decisions if made.record is not None}
