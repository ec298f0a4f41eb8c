"""What a graph tells most of: its commonest predicates, each with the best-known things that it joins."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kgstore.terms import Entity, TermKind

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class CommonPredicate:
    """A predicate of a graph, how often it is used, and whom to ask about."""

    predicate: str
    triples: int
    subject: Entity | None
    """The best-known subject that has a name and is no mediator; None where there is none."""
    object: Entity | None
    """The same of its objects; None also where they are literals."""
    subject_kind: TermKind
    """The type of the subjects of most of its triples."""
    object_kind: TermKind
    """What most of them lead to."""
    label: str = ""
    """What the graph calls it; empty where its name is all there is."""


def commonest_to_json(predicates: Sequence[CommonPredicate]) -> str:
    """As a store keeps them."""
    return json.dumps(
        [
            (p.predicate, p.triples, _mid(p.subject), _mid(p.object), p.subject_kind, p.object_kind, p.label)
            for p in predicates
        ]
    )


def commonest_from_json(text: str) -> tuple[CommonPredicate, ...]:
    """What a store kept; none of a graph that was loaded before they were counted, whose text is empty."""
    rows = json.loads(text) if text else []
    return tuple(
        CommonPredicate(
            name, triples, _entity(subject), _entity(obj), TermKind(subject_kind), TermKind(object_kind), *label
        )
        for name, triples, subject, obj, subject_kind, object_kind, *label in rows
    )


def _mid(entity: Entity | None) -> str | None:
    return None if entity is None else entity.mid


def _entity(mid: str | None) -> Entity | None:
    return None if mid is None else Entity(mid)
