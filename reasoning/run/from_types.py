"""What may be decided where the topic is a type: *which film is the longest* starts from all films.

Discern's own. A question about a type says of its instances which are meant; an answer that no condition has narrowed
would be all of them. So the options are those that may lead to what the question compares, and the stages do not end
before a condition is chosen. Which of these options it is, the scorer says.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kgstore.freebase.knowledge import load_knowledge
from kgstore.freebase.labels import name_parts, relation_label, split_words
from kgstore.store_parts.types_as_entities import INSTANCES
from kgstore.terms import Date, Number, TermKind
from reasoning.core.derivation import Operator
from reasoning.core.options import AnswerOption, ConstraintOption, NoneOption, OptionPool, Stage, StepOption
from reasoning.facts.verbalize import question_without_targets
from reasoning.question.measures import measure_stems, usual_measures
from reasoning.question.ordinals import place_asked
from reasoning.question.topics.starting_types import is_superlative
from reasoning.question.words import content_stems, says_an_order, words_of
from reasoning.run.path_shares import branch_places
from reasoning.scorers.base import Cost, Distribution

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from kgstore.terms import Relation
    from reasoning.core.options import DecisionState
    from reasoning.core.structure import SemanticNode
    from reasoning.question.linking import Linking

_UNLIKELY = 0.005
"""What None has against the steps' shares of all from the instances: one with less is not what is compared."""
_SAID = 0.1
"""What a step has besides its share if the question says a word of its relation."""
EARLY = frozenset({"oldest", "earliest", "first"})
"""What is most of all so began first."""
LATE = frozenset({"youngest", "newest", "latest", "last", "recent", "recently"})
_TIMES = EARLY | LATE
_AGES = content_stems("age aged ages old years")
"""In the name of a relation to numbers: what has most of them is the oldest."""
INSTANCES_AT = 1
"""The position of a type's instances, the first that a search adds."""


def says_which(state: DecisionState) -> bool:
    """Whether the question says which of some instances are meant: by an order, a number, a date or a name."""
    return bool(state.targets) or _orders(state.question)


def _orders(question: str) -> bool:
    is_ordered = says_an_order(question) or place_asked(question, ()) is not None
    return is_ordered or any(map(is_superlative, words_of(question)))


def is_left_open(state: DecisionState, linking: Linking) -> bool:
    """Whether the conditions chosen do not say which of a type's instances are meant, though the question does."""
    is_chosen = any(constraint.operator is not Operator.KIND for constraint in state.constraints)
    return linking.starts_from_type and says_which(state) and not is_chosen


def decide_from_type(
    state: DecisionState,
    pool: OptionPool,
    linking: Linking,
    ask: Callable[[OptionPool], Distribution],
    ask_steps: Callable[[OptionPool], Distribution],
) -> Distribution | None:
    """P(option) for a pool where the topic is a type; None where all may be chosen, as with every other topic.

    ``ask`` gives what the scorer says of a pool, ``ask_steps`` what it says without reading whole paths.
    """
    if not linking.starts_from_type:
        return None
    if state.stage is not Stage.SEARCH or not says_which(state) or _has_branch(state, linking):
        places = _places(state, pool, linking)
        return None if places is None else among(places, pool, ask)
    if linking.asks_for_instances:
        return _first_branch(state, pool, linking, ask_steps)
    found = _ask_of_others(pool, ask)
    ends = isinstance(pool.options[found.best], NoneOption)
    return _first_branch(state, pool, linking, ask_steps) if ends else found


def _ask_of_others(pool: OptionPool, ask: Callable[[OptionPool], Distribution]) -> Distribution:
    """P(option) without the values of what is reached: the longest book is not the one with the youngest author."""
    places = [
        place
        for place, option in enumerate(pool.options)
        if not isinstance(option, StepOption)
        or option.step.position == INSTANCES_AT
        or option.kind not in {TermKind.NUMBER, TermKind.DATE}
    ]
    return ask(pool) if len(places) == len(pool) else among(places, pool, ask)


