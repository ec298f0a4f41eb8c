"""API schemas of several evaluations of the same questions, and of a part of one evaluation's questions."""

from typing import Literal
from uuid import UUID

from ninja import Field, Schema

from webapp.evaluations.figure_schemas import IntervalOut
from webapp.evaluations.schemas import EvaluationOut

MAX_NEXT = 5_000
"""Maximum of questions in an order for labelling."""


class MeanDifferenceOut(Schema):
    """A mean of the same questions in an earlier and a later evaluation."""

    before: float
    after: float
    difference: float
    interval: IntervalOut
    """Of the difference, by the paired bootstrap: 95 %."""


class DifferenceFromOut(Schema):
    """How an evaluation differs from another on the same questions."""

    right: MeanDifferenceOut
    f1: MeanDifferenceOut
    fixed: int
    """Wrong before, right now."""
    broken: int
    """Right before, wrong now."""
    changed: int
    """Questions that are answered otherwise, right or wrong."""


class DifferenceColumnOut(Schema):
    """One of several evaluations."""

    evaluation: EvaluationOut
    right: float | None
    f1: float | None
    difference: DifferenceFromOut | None
    """From the first; None for the first itself, and without any question in common."""


class DifferencesOut(Schema):
    """Several evaluations over the questions that all of them have judged."""

    common: int
    columns: list[DifferenceColumnOut]


class SinceOut(Schema):
    """How an evaluation differs from the last one before it that asked some of the same questions."""

    earlier: EvaluationOut | None
    """None where there is none."""
    common: int
    difference: DifferenceFromOut | None
    same: bool
    """Whether it asked the same graph by the same strategy."""
    worse: list[Literal["right", "f1"]]
    """What fell since, by more than chance; always empty where it did not ask the same."""


class NextToLabelQuery(Schema):
    """In which order an evaluation's questions are to be labelled."""

    by: Literal["doubt", "disagreement", "asked"] = "doubt"
    """Where the model was least sure first, where it decided otherwise than in another evaluation, or what people ask
    most often."""
    against: UUID | None = None
    """The other evaluation, where models are to disagree."""
    limit: int = Field(default=200, ge=1, le=MAX_NEXT)


class NextQuestionOut(Schema):
    """A question that is to be labelled."""

    question_id: str
    text: str
    worth: float
    """From 0 to 1 how little sure, or how far apart, the models were; or how often people asked it."""
    held_out: bool
    """Whether it is kept for validation: no training learns from its label."""


class NextToLabelOut(Schema):
    """An evaluation's questions in the order in which to label them, up to the wanted number."""

    evaluation: EvaluationOut
    questions: list[NextQuestionOut]
    of: int
    """The number that could be ordered."""
    unknown: int
    """The number of further judged questions without recorded decisions."""


class PartOut(Schema):
    """The figures of the questions that meet a filter, as far as they are judged."""

    questions: int
    judged: int
    right: float | None
    right_interval: IntervalOut | None
    f1: float | None
    f1_interval: IntervalOut | None
    fewest: int
    """Of fewer questions the figures say little."""


class ChosenOut(Schema):
    """What was decided."""

    words: str
    detail: str
    """The relation's own name, or the like; empty where there is nothing more to say."""
    probability: float | None


class DecisionPairOut(Schema):
    """The same decision in two evaluations; None where one has none."""

    stage: str
    number: int
    first: ChosenOut | None
    second: ChosenOut | None
    same: bool


class DecisionPairsOut(Schema):
    """A question, decision by decision, in two evaluations."""

    decisions: list[DecisionPairOut]
    first_different: int | None
    """Its index; None where none is."""
    kept_in_first: bool
    """Whether the decisions of the first evaluation are known; they were not always kept."""
    kept_in_second: bool
    position: int
    other_position: int
