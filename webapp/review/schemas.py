"""API schemas of reviews."""

from datetime import datetime
from typing import Annotated, Literal, TypeAlias
from uuid import UUID

from ninja import Field, Schema

from reasoning.evaluation.judging.laid_over import Side
from reasoning.events import ConstraintRecord, OptionRecord, RelationRecord, StageEvent, TermRecord
from reasoning.run.diagnosis import DogClass
from webapp.asking.runs.changes import ChoiceIn
from webapp.evaluations.schemas import Case as ErrorClass
from webapp.platform.http.inputs import MAX_NAME_LENGTH, Input
from webapp.review.models import MAX_COMMENT_LENGTH, MAX_VIEW_LENGTH

Says: TypeAlias = Literal["agree", "other", "gold", "no_error", "unsure"]


class VerdictIn(Input):
    """What is said of cases; what is left out stays as it is."""

    says: Literal["", "agree", "other", "gold", "no_error", "unsure"] | None = None
    """Empty to say nothing any more."""
    cause: str = Field(default="", max_length=MAX_NAME_LENGTH)
    """Which other cause, or how the benchmark is wrong."""
    comment: str | None = Field(default=None, max_length=MAX_COMMENT_LENGTH)
    assignee: str | None = Field(default=None, max_length=MAX_NAME_LENGTH)
    """A reviewer's user name; empty for no one."""


class CasesVerdictIn(VerdictIn):
    """The same of several cases."""

    keys: list[Annotated[str, Field(max_length=MAX_NAME_LENGTH)]] = Field(min_length=1, max_length=1_000)


class ViewIn(Input):
    """A filter to be kept."""

    name: str = Field(max_length=MAX_VIEW_LENGTH)
    query: str = Field(max_length=2_000)
    """The query string of the page, without its question mark."""


class ToAnnotationIn(Input):
    """Where a case is to be labelled."""

    project: UUID | None = Field(default=None, strict=False)
    """One of the projects that are offered; a new one where it is left out."""


class ReviewViewOut(Schema):
    """A filter with a name."""

    id: UUID
    name: str
    query: str
    maker: str
    may_change: bool


class ReviewSourceOut(Schema):
    """Where cases come from."""

    of: str
    """An evaluation's id, or ``asked``."""
    title: str
    note: str
    cases: int
    """How many answers are not right."""
    reviewed: int
    """Of how many of these something was said."""
    created_at: datetime | None


class ReviewHomeOut(Schema):
    """What there is to review."""

    sources: list[ReviewSourceOut]
    """What askers said first, then evaluations, the newest first."""
    total: int
    """How many there are."""
    views: list[ReviewViewOut]


class ReviewerOut(Schema):
    """A reviewer."""

    username: str
    name: str


class CaseRowOut(Schema):
    """A case in the queue."""

    key: str
    text: str
    result: Literal["right", "partly right", "wrong"]
    error_class: ErrorClass | None
    dog_class: DogClass | None
    """Of DoG; None where it did not answer, or its first answer is right."""
    cause: str
    """The proposed one; empty where none is."""
    confidence: float | None
    says: Says | None
    said_cause: str
    """By a reviewer."""
    reviewer: str
    """Who said it, by name."""
    assignee: str
    """Their name."""
    held_by: str
    """Who has it open now, by name; empty for no one, and for the viewer."""


class FacetValueOut(Schema):
    """A choice of a filter, and how many cases meet it and all other filters."""

    value: str
    count: int


class FacetOut(Schema):
    """What cases can be filtered by."""

    name: str
    values: list[FacetValueOut]
    total: int
    """How many values there are; the most frequent are listed."""


class CasePageOut(Schema):
    """Some of the cases that meet filters."""

    title: str
    note: str
    """Of an evaluation."""
    cases: list[CaseRowOut]
    total: int
    """How many meet the filters."""
    all: int
    """How many the source has."""
    facets: list[FacetOut]
    keys: list[str]
    """Those of the first thousand that meet the filters, in order, for verdicts about all of them."""


class WantedOut(Schema):
    """An option that would have kept a gold derivation in reach."""

    choice: ChoiceIn
    words: str
    """In short: the relation, the entity, the condition."""
    option: OptionRecord | None
    """As the decision tells it; None where it lists others only."""
    rank: int | None
    """Its place among the options of the decision, the most probable first, from 1."""


