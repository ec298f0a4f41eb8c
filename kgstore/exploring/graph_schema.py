"""The schema of a graph as it is used: its kinds and its relations, counted while it is loaded."""

from __future__ import annotations

import json
from dataclasses import dataclass

from kgstore.terms import Entity, TermKind


@dataclass(frozen=True, slots=True)
class KindCount:
    """A kind of entities: a Freebase type, or a class of another vocabulary."""

    name: str
    entities: int
    """The number of entities that have this type."""
    examples: tuple[Entity, ...]
    """The best known of them, at most three; those that have a name before mediators."""


@dataclass(frozen=True, slots=True)
class RelationUse:
    """A predicate that people are offered, and how it is used."""

    predicate: str
    triples: int
    subject_kind: str | None
    """The type of its subjects: as its name says where the graph has that type, else the most frequent one."""
    object_kind: str | None
    """The same of what it leads to; None also where that is mostly literals."""
    leads_to: TermKind


@dataclass(frozen=True, slots=True)
class GraphSchema:
    """The kinds with most entities and the relations with most triples, each the most frequent first."""

    kinds: tuple[KindCount, ...]
    kinds_total: int
    """How many there are, listed or not."""
    relations: tuple[RelationUse, ...]
    relations_total: int
    kinds_unknown: int
    """How many entities have no kind."""


def schema_to_json(schema: GraphSchema) -> str:
    """As a store keeps it."""
    return json.dumps(
        {
            "kinds": [(kind.name, kind.entities, [each.mid for each in kind.examples]) for kind in schema.kinds],
            "kinds_total": schema.kinds_total,
            "relations": [
                (use.predicate, use.triples, use.subject_kind, use.object_kind, use.leads_to)
                for use in schema.relations
            ],
            "relations_total": schema.relations_total,
            "kinds_unknown": schema.kinds_unknown,
        }
    )


def schema_from_json(text: str) -> GraphSchema | None:
    """What a store kept; None of a graph that was loaded before schemas were counted, whose text is empty."""
    if not text:
        return None
    kept = json.loads(text)
    return GraphSchema(
        tuple(KindCount(name, count, tuple(map(Entity, examples))) for name, count, examples in kept["kinds"]),
        kept["kinds_total"],
        tuple(
            RelationUse(name, triples, subject_kind, object_kind, TermKind(leads_to))
            for name, triples, subject_kind, object_kind, leads_to in kept["relations"]
        ),
        kept["relations_total"],
        kept["kinds_unknown"],
    )
