"""What may be decided where the topic is a type: *which film is the longest* starts from all films.

Discern's own. A question about a type says of its instances which are meant; an answer that no condition has narrowed
would be all of them. So the options are those that may lead to what the question compares, and the stages do not end
before a condition is chosen. Which of these options it is, the scorer says.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kgstore.store_parts.types_as_entities import INSTANCES
from kgstore.terms import TermKind
from reasoning.core.derivation import Operator
from reasoning.core.options import AnswerOption, ConstraintOption, NoneOption, OptionPool, Stage, StepOption
from reasoning.question.ordinals import place_asked
from reasoning.question.words import says_an_order
from reasoning.run.path_shares import branch_places
from reasoning.scorers.base import Cost, Distribution

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from reasoning.core.options import DecisionState
    from reasoning.question.linking import Linking

_UNLIKELY = 0.1
"""What None has against the steps' shares of all steps: a step with less is not what the question compares."""
INSTANCES_AT = 1
"""The position of a type's instances, the first that a search adds."""


def says_which(state: DecisionState) -> bool:
    """Whether the question says which of some instances are meant: by an order, a number, a date or a name."""
    return bool(state.targets) or says_an_order(state.question) or place_asked(state.question, ()) is not None


def is_left_open(state: DecisionState, linking: Linking) -> bool:
    """Whether the conditions chosen do not say which of a type's instances are meant, though the question does."""
    is_chosen = any(constraint.operator is not Operator.KIND for constraint in state.constraints)
    return linking.asks_for_instances and says_which(state) and not is_chosen


def decide_from_type(
    state: DecisionState, pool: OptionPool, linking: Linking, ask: Callable[[OptionPool], Distribution]
) -> Distribution | None:
    """P(option) for a pool where the topic is a type; None where all may be chosen, as with every other topic.

    ``ask`` gives what the scorer says of a pool.
    """
    if not linking.starts_from_type:
        return None
    is_first_branch = state.stage is Stage.SEARCH and state.structure.step == INSTANCES_AT
    if is_first_branch and linking.asks_for_instances and says_which(state):
        return _first_branch(state, pool, ask)
    places = _places(state, pool, linking)
    return None if places is None else _among(places, pool, ask)


def _first_branch(state: DecisionState, pool: OptionPool, ask: Callable[[OptionPool], Distribution]) -> Distribution:
    """The step to what the question compares; None where, of all steps, no such step is likely.

    The scorer may find another relation of the instances more like the question: *founded first* is like *country of*.
    """
    none = _nones(pool)
    places = [place for place in branch_places(pool, state) if place not in none]
    if not places:
        return _among(none, pool, ask)
    every = ask(pool)
    weights = {place: every.probabilities.get(place, 0.0) for place in places} | dict.fromkeys(none[:1], _UNLIKELY)
    total = sum(weights.values())
    shares = {place: weights.get(place, 0.0) / total for place in range(len(pool))}
    return Distribution(shares, 0.0, every.cost, exact=every.exact, paths=every.paths)


def _nones(pool: OptionPool) -> list[int]:
    return [place for place, option in enumerate(pool.options) if isinstance(option, NoneOption)]


def _places(state: DecisionState, pool: OptionPool, linking: Linking) -> Sequence[int] | None:
    """The places of the options that may be chosen; None where all may."""
    none = _nones(pool)
    others = [place for place in range(len(pool)) if place not in none]
    if state.stage is Stage.SEARCH:
        return _steps(state, pool, linking, none, others)
    if state.stage is Stage.PRUNE:
        comparing = [place for place in others if not _is_kind(pool, place)]
        return comparing if comparing and says_which(state) and not state.constraints else None
    if state.stage is Stage.INFER:
        at_instances = [
            place
            for place, option in enumerate(pool.options)
            if isinstance(option, AnswerOption) and (option.position == INSTANCES_AT) == linking.asks_for_instances
        ]
        return at_instances or None
    return None


def _steps(
    state: DecisionState, pool: OptionPool, linking: Linking, none: Sequence[int], others: Sequence[int]
) -> Sequence[int] | None:
    structure = state.structure
    if structure.step == 0:
        return [place for place in others if _follows_instances(pool, place)] or None
    if not linking.asks_for_instances:
        return None
    if structure.step == INSTANCES_AT:
        return none or None
    places = [place for place in branch_places(pool, state) if place not in none]
    if structure.nodes[-1].kind is TermKind.MEDIATOR:
        return [*none, *(place for place in places if _position(pool, place) == structure.step)] or None
    ended = sum(node.kind is not TermKind.MEDIATOR for node in structure.nodes[INSTANCES_AT + 1 :])
    conditions = len({(target.start, target.end) for target in state.targets}) or 1
    return [*none, *places] if places and ended < conditions else none or None


def _follows_instances(pool: OptionPool, place: int) -> bool:
    option = pool.options[place]
    return isinstance(option, StepOption) and option.step.relation == INSTANCES


def _is_kind(pool: OptionPool, place: int) -> bool:
    option = pool.options[place]
    return isinstance(option, ConstraintOption) and option.constraint.operator is Operator.KIND


def _position(pool: OptionPool, place: int) -> int | None:
    option = pool.options[place]
    return option.step.position if isinstance(option, StepOption) else None


def _among(places: Sequence[int], pool: OptionPool, ask: Callable[[OptionPool], Distribution]) -> Distribution:
    """P(option) where only some places may be chosen; of one alone nothing is asked."""
    given = dict.fromkeys(range(len(pool)), 0.0)
    if len(places) == 1:
        return Distribution({**given, places[0]: 1.0}, 0.0, Cost())
    some = ask(OptionPool(tuple(pool.options[place] for place in places)))
    shares = {places[index]: share for index, share in some.probabilities.items()}
    return Distribution({**given, **shares}, some.rest, some.cost, some.next, some.exact, some.paths)
