"""API schemas of the log."""

from datetime import datetime
from typing import Literal, TypeAlias
from uuid import UUID

from ninja import Schema

LogKind: TypeAlias = Literal["move", "handed_in", "sent_back", "accepted", "withdrawn"]
LogWhat: TypeAlias = Literal[
    "moves",
    "kind",
    "topic",
    "steps",
    "conditions",
    "answer",
    "marked",
    "facts",
    "missing",
    "readings",
    "rewording",
    "benchmark",
    "reports",
    "note",
    "flagged",
    "handed_in",
    "sent_back",
    "accepted",
    "withdrawn",
]
"""What of a log is wanted: all moves, those that change a field of the draft, or another kind of entry."""


class LogEntryOut(Schema):
    """One entry."""

    kind: LogKind
    id: int
    """Unique within its kind."""
    at: datetime
    who: str | None
    """Empty where their account is gone; None for what happens automatically: equal labels are accepted."""
    label_of: str | None
    """Whose label it was, if it was another user's; empty if their account was deleted."""
    position: int
    """That of the task."""
    round: int
    """The qualification round of the task; 0 for none."""
    question: str
    question_id: str
    said: str
    """What was done, in words."""


class LogPersonOut(Schema):
    """A person who may have entries."""

    id: int
    display_name: str


class LogPageOut(Schema):
    """Some entries of a log, the newest first."""

    project: UUID
    title: str
    entries: list[LogEntryOut]
    total: int
    """The number of such entries, ten thousand at most."""
    has_more: bool
    """Whether more than that are."""
    all: int
    people: list[LogPersonOut]
    graph_fault: str
    """Why things are called by their ids, in words; empty where they have their names."""
