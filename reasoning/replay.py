"""Derivations as given decisions, and the decisions that the events of a run tell."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kgstore.terms import Entity, Relation, parse_term
from reasoning import events
from reasoning.derivation import Constraint, Derivation, Operator, SearchStep
from reasoning.options import Stage
from reasoning.scorers.base import Cost
from reasoning.wording import STAGE_OF_EVENT, decision_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from reasoning.options import Choice
    from reasoning.run import Choices


def choices_of(derivation: Derivation) -> Choices:
    """All the decisions of a derivation, for the engine to replay."""
    choices: dict[tuple[Stage, int], Choice] = {(Stage.SEARCH, i): step for i, step in enumerate(derivation.steps)}
    choices[Stage.SEARCH, len(derivation.steps)] = None
    choices.update({(Stage.PRUNE, i): constraint for i, constraint in enumerate(derivation.constraints)})
    choices[Stage.PRUNE, len(derivation.constraints)] = None
    choices[Stage.INFER, 0] = derivation.answer_position
    return choices


def choices_made(told: Iterable[events.StageEvent]) -> tuple[Entity | None, Choices]:
    """The topic entity and the decisions that events tell; those of a broken-off run tell the first ones."""
    topic: Entity | None = None
    choices: dict[tuple[Stage, int], Choice] = {}
    steps = constraints = 0
    for event in told:
        match event:
            case events.EntityLinked(topic=found) if found is not None:
                topic = Entity(found.id)
            case events.SearchStepTaken(node=node) if node.parent is not None and node.relation is not None:
                choices[Stage.SEARCH, steps] = SearchStep(node.parent, Relation.parse(node.relation.id))
                steps += 1
            case events.SearchEnded(reason="chosen"):
                choices[Stage.SEARCH, steps] = None
            case events.ConstraintChosen(constraint=constraint):
                target = constraint.target
                choices[Stage.PRUNE, constraints] = Constraint(
                    constraint.position,
                    Operator(constraint.operator),
                    None if target is None else parse_term(target.id),
                )
                constraints += 1
            case events.PruningEnded(reason="chosen"):
                choices[Stage.PRUNE, constraints] = None
            case events.AnswerPositionChosen(position=position):
                choices[Stage.INFER, 0] = position
    return topic, choices


def costs_told(told: Iterable[events.StageEvent]) -> dict[Stage, Cost]:
    """What the decisions that events tell took, by stage; those that were given, or tell no cost, took nothing."""
    costs = dict.fromkeys(Stage, Cost())
    for event in told:
        decision = decision_of(event)
        if decision is not None and decision.cost is not None:
            costs[STAGE_OF_EVENT[event.kind]] += Cost(
                decision.cost.calls, decision.cost.tokens_in, decision.cost.tokens_out
            )
    return costs


def derivation_made(told: Iterable[events.StageEvent]) -> Derivation | None:
    """The derivation that the events of a run tell; None where it came to no answer position."""
    topic, choices = choices_made(told)
    position = choices.get((Stage.INFER, 0))
    if topic is None or not isinstance(position, int):
        return None
    steps = tuple(choice for choice in choices.values() if isinstance(choice, SearchStep))
    constraints = tuple(choice for choice in choices.values() if isinstance(choice, Constraint))
    return Derivation(topic, steps, constraints, position)
