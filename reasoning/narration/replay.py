"""Derivations as given decisions, and the decisions that the events of a run tell."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kgstore.terms import Date, Entity, Relation, parse_term
from reasoning import events
from reasoning.core.derivation import Constraint, Count, Derivation, Operator, SearchStep
from reasoning.core.options import COUNT_PLACE, Stage
from reasoning.scorers.base import Cost

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from reasoning.core.options import Choice, Choices


@dataclass(frozen=True, slots=True)
class Made:
    """A decision that an event tells."""

    stage: Stage
    number: int
    """Which of the stage, from 0."""
    choice: Choice
    record: events.DecisionRecord | None
    """None where there was no choice: the asker named the topic."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where an event stands among the decisions of its run."""

    stage: Stage
    number: int
    made: Made | None
    """None where the stage ended without a choice."""


def choices_of(derivation: Derivation) -> Choices:
    """All the decisions of a derivation, for the engine to replay."""
    choices: dict[tuple[Stage, int], Choice] = {(Stage.SEARCH, i): step for i, step in enumerate(derivation.steps)}
    choices[Stage.SEARCH, len(derivation.steps)] = None
    choices.update({(Stage.PRUNE, i): constraint for i, constraint in enumerate(derivation.constraints)})
    choices[Stage.PRUNE, len(derivation.constraints)] = None
    choices[Stage.INFER, 0] = derivation.answer_position
    choices[COUNT_PLACE] = Count() if derivation.counted else None
    return choices


def places_of(emitted: Iterable[events.StageEvent]) -> Iterator[Place | None]:
    """For every event, the decision that it tells, or at whose place its stage ended; None for any other event."""
    steps = constraints = 0
    for event in emitted:
        match event:
            case events.EntityLinked(topic=found):
                made = None if found is None else Made(Stage.LINK, 0, Entity(found.id), event.decision)
                yield Place(Stage.LINK, 0, made)
            case events.SearchStepTaken(node=node) if node.parent is not None and node.relation is not None:
                step = SearchStep(node.parent, Relation.parse(node.relation.id))
                yield Place(Stage.SEARCH, steps, Made(Stage.SEARCH, steps, step, event.decision))
                steps += 1
            case events.SearchEnded():
                yield _ended(Stage.SEARCH, steps, event)
            case events.ConstraintChosen(constraint=constraint):
                made = Made(Stage.PRUNE, constraints, _constraint(constraint), event.decision)
                yield Place(Stage.PRUNE, constraints, made)
                constraints += 1
            case events.PruningEnded():
                yield _ended(Stage.PRUNE, constraints, event)
            case events.AnswerPositionChosen(position=position):
                yield Place(Stage.INFER, 0, Made(Stage.INFER, 0, position, event.decision))
            case events.NoCandidateChosen():
                yield Place(Stage.INFER, 0, Made(Stage.INFER, 0, None, event.decision))
            case events.AnswersCounted(counted=counted):
                yield Place(*COUNT_PLACE, Made(*COUNT_PLACE, Count() if counted else None, None))
            case _:
                yield None


def _ended(stage: Stage, number: int, event: events.SearchEnded | events.PruningEnded) -> Place:
    made = Made(stage, number, None, event.decision) if event.reason == "chosen" else None
    return Place(stage, number, made)


def choice_of_option(option: events.OptionRecord) -> Choice:
    """The decision that taking an option makes, read from its record."""
    match option:
        case events.TopicOptionRecord(term=term):
            return Entity(term.id)
        case events.StepOptionRecord(position=position, relation=relation):
            return SearchStep(position, Relation.parse(relation.id))
        case events.ConstraintOptionRecord(constraint=record):
            return _constraint(record)
        case events.AnswerOptionRecord(position=position):
            return position
        case events.NoneOptionRecord():
            return None


def choice_made(record: events.DecisionRecord) -> Choice:
    """The decision that a record of one says was made."""
    return next(choice_of_option(option) for option in record.options if option.index == record.chosen)


def recorded_date(emitted: Iterable[events.StageEvent]) -> Date | None:
    """The day that *now* means in a run; None where nothing is asked of now."""
    days = (event.today for event in emitted if isinstance(event, events.Started))
    return next((Date(day) for day in days if day is not None), None)