def _has_branch(state: DecisionState, linking: Linking) -> bool:
    """Whether there are no instances yet, or something leads on from them that a condition may compare."""
    steps = [node for node in state.structure.nodes if node.parent == INSTANCES_AT]
    return state.structure.step == 0 or len(steps) > (not linking.asks_for_instances)


def _first_branch(
    state: DecisionState, pool: OptionPool, linking: Linking, ask: Callable[[OptionPool], Distribution]
) -> Distribution:
    """The step from the instances to what the question compares; None where no such step is like the question."""
    none = _nones(pool)
    places = _places_compared(state, pool, linking)
    if not places:
        return among(none, pool, ask) if none else ask(pool)
    every = ask(pool)
    rivals = [place for place in range(len(pool)) if _position(pool, place) == INSTANCES_AT]
    whole = sum(every.probabilities.get(place, 0.0) for place in rivals) or 1.0
    said = content_stems(question_without_targets(state)) | _measure(state, linking)
    weights = dict.fromkeys(none[:1], _UNLIKELY)
    for place in places:
        option = pool.options[place]
        is_said = isinstance(option, StepOption) and not said.isdisjoint(_stems(option.step.relation))
        weights[place] = every.probabilities.get(place, 0.0) / whole + _SAID * is_said
    total = sum(weights.values())
    shares = {place: weights.get(place, 0.0) / total for place in range(len(pool))}
    return Distribution(shares, 0.0, every.cost, exact=every.exact)


def _places_compared(state: DecisionState, pool: OptionPool, linking: Linking) -> list[int]:
    """The places in a pool of the steps from the instances to what the question compares.

    Those to named targets, and those to numbers, or to dates where it asks for a time (a year may be a number, too);
    where there are none of these, those to mediators. Where it says by what it compares, those that are called so;
    where none is, those to mediators, which may have it.
    """
    every = {
        place: option
        for place, option in enumerate(pool.options)
        if isinstance(option, StepOption) and option.step.position == INSTANCES_AT
    }
    steps = _measuring(every, state, linking)
    dates = any(isinstance(target.term, Date) for target in state.targets)
    numbers = any(isinstance(target.term, Number) for target in state.targets)
    of_time = dates or (not numbers and not _TIMES.isdisjoint(words_of(state.question)))
    order = [TermKind.DATE, TermKind.NUMBER] if of_time else [TermKind.NUMBER]
    reaching = [place for place, option in steps.items() if option.reaches]
    compares = dates or numbers or _orders(state.question)
    for kind in (*order, TermKind.MEDIATOR) if compares else ():
        found = [place for place, option in steps.items() if option.kind is kind]
        if of_time and not dates and kind is TermKind.NUMBER:
            found = [place for place in found if is_time(steps[place].step.relation)]
        if found:
            return [*reaching, *(place for place in found if place not in reaching)]
    return reaching or [place for place, option in steps.items() if option.kind is TermKind.MEDIATOR]


def _measuring(steps: Mapping[int, StepOption], state: DecisionState, linking: Linking) -> Mapping[int, StepOption]:
    """Of some steps those called like what the question compares by, or like what its superlative usually compares.

    Where it says by what and no step is called so, those to mediators are left; else, where none is, all of them.
    """

    def called(stems: frozenset[str]) -> Mapping[int, StepOption]:
        return {place: option for place, option in steps.items() if is_called(option.step.relation, stems)}

    if measured := _measure(state, linking):
        mediators = {place: option for place, option in steps.items() if option.kind is TermKind.MEDIATOR}
        return called(measured) or mediators
    usual = usual_measures(state.question)
    return (called(usual | content_stems(question_without_targets(state))) if usual else None) or steps


def _measure(state: DecisionState, linking: Linking) -> frozenset[str]:
    topics = [ranked.mention for ranked in linking.topics]
    return measure_stems(state.question, [(mention.start, mention.end) for mention in topics])


