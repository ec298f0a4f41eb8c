"""API schemas of exploring a graph."""

from ninja import Schema

from reasoning.events import RelationRecord, TermRecord
from reasoning.events.records import Kind


class KindOut(Schema):
    """A kind of entities: a Freebase type, or a class of another vocabulary."""

    id: str
    label: str
    """In words: *TV programme*."""


class ExploredFact(Schema):
    """A fact, read from the end that was asked about."""

    key: str
    """The stored triple (subject, predicate, object) as a text: the same whichever end it is read from."""
    source: TermRecord
    """What was asked about."""
    relation: RelationRecord
    """As it is read from the source."""
    target: TermRecord


class RelationGroupOut(Schema):
    """A relation of an entity, and how many of its facts are along it."""

    relation: RelationRecord
    facts: int
    leads_to: Kind
    """What it mostly leads to, over the whole graph."""


class EntityDetailOut(Schema):
    """What a graph holds of an entity."""

    term: TermRecord
    hint: str
    """What it is, in words; empty where the graph does not say."""
    kinds: list[KindOut]
    """The most telling first."""
    aliases: list[str]
    popularity: int
    """How many facts it stands in."""
    graph_version: str
    groups: list[RelationGroupOut]
    """All relations, read both ways: those with most facts first, then by what they are called."""


class ExploredPageOut(Schema):
    """Some facts of a list, and where the next ones begin."""

    facts: list[ExploredFact]
    kinds: dict[str, KindOut | None]
    """By id, the first kind of each entity that a fact leads to; null where the graph knows none."""
    total: int
    """How many there are on all pages."""
    next: str | None
    """The cursor of the next page; null where this is the last."""
