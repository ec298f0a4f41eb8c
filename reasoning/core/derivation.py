"""A derivation: the list of decisions that leads from a question to its answers. The one currency of the product."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Self

from kgstore.terms import Date, Entity, Number, Relation, Term, parse_term

if TYPE_CHECKING:
    from collections.abc import Mapping


PLACE_FAULT = "min and max have no target, or the place from there: a whole number from 2 on"


class Operator(StrEnum):
    """How a constraint compares the terms of a node with its target."""

    EQUAL = "="
    LESS = "<"
    AT_MOST = "<="
    GREATER = ">"
    AT_LEAST = ">="
    MIN = "min"
    MAX = "max"
    HOLDS = "holds"
    """Discern's own: a mediator held at a date. See `reasoning.facts.validity`."""
    KIND = "kind"
    """Of the type whose id is the target. It is Discern's own: READS has the seven before it. See
    `reasoning.question.kinds`."""

    @property
    def is_extremal(self) -> bool:
        """Whether it ranks the node's terms among themselves."""
        return self in (Operator.MIN, Operator.MAX)

    @property
    def leaves_answer(self) -> bool:
        """Whether the answer may stand where it does: *which country* says of what kind the answer is."""
        return self is Operator.KIND


@dataclass(frozen=True, slots=True)
class SearchStep:
    """Grow a new semantic node from the one at ``position``, along ``relation``."""

    position: int
    relation: Relation


@dataclass(frozen=True, slots=True)
class Constraint:
    """C_n = (position, operator, target): what the terms at a position must meet (READS, section 4.2)."""

    position: int
    operator: Operator
    target: Term | None = None
    """None for min and max; or the place from there, ``Number(2)`` for *the second largest*. Places are Discern's own:
    READS takes the first one. Of a kind, the type's id as an entity: ``location.country``."""

    @property
    def place(self) -> int:
        """Which of a node's values a minimum or a maximum keeps: 1 the smallest or the largest itself."""
        return 1 if self.target is None else int(self.target.value) if isinstance(self.target, Number) else 0


@dataclass(frozen=True, slots=True)
class Count:
    """The decision to count the answers. It is Discern's own: READS lists them. See `reasoning.question.counting`."""


@dataclass(frozen=True, slots=True)
class PartialDerivation:
    """Topic entity, search steps and constraints, as far as a run came; perhaps the answer position A_pos too.

    Step i of ``steps`` (from 0) adds the semantic node at position i + 1. What is wrong with one in a graph is named by
    `reasoning.engine.derivation_faults`.
    """

    topic: Entity
    steps: tuple[SearchStep, ...]
    constraints: tuple[Constraint, ...]
    answer_position: int | None
    """None while it is not chosen."""
    counted: bool = False
    """Whether the answer is the number of terms, besides the terms themselves. Not part of READS; see
    `reasoning.question.counting`."""

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> Self:
        """Read ``{"topic": mid, "search": [[position, relation]], "constraints": …, "answer": position}``.

        A constraint is ``[position, operator, target]``, its target a term's textual form, or null for min and max, and
        of a kind the id of a type. The answer is null in a partial derivation that has none. ``"counted": true`` says
        that the answers are counted; it is absent where they are not.

        Raises:
            KeyError, TypeError, ValueError: a part is missing, or is none of the field's values.

        """
        if not isinstance(document["topic"], str):
            raise TypeError("the topic is no id")
        read = cls(
            Entity(document["topic"]),
            tuple(SearchStep(position, Relation.parse(relation)) for position, relation in document["search"]),
            tuple(
                Constraint(position, Operator(operator), None if target is None else parse_term(target))
                for position, operator, target in document.get("constraints", [])
            ),
            document["answer"],
            document.get("counted", False),
        )
        if fault := read._fault():
            raise ValueError(fault)
        return read

    def _fault(self) -> str:
        """Why these decisions do not belong together; empty where they do."""
        last = len(self.steps)
        grown = [*((step.position, place) for place, step in enumerate(self.steps)), *self._answers(last)]
        if not all(type(position) is int and 0 <= position <= most for position, most in grown):
            return "a position that no step has grown"
        if not all(type(c.position) is int and 0 <= c.position <= last for c in self.constraints):
            return "a constraint on a position that no step has grown"
        if fault := next(filter(None, map(_target_fault, self.constraints)), ""):
            return fault
        if type(self.counted) is not bool or (self.counted and self.answer_position is None):
            return "only answers with a position are counted, and counted is true or absent"
        return ""

    def _answers(self, last: int) -> list[tuple[int | None, int]]:
        """The answer position with the last one that there is, where it has to be one."""
        return [] if self.answer_position is None else [(self.answer_position, last)]

    def to_json(self) -> dict[str, Any]:
        """The document that `from_json` reads."""
        return {
            "topic": str(self.topic),
            "search": [[step.position, str(step.relation)] for step in self.steps],
            "constraints": [
                [c.position, c.operator.value, None if c.target is None else str(c.target)] for c in self.constraints
            ],
            "answer": self.answer_position,
            **({"counted": True} if self.counted else {}),
        }


def _target_fault(constraint: Constraint) -> str:
    """Why an operator does not take a target; empty where it does."""
    if constraint.operator is Operator.HOLDS:
        return "" if isinstance(constraint.target, Date) else "what held has a date as its target"
    if not constraint.operator.is_extremal:
        if constraint.operator is Operator.KIND and not isinstance(constraint.target, Entity):
            return "a kind that is no type's id"
        return "min and max have no target, and other operators have one" if constraint.target is None else ""
    return "" if constraint.target is None or may_be_place(constraint.target) else PLACE_FAULT


def may_be_place(target: Term) -> bool:
    """Whether a minimum or a maximum may have it as its target: a whole number from 2 on."""
    return isinstance(target, Number) and target.value >= 2 and target.value == int(target.value)  # noqa: PLR2004


@dataclass(frozen=True, slots=True)
class Derivation(PartialDerivation):
    """A derivation that is whole: it says where the answer stands."""

    answer_position: int

    def _answers(self, last: int) -> list[tuple[int | None, int]]:
        return [(self.answer_position, last)]


def derivation_read(document: Mapping[str, Any]) -> PartialDerivation:
    """A derivation from its JSON: whole where the document says where the answer stands.

    Raises:
        KeyError, TypeError, ValueError: see `PartialDerivation.from_json`.

    """
    kind = PartialDerivation if document["answer"] is None else Derivation
    return kind.from_json(document)
