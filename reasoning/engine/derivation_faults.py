"""Everything that is wrong with a derivation in a graph, decision by decision."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kgstore.terms import Date, Number, TermKind
from reasoning.core.derivation import Operator
from reasoning.core.options import Stage
from reasoning.core.structure import ROOT, AbstractStructure, InstanceGraph
from reasoning.facts.pools import answerable, facts_of, step_options
from reasoning.facts.pruning import prune
from reasoning.question.counting import may_be_counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kgstore.store import GraphStore
    from reasoning.core.derivation import Constraint, PartialDerivation

_FACTS_PER_STEP = 5_000


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with one decision."""

    stage: Stage
    number: int
    """Which decision of the stage, from 0."""
    message: str
    """For people: what is wrong, and of which position."""


def derivation_faults(derivation: PartialDerivation, store: GraphStore) -> list[Fault]:
    """All faults, in the order of the decisions; empty where READS could come to this derivation in this graph.

    A step whose relation is not there adds an empty node, so that what comes after it is looked at too. That the answer
    position is open is no fault.

    Raises:
        GraphStoreError: the graph cannot be read.

    """
    card = store.cards([derivation.topic]).get(derivation.topic)
    if card is None:
        return [Fault(Stage.LINK, 0, f"The graph does not hold the topic {derivation.topic}.")]
    structure = AbstractStructure.rooted(card.name or derivation.topic.mid)
    graph = InstanceGraph.rooted(derivation.topic)
    found: list[Fault] = []
    taken = set()
    for number, step in enumerate(derivation.steps):
        if not 0 <= step.position <= number:
            found.append(Fault(Stage.SEARCH, number, f"There is no position {step.position} yet to go on from."))
            step = type(step)(ROOT, step.relation)  # noqa: PLW2901 - the rest is looked at from the topic
        option = next((one for one in step_options(store, graph, step.position, ()) if one.step == step), None)
        if step in taken:
            text = f"The relation {step.relation} was followed from position {step.position} before."
            found.append(Fault(Stage.SEARCH, number, text))
        elif option is None:
            text = f"Nothing at position {step.position} has the relation {step.relation} in this graph."
            found.append(Fault(Stage.SEARCH, number, text))
        taken.add(step)
        triples = () if option is None else facts_of(step, graph, store, _FACTS_PER_STEP).triples
        structure = structure.grow(step.position, step.relation, TermKind.ENTITY if option is None else option.kind)
        graph = graph.grow(step.relation, triples)
    found += _constraint_faults(derivation.constraints, structure, graph, store)
    found += _answer_faults(derivation, structure)
    return found


def _constraint_faults(
    constraints: tuple[Constraint, ...], structure: AbstractStructure, graph: InstanceGraph, store: GraphStore
) -> Iterator[Fault]:
    sound: list[Constraint] = []
    for number, constraint in enumerate(constraints):
        message = _misplaced(constraint, structure) or _mismatch(constraint, structure)
        if not message and constraint in sound:
            message = "This condition exists twice."
        if not message:
            sound.append(constraint)
            if prune(structure, graph, sound, store).leaves_nothing:
                message = "No fact meets this condition together with those before it."
                sound.pop()
        if message:
            yield Fault(Stage.PRUNE, number, message)


def _misplaced(constraint: Constraint, structure: AbstractStructure) -> str:
    if not 0 <= constraint.position < len(structure.nodes):
        return f"There is no position {constraint.position}."
    return "The topic itself cannot have a condition." if constraint.position == ROOT else ""


def _mismatch(constraint: Constraint, structure: AbstractStructure) -> str:
    """Why an operator or a target does not suit what a position holds."""
    kind, target = structure.nodes[constraint.position].kind, constraint.target
    if constraint.operator is Operator.HOLDS:
        is_link = kind is TermKind.MEDIATOR
        return "" if is_link else f"Position {constraint.position} holds no mediators, of which “holds” can be said."
    if constraint.operator is Operator.KIND:
        return "" if kind is TermKind.ENTITY else f"Position {constraint.position} holds no things that are of a kind."
    compared = {TermKind.NUMBER: Number, TermKind.DATE: Date}.get(kind)
    if compared is None and constraint.operator is not Operator.EQUAL:
        return f"Position {constraint.position} holds no numbers or dates, which “{constraint.operator}” needs."
    if constraint.operator.is_extremal:
        return ""
    if compared is not None and target is not None and not isinstance(target, compared):
        return f"Position {constraint.position} holds {kind.value}s, and {target} is none."
    return ""


def _answer_faults(derivation: PartialDerivation, structure: AbstractStructure) -> Iterator[Fault]:
    position = derivation.answer_position
    if position is None:
        return
    if not 0 <= position < len(structure.nodes):
        message = f"There is no position {position}."
    elif position == ROOT:
        message = "The topic itself cannot be the answer."
    elif structure.nodes[position].kind is TermKind.MEDIATOR:
        message = f"Position {position} holds events without names, which answer nothing."
    elif position not in answerable(structure, derivation.constraints):
        message = f"Position {position} has a condition, so it cannot hold the answer."
    elif derivation.counted and not may_be_counted(structure.nodes[position].kind):
        message = f"Position {position} holds {structure.nodes[position].kind.value}s, which are shown and not counted."
    else:
        return
    yield Fault(Stage.INFER, 0, message)
