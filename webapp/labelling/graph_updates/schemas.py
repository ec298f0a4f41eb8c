"""API schemas of graph updates."""

from datetime import datetime
from uuid import UUID

from ninja import Schema

from webapp.platform.work.states import Status


class GraphUpdateWorkOut(Schema):
    """How far a worker is that takes a project to another version of its graph, or what came of it."""

    to_version: str
    status: Status
    reason: str
    """Why it failed, and what to do."""
    waits: str | None
    """Why it does not go on, in words, where it should."""
    done: int
    wanted: int
    """The number of questions with labels or known answers."""
    holding: int
    """The number of accepted labels that are still valid."""
    lapsed: int
    """The number that are no longer valid, and are to be decided again."""
    finished_at: datetime | None


class GraphUpdateOut(Schema):
    """Which version of its graph a project is at, and which one is loaded."""

    project: UUID
    graph_title: str
    version: str
    """What is labelled holds for this one."""
    loaded: str | None
    """Null where the graph cannot be read."""
    fault: str
    """Why it cannot be read; empty where it can."""
    accepted: int
    """The number of accepted labels."""
    may_update: bool
    """Whether who asks may take the project along."""
    work: GraphUpdateWorkOut | None
    """Of the last time; null where there was none."""
