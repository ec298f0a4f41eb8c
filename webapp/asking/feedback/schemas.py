"""API schemas of feedback."""

from datetime import datetime
from typing import Literal
from uuid import UUID

from ninja import Field, Schema

from reasoning.events import Verdict
from webapp.asking.feedback.models import MAX_EXPECTED_LENGTH
from webapp.platform.http.inputs import Input


class FeedbackIn(Input):
    """Whether an answer is right."""

    says: Literal["right", "wrong"]
    expected: str = Field(default="", max_length=MAX_EXPECTED_LENGTH)
    """What it should be."""


class FeedbackOut(Schema):
    """What a user says of an answer."""

    says: Literal["right", "wrong"]
    expected: str
    said_at: datetime


class OwnFeedbackOut(Schema):
    """What who is looking says of an answer; null where nothing."""

    feedback: FeedbackOut | None


class GivenFeedbackOut(FeedbackOut):
    """What a user said of an answer, for reviewers."""

    id: int
    who: str
    """Their name; empty for a visitor."""
    run: UUID
    question: str
    graph_title: str
    scorer: str
    strategy: str
    answers: list[str]
    """The labels of the first few answers."""
    verdict: Verdict | None


class FeedbackPageOut(Schema):
    """Some of what people say of answers, and how much there is."""

    feedback: list[GivenFeedbackOut]
    total: int
    """How much meets the filter."""
    right: int
    """How many of all call an answer right."""
    wrong: int
