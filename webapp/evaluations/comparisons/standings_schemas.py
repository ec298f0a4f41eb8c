"""API schemas of several evaluations as one table, and of their agreement."""

from typing import Literal
from uuid import UUID

from ninja import Schema

from webapp.evaluations.schemas import EvaluationOut


class MeanOut(Schema):
    """A mean over questions with its 95 % bootstrap interval."""

    value: float
    low: float
    high: float


class StandingOut(Schema):
    """One of several evaluations, over the questions that all have judged; None where a figure is not known."""

    evaluation: EvaluationOut
    right: MeanOut | None
    """Share whose first answer is right (Hits@1)."""
    f1: MeanOut | None
    hit: MeanOut | None
    """Share with any right answer."""
    exact: MeanOut | None
    recall: MeanOut | None
    seconds: MeanOut | None
    """A question; None for another system, as the next three."""
    calls: MeanOut | None
    tokens_in: MeanOut | None
    tokens_out: MeanOut | None


class UnlikeOut(Schema):
    """What an evaluation asked of something else than the first one."""

    evaluation: UUID
    what: Literal["dataset", "graph", "topics"]
    words: str


class AgreementKindOut(Schema):
    """How many questions there are on which evaluations agree so far."""

    kind: str
    """One of `reasoning.evaluation.reporting.votes.Agreement`, in words."""
    questions: int


class DegreeOut(Schema):
    """The questions for which this number of evaluations agree: how often the vote is right."""

    agree: int
    """0 where none answered anything."""
    questions: int
    right: MeanOut
    f1: MeanOut


class AnswersAgreementOut(Schema):
    """How far evaluations agree, and what becomes of a vote over them."""

    kinds: list[AgreementKindOut]
    right: MeanOut
    """Of the vote over all of them."""
    f1: MeanOut
    degrees: list[DegreeOut]
    """By how many agree, the most first."""


class StandingsOut(Schema):
    """Several evaluations over the questions that all of them have judged."""

    common: int
    unlike: list[UnlikeOut]
    """Why figures may not be compared."""
    reworded: int
    """The number of questions with the same id in all of them, but other words; they are left out."""
    standings: list[StandingOut]
    agreement: AnswersAgreementOut | None
    """None without a question in common."""
