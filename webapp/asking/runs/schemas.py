"""API schemas of runs and their events."""

from datetime import datetime
from typing import Literal
from uuid import UUID

from ninja import Field, Schema

from reasoning.events import AnswerRecord, FactRecord, OptionRecord, StageEvent, TermRecord, Verdict
from webapp.asking.runs.changes import ChangeIn
from webapp.platform.http.inputs import MAX_NAME_LENGTH, Input
from webapp.platform.http.option_fields import with_options
from webapp.platform.work.states import Status


@with_options("recorded")
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
    model_may_answer: bool
    """Whether an answer that a model wrote by itself is reported."""
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    waits: str | None
    """Why it will not begin yet, in words, where no worker is there that would take it up."""
    last_seq: int
    """The number of the last event so far."""
    may_cancel: bool
    """Whether the viewer may stop it now."""
    answers: list[str]
    """The labels of the first few answers."""
    verdict: Verdict | None
    parent: UUID | None
    """The run that this one goes on from, with one change."""
    original: UUID | None
    """The run at the root of the tree of variants; null for that run itself."""
    what_if: str
    """The change in a few words."""
    side_by_side: UUID | None
    """What it was asked with in other ways; null where it was asked alone."""


class ChangedRunIn(Input):
    """What is to be decided otherwise."""

    change: ChangeIn
    scorer: str | None = Field(default=None, max_length=MAX_NAME_LENGTH)
    """The model that decides what is not kept; the run's own where it is left out."""


class OptionsOut(Schema):
    """Every option of a decision, in the order of its pool."""

    options: list[OptionRecord]


class PreviewOut(Schema):
    """What a change would add and take out by itself."""

    facts: list[FactRecord]
    """The first of those that a step would find."""
    facts_total: int
    removed: list[int]
    """The facts that would leave, of those that search steps listed."""
    removed_total: int
    kept_total: int | None
    """How many facts would be left; null where nothing is pruned."""


class VariantOut(Schema):
    """A run of a tree: the original, or one that goes on from another."""

    id: UUID
    parent: UUID | None
    what_if: str
    """What was decided otherwise, in a few words; empty for the original."""
    status: Status
    verdict: Verdict | None
    answers: list[str]
    """The labels of the first few answers."""
    created_at: datetime


class DifferenceOut(Schema):
    """The answers of a variant compared with those of the original run: all are counted, some are listed."""

    was: Verdict | None
    """What the original came to; null where it did not end by itself."""
    now: Verdict | None
    kept: list[TermRecord]
    kept_total: int
    gained: list[TermRecord]
    gained_total: int
    lost: list[TermRecord]
    lost_total: int
    complete: bool
    """False where only listed answers could be compared, because the graph is not what it was."""


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


class AnswerPageOut(Schema):
    """Some of a run's answers, each with its proof: those that its last event lists, then the others."""

    answers: list[AnswerRecord]
    total: int


class RunQueriesOut(Schema):
    """The way to a run's answers, as queries for whatever it leads to but the topic entity; nothing is cut off."""

    sparql: str
    """Over the graph in RDF."""
    cypher: str
    """Over the graph in Neo4j; its parameters stand before it."""