def is_called(relation: Relation | None, stems: frozenset[str]) -> bool:
    """Whether the label of a relation has one of the stems."""
    return relation is not None and not stems.isdisjoint(_stems(relation))


def _stems(relation: Relation) -> frozenset[str]:
    return content_stems(relation_label(relation).label)


def _nones(pool: OptionPool) -> list[int]:
    return [place for place, option in enumerate(pool.options) if isinstance(option, NoneOption)]


def _places(state: DecisionState, pool: OptionPool, linking: Linking) -> Sequence[int] | None:
    """The places of the options that may be chosen; None where all may."""
    none = _nones(pool)
    others = [place for place in range(len(pool)) if place not in none]
    if state.stage is Stage.SEARCH:
        return _steps(state, pool, linking, none, others)
    if state.stage is Stage.PRUNE:
        comparing = [place for place in others if not _is_kind(pool, place) and _is_right_end(pool, place, state)]
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
    if structure.step == INSTANCES_AT and not says_which(state):
        return none or None
    places = [place for place in branch_places(pool, state) if place not in none]
    newest = structure.nodes[-1]
    if newest.kind is TermKind.MEDIATOR:
        onward = [place for place in places if _position(pool, place) == structure.step]
        measured = _measure(state, linking)
        if measured and not is_called(newest.relation, measured):
            onward = [place for place in onward if is_called(_relation(pool, place), measured)]
        return [*none, *onward] or None
    ended = sum(node.kind is not TermKind.MEDIATOR for node in structure.nodes[INSTANCES_AT + 1 :])
    conditions = len({(target.start, target.end) for target in state.targets}) or 1
    return [*none, *places] if places and ended < conditions else none or None


def _follows_instances(pool: OptionPool, place: int) -> bool:
    option = pool.options[place]
    return isinstance(option, StepOption) and option.step.relation == INSTANCES


def _is_right_end(pool: OptionPool, place: int, state: DecisionState) -> bool:
    """Whether a minimum or a maximum is what a word of time says: the oldest was born first, and has the most years."""
    option = pool.options[place]
    if not isinstance(option, ConstraintOption) or not option.constraint.operator.is_extremal:
        return True
    said = {*words_of(state.question)}
    if said.isdisjoint(EARLY) == said.isdisjoint(LATE):
        return True
    years = counts_years(state.structure.nodes[option.constraint.position])
    is_smallest = option.constraint.operator is Operator.MIN
    return is_smallest == (said.isdisjoint(LATE) != years)


def counts_years(node: SemanticNode) -> bool:
    """Whether a node holds ages, of which the oldest has the most."""
    return node.kind is TermKind.NUMBER and is_called(node.relation, _AGES)


def is_time(relation: Relation) -> bool:
    """Whether the name of a relation to numbers says that they are years or ages."""
    words = "_".join(split_words(name_parts(relation.predicate)[1]))
    return load_knowledge().leads_to_dates(words) or is_called(relation, _AGES)


def _is_kind(pool: OptionPool, place: int) -> bool:
    option = pool.options[place]
    return isinstance(option, ConstraintOption) and option.constraint.operator is Operator.KIND


def _position(pool: OptionPool, place: int) -> int | None:
    option = pool.options[place]
    return option.step.position if isinstance(option, StepOption) else None


def _relation(pool: OptionPool, place: int) -> Relation | None:
    option = pool.options[place]
    return option.step.relation if isinstance(option, StepOption) else None


def among(places: Sequence[int], pool: OptionPool, ask: Callable[[OptionPool], Distribution]) -> Distribution:
    """P(option) where only some places may be chosen; of one alone nothing is asked."""
    given = dict.fromkeys(range(len(pool)), 0.0)
    if len(places) == 1:
        return Distribution({**given, places[0]: 1.0}, 0.0, Cost())
    some = ask(OptionPool(tuple(pool.options[place] for place in places)))
    shares = {places[index]: share for index, share in some.probabilities.items()}
    return Distribution({**given, **shares}, some.rest, some.cost, some.next, some.exact, some.paths)
