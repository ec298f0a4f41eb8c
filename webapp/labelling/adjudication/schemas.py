"""API schemas of adjudication."""

from datetime import datetime
from typing import Annotated, Literal, TypeAlias

from ninja import Field, Schema

from reasoning.events import RelationRecord, TermRecord
from webapp.labelling.projects.draft import Draft, LabelKind
from webapp.labelling.projects.models import MAX_COMMENT_LENGTH
from webapp.labelling.projects.schemas import SentBackOut, TaskOut
from webapp.platform.http.inputs import LARGEST, Input

StandName: TypeAlias = Literal["waiting", "open", "accepted"]
"""Where a task stands: labels are missing, it is to be decided, or a label is accepted."""
HowName: TypeAlias = Literal["equal", "taken", "merged", "withdrawn", "lapsed"]
"""How an entry of the history came about; *lapsed* is that the label holds no more on a newer version of the graph."""


class AcceptedOut(Schema):
    """That a label was accepted, was withdrawn, or holds no more."""

    number: int
    """From 1."""
    how: HowName
    reviewer: str
    """The display name; empty where all labels say the same, and for a deleted account."""
    at: datetime
    comment: str


class AdjudicationRowOut(Schema):
    """A task in the list of what is to be decided."""

    task: int
    position: int
    """From 1."""
    question: str
    question_id: str
    stand: StandName
    labels: int
    """The number of submitted labels."""
    agreed: bool | None
    """Whether all say the same; null for fewer than two."""
    agreement: float | None
    """How far they agree, from 0 to 1: the mean F1 of their answers over all pairs, or where two give none, whether
    they are of one kind; null for fewer than two."""
    accepted: AcceptedOut | None
    """Null where there is none. Where labels became others since, the task is open again."""
    own: bool
    """Whether who asks labelled it, and so leaves it to others."""


class StandCountsOut(Schema):
    """How many tasks with labels stand where."""

    waiting: int
    open: int
    accepted: int


class AdjudicationPageOut(Schema):
    """Some of the tasks of a project with labels: the open ones first, of them the worst agreed first."""

    tasks: list[AdjudicationRowOut]
    total: int
    counts: StandCountsOut
    overlap: int
    """The number of labels that each task is to have."""


class SideOut(Schema):
    """A label that is compared with others."""

    label: int
    who: str
    """The display name; empty for a deleted account."""
    kind: LabelKind
    draft: Draft
    answers: list[TermRecord]
    """At most 50."""
    answers_total: int
    seconds: int
    """Of active time."""
    submitted_at: datetime
    sent_back: list[SentBackOut]
    """The newest first."""
    may_send_back: bool


class AdjudicationOut(Schema):
    """A task with its labels side by side, and the reviewer's own draft of what is accepted."""

    task: TaskOut
    """With the draft of the reviewer."""
    sides: list[SideOut]
    """The first that was handed in first."""
    named_terms: list[TermRecord]
    """What the labels name."""
    named_relations: list[RelationRecord]
    stand: StandName
    agreed: bool | None
    history: list[AcceptedOut]
    """What was accepted and withdrawn, the newest first."""
    may_manage: bool
    """Whether who asks may change the guideline of the project."""
    previous: int | None
    """The task before this one in the list of what is to be decided; null where there is none."""
    next: int | None


class AcceptLabelIn(Input):
    """What is accepted: the reviewer's draft as it stands."""

    last: Annotated[int, Field(ge=0, le=LARGEST)]
    """The number of the draft's last move that the reviewer knows."""
    accepted: Annotated[int, Field(ge=0, le=LARGEST)]
    """The number of the last entry of the history that the reviewer knows; 0 for none."""
    comment: Annotated[str, Field(max_length=MAX_COMMENT_LENGTH)] = ""


class WithdrawLabelIn(Input):
    """That an accepted label is withdrawn."""

    accepted: Annotated[int, Field(ge=1, le=LARGEST)]
    """The number of the last entry of the history that the reviewer knows."""
    comment: Annotated[str, Field(max_length=MAX_COMMENT_LENGTH)] = ""
