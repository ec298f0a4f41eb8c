"""API schemas of questions that are asked in several ways at once."""

from datetime import datetime
from uuid import UUID

from ninja import Field, Schema

from reasoning.question.linking import MAX_QUESTION_LENGTH
from webapp.asking.questions.schemas import WayIn
from webapp.asking.runs.schemas import RunOut
from webapp.platform.http.inputs import MAX_NAME_LENGTH, Input

MAX_WAYS = 12
"""Maximum of methods that answer a question side by side."""


class SideBySideIn(Input):
    """A question, and the ways to answer it that are set side by side."""

    question: str = Field(max_length=MAX_QUESTION_LENGTH)
    graph: str | None = Field(default=None, max_length=MAX_NAME_LENGTH)
    """The name of a graph; the site's own choice where it is left out."""
    topic: str | None = Field(default=None, max_length=MAX_NAME_LENGTH)
    """The mid of the topic entity; found in the question where it is left out."""
    ways: list[WayIn] = Field(min_length=2, max_length=MAX_WAYS)


class PartedOut(Schema):
    """Where a run leaves what all runs decided alike."""

    run: UUID
    seq: int | None
    """The number of the event that tells its first decision which not all made; null where all that it decided, all
    others decided too."""
    words: str
    """That decision as a sentence; empty where there is none."""
    alike: int
    """Runs with the same number decided the same."""


class PartingOut(Schema):
    """Where the runs part that have ended by themselves."""

    shared: int
    """The number of decisions that all of them made."""
    runs: list[PartedOut]


class SideBySideOut(Schema):
    """A question that was asked in several ways at once."""

    id: UUID
    question: str
    graph: str
    graph_title: str
    topic: str | None
    """The mid that the asker chose."""
    created_at: datetime
    runs: list[RunOut]
    """In the order in which they were asked."""
    may_cancel: bool
    """Whether the viewer may stop those that are running."""
    compared: int
    """The number of runs that are finished and compared."""
    same_answers: list[list[UUID]]
    """Those of them that give the same answers, the most first; what lists cut is not compared."""
    parting: PartingOut | None
    """Null where those that are compared decide alike, or there are not two of them yet."""