class MissingOut(Schema):
    """What the graph lacks."""

    entities: list[TermRecord]
    relation: RelationRecord | None
    """Of the first step of the gold derivation that leads nowhere."""
    answers: list[TermRecord]
    """Gold answers that the gold derivation does not lead to here."""


class ProposedOut(Schema):
    """What was probably to blame, and why."""

    error_class: ErrorClass | None
    dog_class: DogClass | None
    dog_why: str
    """Why that class, in a sentence; empty where there is none."""
    cause: str
    """Empty where nothing is proposed."""
    stage: Literal["link", "search", "prune", "infer"] | None
    number: int | None
    """Which decision of the stage, from 0."""
    chosen: OptionRecord | None
    """What was chosen there."""
    wanted: list[WantedOut]
    options: int | None
    """How many options that decision had."""
    missing: MissingOut | None
    """Of a gap in the graph."""


class ReviewEntryOut(Schema):
    """Something that a reviewer did with a case."""

    who: str
    at: datetime
    says: str | None
    """What it changed; None where it did not change it."""
    cause: str | None
    comment: str | None
    assignee: str | None
    undone: bool
    """Whether it takes back another entry."""
    together: UUID


class CaseLabelOut(Schema):
    """Where a case was sent to be labelled, and what came of it."""

    task: int
    project: UUID
    title: str
    labels: int
    """The number of submitted labels."""
    answers: list[TermRecord]
    """Those of the accepted label, else of the last one handed in."""


class CaseOut(Schema):
    """A case with what is proposed, what was said, and its neighbours."""

    key: str
    of: str
    position: int | None
    """In its evaluation."""
    text: str
    question_id: str
    result: Literal["right", "partly right", "wrong"]
    gold: list[str]
    gold_total: int
    predicted: list[str]
    predicted_total: int
    expected: list[str]
    """What askers said the answer should be, in their words."""
    scorer: str
    strategy: str
    graph_title: str
    run: UUID | None
    """That shows how it was answered; None until one is asked for."""
    proposed: ProposedOut
    says: Says | None
    cause: str
    comment: str
    assignee: str
    """A user name."""
    reviewer: str
    history: list[ReviewEntryOut]
    label: CaseLabelOut | None
    held_by: str
    """Another reviewer who has it open, by name."""
    place: int | None
    """Among the cases that meet the filters, from 1; None where it does not."""
    total: int
    previous: str | None
    next: str | None
    next_open: str | None
    """The next one without a verdict."""


class OverStepOut(Schema):
    """A step of the two derivations laid over each other."""

    place: int
    """That of the node that it grows, from 1."""
    side: Side


class OverConditionOut(Schema):
    """A condition of one of them, or of both."""

    constraint: ConstraintRecord
    side: Side


class LaidOverOut(Schema):
    """What was predicted, and what the benchmark's derivation leads to, as one structure."""

    events: list[StageEvent]
    """Of all steps of both, as an undecided run tells them."""
    steps: list[OverStepOut]
    made_answer: int | None
    gold_answer: int | None
    conditions: list[OverConditionOut]
    fits: bool
    """Whether the graph holds the benchmark's whole way."""


class HeldOut(Schema):
    """Who else has a case open."""

    by: str
    """Their name; empty for no one."""


class SaidOut(Schema):
    """What was written down."""

    together: UUID
    """What it is undone by."""
    cases: int
    """The number of cases that it changed."""


class UndoneOut(Schema):
    """What was taken back."""

    cases: int


class AgreementCellOut(Schema):
    """How often a cause was proposed and another one, or the same, was named."""

    proposed: str
    said: str
    cases: int


class ReviewAgreementOut(Schema):
    """How far reviewers agree with what is proposed."""

    cases: int
    """The number of cases with a proposal and a verdict; *unsure* is none."""
    kappa: float | None
    """Cohen's; None where it is not defined."""
    table: list[AgreementCellOut]


class AnnotationChoiceOut(Schema):
    """A project that a case can be labelled in."""

    project: UUID
    title: str


class SentToAnnotationOut(Schema):
    """Where a case is labelled."""

    task: int
    project: UUID
