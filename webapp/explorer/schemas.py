"""API schemas of exploring a graph."""

from datetime import datetime
from typing import Annotated, Literal, TypeAlias
from uuid import UUID

from ninja import Field, Schema

from reasoning.events import RelationRecord, TermRecord
from reasoning.events.records import Kind
from webapp.explorer.models import MAX_CONTENT_LENGTH, MAX_EXPLORATION_NAME_LENGTH
from webapp.platform.http.inputs import LARGEST, MAX_NAME_LENGTH, Input

MAX_ID_LENGTH = 400
"""Maximum of characters of the id of an entity or of a relation. Some ids are addresses. The server takes no request
line of more than 16 kB, in which a character may take twelve bytes, next to two ids, a name and a cursor."""
ReadersOut: TypeAlias = Literal["me", "people", "link"]


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
    values: list[list[TermRecord]]
    """The first of what it leads to, best known first: each a term, or what a mediator joins besides the entity. Empty
    for the relations after the first ones."""


class EntityDetailOut(Schema):
    """What a graph holds of an entity."""

    term: TermRecord
    hint: str
    """What it is, in words; empty where the graph does not say."""
    kinds: list[KindOut]
    """The most telling first."""
    aliases: list[str]
    description: str
    """The first text in which the graph describes it; empty where it holds none."""
    popularity: int
    """How many facts it stands in."""
    graph_version: str
    groups: list[RelationGroupOut]
    """All relations, read both ways: those with most facts first, then by what they are called."""


class ExploredPageOut(Schema):
    """Some facts of a list, and where the next ones begin."""

    facts: list[ExploredFact]
    kinds: dict[str, KindOut | None]
    """By id, the first kind of each entity of the facts; null where the graph knows none."""
    total: int
    """How many there are on all pages."""
    next: str | None
    """The cursor of the next page; null where this is the last."""


class CommonOut(Schema):
    """What two entities are both joined with: the facts that join each of them with either."""

    facts: list[ExploredFact]
    """Each is read from one of the two."""
    kinds: dict[str, KindOut | None]
    shown: int
    """The number of common neighbours that are shown, the less known first."""
    total: int | None
    """Of how many; null where that was not counted to the end."""
    reason: str | None
    """Why there are none, or why there may be more; null where there is nothing to say."""


class PathsOut(Schema):
    """The shortest ways from one entity to another, those over less known entities first."""

    paths: list[list[ExploredFact]]
    """The facts of each, read along the path: the target of one is the source of the next."""
    kinds: dict[str, KindOut | None]
    reason: str | None
    """Why there is none, or why there may be others; null where there is nothing to say."""
    looked_at: int
    """The number of facts that were read."""


class BetweenIn(Input):
    """Entities that are drawn."""

    ids: list[Annotated[str, Field(min_length=1, max_length=MAX_ID_LENGTH)]] = Field(max_length=500)
    """Those whose facts are wanted."""
    others: list[Annotated[str, Field(min_length=1, max_length=MAX_ID_LENGTH)]] | None = Field(
        default=None, max_length=3_000
    )
    """What else is drawn, where facts with these are wanted as well."""


class BetweenOut(Schema):
    """The facts that join entities that are drawn."""

    facts: list[ExploredFact]
    """Each is read from its subject."""
    shown: int
    total: int
    reason: str | None
    """Why there may be more than ``total``; null where there are no others."""


class WellKnownOut(Schema):
    """An entity of which a graph tells much."""

    term: TermRecord
    hint: str
    facts: int


class OverviewOut(Schema):
    """What a graph is."""

    name: str
    title: str
    version: str
    source: str
    filters: list[str]
    """What was chosen of the source or left out, each in words and with counts."""
    loaded_at: str
    entities: int
    triples: int
    predicates: int
    named: int | None
    """How many entities have a name; null where an earlier version loaded the graph."""
    kinds_unknown: int | None
    """How many entities have no kind; null where an earlier version loaded the graph."""
    advice: list[str]
    """What is wrong with the graph and what to do; most often empty."""
    most_connected: list[WellKnownOut]
    is_outdated: bool
    """Whether an earlier version loaded it."""


class KindCountOut(Schema):
    """A kind of a graph."""

    id: str
    label: str
    entities: int
    relations: int
    """The number of the graph's relations, listed or not here, that start or end at it."""
    examples: list[TermRecord]


class RelationUseOut(Schema):
    """A relation of a graph, and which kinds it joins."""

    relation: RelationRecord
    facts: int
    source_kind: str | None
    """The id of the type of its subjects; null where that is not known."""
    target_kind: str | None
    leads_to: Kind


class SchemaOut(Schema):
    """The kinds and the relations of a graph, the most frequent first."""

    kinds: list[KindCountOut]
    kinds_total: int | None
    """Of how many; null where an earlier version loaded the graph."""
    relations: list[RelationUseOut]
    """Those of the most frequent ones that join kinds which are listed, or of which no kind is known."""
    relations_total: int | None
    missing: str | None
    """Why nothing is listed; null where nothing is missing."""


class ExplorationIn(Input):
    """An exploration to be kept."""

    graph: str = Field(min_length=1, max_length=MAX_NAME_LENGTH)
    name: str = Field(min_length=1, max_length=MAX_EXPLORATION_NAME_LENGTH)
    readers: ReadersOut = "me"
    content: str = Field(min_length=2, max_length=MAX_CONTENT_LENGTH)
    """What the page wrote: a JSON object with ``"form": 1``."""


class ExplorationChangeIn(Input):
    """What is to be kept in the place of what was; what is left out stays as it is."""

    revision: int = Field(ge=1, le=LARGEST)
    """Of which this is a change."""
    name: str | None = Field(default=None, min_length=1, max_length=MAX_EXPLORATION_NAME_LENGTH)
    readers: ReadersOut | None = None
    content: str | None = Field(default=None, min_length=2, max_length=MAX_CONTENT_LENGTH)


class ExplorationOut(Schema):
    """A kept exploration."""

    id: UUID
    name: str
    graph: str
    graph_version: str
    """As the graph was when it was last saved."""
    owner: str
    mine: bool
    readers: ReadersOut
    """Readers besides its owner: none, signed-in users, or anyone with the link."""
    revision: int
    created_at: datetime
    updated_at: datetime


class ExplorationContentOut(ExplorationOut):
    """A kept exploration with what was drawn."""

    content: str


class ExplorationPageOut(Schema):
    """Some of the explorations that one may open, the last saved first."""

    explorations: list[ExplorationOut]
    total: int
