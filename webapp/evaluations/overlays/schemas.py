"""What the API says of overlays."""

from datetime import datetime
from uuid import UUID

from ninja import Field, Schema

from reasoning.datasets.overlay import CorrectionKind
from reasoning.evaluation.judging.cases import Case
from reasoning.run.diagnosis import DogClass
from webapp.evaluations.schemas import FiguresOut
from webapp.platform.http.inputs import Input
from webapp.platform.work.states import Status


class OverlayIn(Input):
    """An overlay to be kept."""

    upload: UUID = Field(strict=False)
    """The file, which was sent before."""


class OverlayOut(Schema):
    """A signed file of corrections."""

    id: UUID
    name: str
    """Of the file."""
    signer: str
    key: str
    """The public key that it was signed with, in hexadecimal."""
    by_this_site: bool
    """Whether that is the key of this site."""
    made_at: str
    """When it was signed, as the file says it."""
    corrections: int
    keeper: str | None
    """Who sent it; None where their account is gone."""
    kept_at: datetime


class OverlayListOut(Schema):
    """The overlays of the questions that an evaluation asks."""

    overlays: list[OverlayOut]
    none_because: str
    """Why there can be none; empty where there can."""
    may_manage: bool
    most_bytes: int
    """Maximum size of a file in bytes."""


class OverlaidWorkOut(Schema):
    """How far a worker is that judges under an overlay."""

    status: Status
    reason: str
    """Why it failed, and what to do."""
    waits: str | None
    """Why it does not go on, in words, where it should."""
    done: int
    """The number of corrected questions."""


class AppliedOut(Schema):
    """Corrections of a kind that changed what counts as right."""

    kind: CorrectionKind
    count: int


class NotAppliedOut(Schema):
    """Corrections that changed nothing, and why."""

    reason: str
    count: int


class OverlaidReportOut(Schema):
    """The figures of the same answers under an overlay."""

    figures: FiguresOut
    applied: list[AppliedOut]
    not_applied: list[NotAppliedOut]
    not_judged: int
    """The number of applied corrections that only reject the benchmark's gold; their questions are left out."""


class OverlaidOut(Schema):
    """An evaluation under an overlay."""

    overlay: OverlayOut
    work: OverlaidWorkOut | None
    """None if it was never computed, or the evaluation has continued since: it must be computed again."""
    report: OverlaidReportOut | None
    """None until it was judged."""


class OverlaidQuestionOut(Schema):
    """A question that an overlay corrects."""

    position: int
    kind: CorrectionKind
    reason: str
    who: list[str]
    agreement: float | None
    at: str
    """When it was said, as the file says it."""
    rewording: str
    """Empty where its wording stays."""
    old: list[str]
    """The first few of the answers that were corrected, by name."""
    old_total: int
    new: list[str]
    """Likewise of those that count instead."""
    new_total: int | None
    """None where it is only known that the old ones are not right."""
    not_applied: str
    """Why it changes nothing; empty where it does."""
    right: bool | None
    """Whether the first answer is right under it; None where it changes nothing, or the question is left out."""
    f1: float | None
    case: Case | None
    dog_class: DogClass | None
    """The error class of DoG under it; None too where another strategy answered, or it is not known."""
    dog_why: str
    """That in a sentence."""