def _constraint(record: events.ConstraintRecord) -> Constraint:
    target = None if record.target is None else parse_term(record.target.id)
    return Constraint(record.position, Operator(record.operator), target)


def decisions_made(emitted: Iterable[events.StageEvent]) -> list[Made]:
    """The decisions that events tell, in their order, the topic entity among them."""
    return [place.made for place in places_of(emitted) if place is not None and place.made is not None]


def reading_made(emitted: Iterable[events.StageEvent], index: int) -> list[Made]:
    """The decisions of another reading of those that `events.Finished` tells, from the rounds that kept it.

    ``index`` counts them from 0, without the best one. Empty where there is none.
    """
    rounds = [event for event in emitted if isinstance(event, events.ReadingsKept)]
    at = index + 1
    if not rounds or not 0 < at < len(rounds[-1].kept):
        return []
    made: list[Made] = []
    for kept in reversed(rounds):
        record = kept.kept[at]
        at = record.parent
        if record.decision is not None and record.stage is not None and record.number is not None:
            made.append(Made(Stage(record.stage), record.number, choice_made(record.decision), record.decision))
    return made[::-1]


def stages_ended(places: Iterable[Place | None]) -> dict[tuple[Stage, int], Choice]:
    """Stages that ended without a decision: as decisions to end there.

    What a person took out of a pool is offered again when the run continues, and must not be chosen for lack of a
    decision.
    """
    return {
        (place.stage, place.number): None
        for place in places
        if place is not None and place.made is None and place.stage is not Stage.LINK
    }


def choices_made(emitted: Iterable[events.StageEvent]) -> tuple[Entity | None, Choices]:
    """The topic entity and the decisions that events tell; those of a broken-off run tell the first ones."""
    topic: Entity | None = None
    choices: dict[tuple[Stage, int], Choice] = {}
    for made in decisions_made(emitted):
        if isinstance(made.choice, Entity):
            topic = made.choice
        else:
            choices[made.stage, made.number] = made.choice
    return topic, choices


def choices_again(emitted: Iterable[events.StageEvent]) -> tuple[Entity | None, Choices]:
    """The topic entity, and what to decide so that a run is shown again, with its stages ending where they ended.

    Where it tells nothing of counting, nothing was counted.
    """
    emitted = list(emitted)
    topic, choices = choices_made(emitted)
    if (Stage.INFER, 0) in choices:
        choices = {COUNT_PLACE: None, **choices}
    return topic, {**stages_ended(places_of(emitted)), **choices}


def recorded_costs(emitted: Iterable[events.StageEvent]) -> dict[Stage, Cost]:
    """What the decisions that events tell took, by stage; those that were given, or tell no cost, took nothing.

    Where rounds of a beam tell what they took, the decisions of the best reading are among those.
    """
    emitted = list(emitted)
    costs = dict.fromkeys(Stage, Cost())
    rounds = [event for event in emitted if isinstance(event, events.ReadingsKept)]
    for kept in rounds:
        for stage, cost in kept.costs.items():
            costs[Stage(stage)] += _cost(cost)
    for event in emitted:
        if isinstance(event, events.ModelWrote):
            costs[Stage(event.stage)] += _cost(event.cost)
        elif isinstance(event, events.SelectionMade) and event.selection.cost is not None:
            costs[Stage(event.stage)] += _cost(event.selection.cost)
        elif isinstance(event, events.PlansProposed | events.Sufficiency) and event.cost is not None:
            costs[Stage.SEARCH] += _cost(event.cost)
    if not rounds:
        for made in decisions_made(emitted):
            if made.record is not None and made.record.cost is not None:
                costs[made.stage] += _cost(made.record.cost)
    return costs


def _cost(record: events.CostRecord) -> Cost:
    return Cost(record.calls, record.tokens_in, record.tokens_out)


def derivation_made(emitted: Iterable[events.StageEvent]) -> Derivation | None:
    """The derivation that the events of a run tell; None where it came to no answer position."""
    topic, choices = choices_made(emitted)
    position = choices.get((Stage.INFER, 0))
    if topic is None or not isinstance(position, int):
        return None
    steps = tuple(choice for choice in choices.values() if isinstance(choice, SearchStep))
    constraints = tuple(choice for choice in choices.values() if isinstance(choice, Constraint))
    return Derivation(topic, steps, constraints, position, choices.get(COUNT_PLACE) is not None)
