"""API schemas of learning."""

from datetime import datetime
from typing import Literal, TypeAlias
from uuid import UUID

from ninja import Field, Schema

from webapp.evaluations.comparisons.schemas import DifferenceFromOut
from webapp.evaluations.figure_schemas import IntervalOut
from webapp.models.pipelines.models import MAX_NOTE_LENGTH
from webapp.models.trainings.schemas import MAX_BASE_LENGTH, BaseOut, KindName, TrainingOut, TrainingSettingsIn
from webapp.platform.http.inputs import LARGEST, MAX_NAME_LENGTH, Input
from webapp.platform.work.states import Status

LinkName: TypeAlias = Literal["snapshot", "train", "evaluate", "compare", "review"]


class SourceIn(Input):
    """Something to be learned from."""

    kind: str = Field(max_length=MAX_NAME_LENGTH)
    key: str = Field(default="", max_length=MAX_NAME_LENGTH)
    graph: str | None = Field(default=None, max_length=MAX_NAME_LENGTH)
    """For sources that are of no graph; the site's own choice where it is left out."""
    share: float = Field(default=1.0, ge=0.001, le=1_000)
    """The share of samples that is drawn from here, relative to the shares of the others."""
    overlay: UUID | None = Field(default=None, strict=False)
    """Corrections to be laid over."""
    least_precision: float | None = Field(default=None, ge=0.001, le=1)
    """For weak labels: at least this share of what one leads to is an answer; the usual one where it is left out."""


class PipelineIn(Input):
    """A pipeline to be started."""

    name: str = Field(max_length=MAX_NAME_LENGTH)
    """What the model will be called."""
    sources: list[SourceIn] = Field(min_length=1, max_length=20)
    start: str = Field(default="", max_length=MAX_NAME_LENGTH)
    """The model to go on from; none where it is left out."""
    kind: KindName = "encoder"
    """What it makes: an encoder, or a language model."""
    base: str = Field(default="", max_length=MAX_BASE_LENGTH)
    """The language model that is fine-tuned; left out for an encoder."""
    settings: TrainingSettingsIn = TrainingSettingsIn()


class HeldOutIn(Input):
    """Questions to be pinned."""

    dataset: str = Field(max_length=MAX_NAME_LENGTH)
    """The name of a loaded dataset, or ``sample``."""
    version: int | None = Field(default=None, ge=1, le=LARGEST)
    """Its last one where it is left out."""
    split: Literal["validation", "all"] = "validation"
    limit: int | None = Field(default=None, ge=1, le=LARGEST)
    graph: str | None = Field(default=None, max_length=MAX_NAME_LENGTH)
    """The site's own choice where it is left out."""


class DefaultIn(Input):
    """The model that is to decide by default."""

    scorer: str = Field(max_length=MAX_NAME_LENGTH)


class ReviewIn(Input):
    """The note of a user who reviewed the result of a pipeline."""

    note: str = Field(default="", max_length=MAX_NOTE_LENGTH)


class OverlayChoiceOut(Schema):
    """Corrections that may be laid over a source."""

    id: UUID
    name: str


class SourceOut(Schema):
    """Something that may be learned from."""

    kind: str
    kind_title: str
    key: str
    title: str
    questions: int | None
    """How many questions can be used for training now; None if not counted."""
    graph: str
    """Empty where it is chosen."""
    overlays: list[OverlayChoiceOut]
    least_precision: float | None
    """The usual one of weak labels; null where derivations are known."""


class HeldOutOut(Schema):
    """The questions by which models are judged."""

    id: UUID
    dataset: str
    version: int
    dataset_id: UUID
    split: str
    limit: int | None
    graph: str
    questions: int
    pinned_at: datetime
    pinner: str | None


class HeadlineOut(Schema):
    """A mean over questions."""

    value: float | None
    """None without any question."""
    interval: IntervalOut | None


class ChangedQuestionOut(Schema):
    """A question that became better or worse."""

    position: int
    """In the evaluation that has it wrong."""
    text: str


class PipelineComparisonOut(Schema):
    """A new model compared with the default one, on the held-out questions that neither learned from."""

    common: int
    """The number of questions that were compared."""
    seen: int
    """The number of questions that were left out, as one of the two learned from them."""
    difference: DifferenceFromOut | None
    right: HeadlineOut
    f1: HeadlineOut
    fixed: list[ChangedQuestionOut]
    """The first of those that became right."""
    broken: list[ChangedQuestionOut]
    """The first of those that became wrong."""


class VerdictOut(Schema):
    """Whether a model may become the default."""

    scorer: str
    title: str
    may: bool
    why: str
    """In a sentence: why it may, or why not."""
    code: Literal["better", "no_worse", "worse", "is_default", "not_pinned", "not_judged", "default_not_judged", "seen"]
    evaluation: UUID | None
    """By which it was judged on the pinned questions."""
    against: UUID | None
    """By which the default was."""
    difference: DifferenceFromOut | None


class DefaultChoiceOut(Schema):
    """A record that a user made a model the default."""

    scorer: str
    """Empty for the one that the settings name."""
    before: str
    evaluation: UUID | None
    chooser: str | None
    chosen_at: datetime


class DefaultOut(Schema):
    """Which model decides by default."""

    scorer: str
    configured: str
    """The one that the settings name."""
    back: str | None
    """Which one a click puts back; None where the default was never changed."""
    choices: list[DefaultChoiceOut]
    """The last changes, the newest first."""


class StepOut(Schema):
    """A step of a pipeline, and where it stands."""

    link: LinkName
    title: str
    state: Literal["to come", "working", "waiting", "done", "stopped", "failed"]
    done: int
    total: int
    """0 where nothing is counted."""
    says: str
    """What it is at, in a few words."""


class PipelineSourceOut(Schema):
    """What a pipeline learned from."""

    kind: str
    title: str
    graph: str
    share: float
    corrected: bool
    least_precision: float | None
    """Of weak labels; null where derivations are known."""
    snapshot: str
    """The snapshot that was made of it; empty while there is none."""
    dataset: UUID | None
    """None of the bundled sample, and while there is no snapshot."""


class PipelineOut(Schema):
    """A pipeline, and where it is."""

    id: UUID
    name: str
    status: Status
    reason: str
    link: LinkName
    steps: list[StepOut]
    sources: list[PipelineSourceOut]
    start: str
    kind: KindName
    base: str
    """Empty for an encoder."""
    held_out: HeldOutOut
    evaluation: UUID | None
    baseline: UUID | None
    against: str
    comparison: PipelineComparisonOut | None
    reviewed_at: datetime | None
    reviewer: str | None
    note: str
    starter: str | None
    created_at: datetime
    finished_at: datetime | None


class PipelineDetailOut(PipelineOut):
    """A pipeline with all that is known of its parts."""

    training: TrainingOut | None
    verdict: VerdictOut | None
    """Whether its model may become the default; None while it is not there."""
    may_manage: bool


class LearningPageOut(Schema):
    """Pipelines, the newest first, and what they are judged by."""

    chains: list[PipelineOut]
    total: int
    """How many there are, listed or not."""
    held_out: HeldOutOut | None
    """None where nothing is pinned."""
    default: DefaultOut
    waits: str | None
    """Why nothing is worked on; None where a worker serves the queue."""
    may_manage: bool


class WaysToTeachOut(Schema):
    """What a pipeline may be started with."""

    sources: list[SourceOut]
    starts: list[str]
    bases: list[BaseOut]
    """The language models that may be fine-tuned."""
    graphs: list[str]
