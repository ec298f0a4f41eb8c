"""Readings as the rounds of a beam tell them: each is one that was kept before, and a decision more."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from reasoning import events

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reasoning.events.records import Kind


@dataclass(frozen=True, slots=True)
class ReadingText:
    """A reading as far as it has come. Immutable."""

    nodes: tuple[events.SemanticNodeRecord, ...] = ()
    """S_k."""
    constraints: tuple[events.ConstraintRecord, ...] = ()
    position: int | None = None

    def grown(self, option: events.OptionRecord, topic: str) -> ReadingText:
        """The same after a decision; ``topic`` is what it is about where no decision of its own says so."""
        if isinstance(option, events.TopicOptionRecord):
            return replace(self, nodes=(_node(0, option.term.kind, option.term.label),))
        begun = self if self.nodes else replace(self, nodes=(_node(0, "entity", topic),))
        match option:
            case events.StepOptionRecord(position=parent, relation=relation, leads_to=kind):
                node = _node(len(begun.nodes), kind, "", parent, relation)
                return replace(begun, nodes=(*begun.nodes, node))
            case events.ConstraintOptionRecord(constraint=constraint):
                return replace(begun, constraints=(*begun.constraints, constraint))
            case events.AnswerOptionRecord(position=position):
                return replace(begun, position=position)
            case _:
                return begun

    def way(self) -> Sequence[events.SemanticNodeRecord]:
        """The nodes from the topic to the answer; all while the answer's place is not chosen."""
        if self.position is None:
            return self.nodes
        way: list[events.SemanticNodeRecord] = []
        at: int | None = self.position
        while at is not None:
            way.insert(0, self.nodes[at])
            at = self.nodes[at].parent
        return way


def _node(
    position: int,
    kind: Kind,
    name: str,
    parent: int | None = None,
    relation: events.RelationRecord | None = None,
) -> events.SemanticNodeRecord:
    return events.SemanticNodeRecord(position=position, kind=kind, name=name, parent=parent, relation=relation)
