"""What was to blame for an answer that is not right: the record."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Self, TypeAlias

from kgstore.terms import Entity, Relation, parse_term
from reasoning.core.derivation import Constraint, Operator, SearchStep
from reasoning.core.options import Stage

if TYPE_CHECKING:
    from collections.abc import Mapping

Wanted: TypeAlias = Entity | SearchStep | Constraint | int | None
"""What would have been right to choose: topic entity, step, constraint or answer position; None for *no more*."""


class Cause(StrEnum):
    """Why an answer is not right, in words that can be counted."""

    LINKING = "linking"
    """Another topic entity was taken."""
    WRONG_RELATION = "wrong relation"
    STOPPED_EARLY = "stopped too early"
    """The search ended though a step was left to take."""
    WENT_ON = "went on too far"
    """A step was taken though none was left to take."""
    CUT = "cut by a limit"
    """The run could not take all steps that it may have taken, or took too long."""
    WRONG_CONSTRAINT = "wrong constraint"
    MISSING_CONSTRAINT = "missing constraint"
    WRONG_PLACE = "wrong place"
    """Another semantic node was taken for the one that holds the answer."""
    ORDER = "order of answers"
    """Each decision was right, and the right answer is there; another one comes first."""
    GAP = "gap in the graph"
    """The graph lacks answers, or a part of the way to them or of what their conditions ask for."""
    GOLD = "gold answers differ"
    """Each decision was right; by the benchmark's own way this graph gives answers that the benchmark does not say."""


@dataclass(frozen=True, slots=True)
class Blame:
    """What was to blame for an answer that is not right."""

    cause: Cause
    stage: Stage | None = None
    """That of the first decision after which no gold derivation can be reached; None where each was right."""
    number: int | None = None
    """Which decision of its stage that is, from 0."""
    wanted: tuple[Wanted, ...] = ()
    """What would have kept a gold derivation in reach."""

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> Self:
        """Read what `to_json` gives.

        Raises:
            KeyError, TypeError, ValueError: a part is missing or unknown.

        """
        stage, wanted = document["stage"], tuple(map(_wanted, document["wanted"]))
        return cls(Cause(document["cause"]), None if stage is None else Stage(stage), document["number"], wanted)

    def to_json(self) -> dict[str, Any]:
        """A JSON document; what was wanted is written as a request writes down what is to be decided otherwise."""
        stage = None if self.stage is None else self.stage.value
        return {
            "cause": self.cause.value,
            "stage": stage,
            "number": self.number,
            "wanted": [_written(option) for option in self.wanted],
        }


def _written(option: Wanted) -> dict[str, Any]:
    match option:
        case Entity():
            return {"kind": "topic", "entity": option.mid}
        case SearchStep(position=position, relation=relation):
            return {"kind": "step", "position": position, "relation": str(relation)}
        case Constraint(position=position, operator=operator, target=target):
            written = None if target is None else str(target)
            return {"kind": "constraint", "position": position, "operator": operator.value, "target": written}
        case int():
            return {"kind": "answer", "position": option}
        case None:
            return {"kind": "none"}


def _wanted(document: Mapping[str, Any]) -> Wanted:
    match document["kind"]:
        case "topic":
            return Entity(document["entity"])
        case "step":
            return SearchStep(document["position"], Relation.parse(document["relation"]))
        case "constraint":
            target = document["target"]
            read = None if target is None else parse_term(target)
            return Constraint(document["position"], Operator(document["operator"]), read)
        case "answer":
            return int(document["position"])
        case "none":
            return None
        case other:
            raise ValueError(f"no option is of the kind {other!r}")
