"""API schemas of runs and their events."""

from datetime import datetime
from typing import Literal
from uuid import UUID

from ninja import Field, Schema

from reasoning.events import FactRecord, StageEvent, Verdict
from webapp.work.states import Status


class RunOut(Schema):
    """One attempt at a question."""

    id: UUID
    question: str
    status: Status
    graph: str
    graph_title: str
    graph_version: str
    """The version of the graph that was asked."""
    topic: str | None
    """The mid that the asker chose."""
    scorer: str
    strategy: str
    width: int
    """How many readings a strategy keeps that keeps several."""
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    waits: str | None
    """Why it will not begin yet, in words, where no worker is there that would take it up."""
    last_seq: int
    """The number of the last event so far."""
    may_cancel: bool
    """Whether whoever asks may stop it now."""
    answers: list[str]
    """The labels of the first few answers."""
    verdict: Verdict | None


class RunEventOut(Schema):
    """An event with its number; the socket sends exactly this, one a message, and `HeartbeatOut` between them."""

    seq: int = Field(ge=1)
    event: StageEvent


class HeartbeatOut(Schema):
    """What the socket sends between events: the site is there, and the run's log holds nothing new."""

    kind: Literal["heartbeat"]


class RunFactOut(FactRecord):
    """A fact, and whether a condition took it out."""

    removed: bool


class FactPageOut(Schema):
    """Some of the facts that one step found."""

    facts: list[RunFactOut]
    total: int


class RunQueriesOut(Schema):
    """The way to a run's answers, as queries for whatever it leads to but the topic entity; nothing is cut off."""

    sparql: str
    """Over the graph in RDF."""
    cypher: str
    """Over the graph in Neo4j; its parameters stand before it."""
