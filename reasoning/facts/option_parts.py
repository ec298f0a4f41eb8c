"""Options as the names that they consist of, for models that read and write text.

Each format of a prompt joins the parts in its own way.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kgstore.names import literal_label
from kgstore.terms import Date
from reasoning.core.options import AnswerOption, ConstraintOption, NoneOption, StepOption, TopicOption

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kgstore.terms import Term
    from reasoning.core.derivation import Constraint
    from reasoning.core.options import DecisionState, Option
    from reasoning.core.structure import AbstractStructure


def option_parts(option: Option, state: DecisionState) -> tuple[str, ...]:
    """The parts of an option; none for None.

    A step: its node and its relation, with ``^`` where that is followed from object to subject. A condition: see
    `constraint_parts`. An answer position: its node. A topic: how the question names it, and its type if it has one.
    """
    match option:
        case StepOption(step=step):
            return state.structure.nodes[step.position].name, str(step.relation)
        case ConstraintOption(constraint=constraint):
            return constraint_parts(state.structure, constraint, state.labels)
        case AnswerOption(position=position):
            return (state.structure.nodes[position].name,)
        case TopicOption(mention=mention, types=types):
            return state.question[mention.start : mention.end], *types[:1]
        case NoneOption():
            return ()


def constraint_parts(
    structure: AbstractStructure, constraint: Constraint, labels: Mapping[Term, str]
) -> tuple[str, ...]:
    """The parts of a constraint: ``entity_2``, ``=``, ``KITT``; without a target ``date_3``, ``max``.

    ``topic_1``, ``holds``, ``2010`` is what held in 2010.
    """
    name, target = structure.nodes[constraint.position].name, constraint.target
    parts = name, constraint.operator.value
    if target is None:
        return parts
    # The day of now stands in no question.
    unnamed = literal_label(target) if isinstance(target, Date) else str(target)
    return (*parts, labels.get(target, unnamed))
