"""API schemas of labelling: projects, tasks, drafts and figures."""

from datetime import datetime
from typing import Annotated, Any, Literal, TypeAlias
from uuid import UUID

from ninja import Field, Schema

from reasoning.datasets.question import Split
from reasoning.datasets.source import MAX_ID_LENGTH
from reasoning.events import ConstraintRecord, RelationRecord, SemanticNodeRecord, StageEvent, TermRecord
from reasoning.labels.ways import SECONDS
from reasoning.strategies.registry import READINGS
from webapp.asking.runs.changes import Id, StepIn
from webapp.labelling.projects.draft import MAX_MARKED, Draft, LabelKind, LabelReadingIn, MoveIn, TermIn
from webapp.labelling.projects.models import (
    MAX_CHOSEN,
    MAX_COMMENT_LENGTH,
    MAX_GUIDELINE_LENGTH,
    MAX_PEOPLE,
    MAX_TASKS,
    MAX_TITLE_LENGTH,
)
from webapp.platform.http.inputs import LARGEST, MAX_NAME_LENGTH, Input
from webapp.platform.work.states import Status

MemberRoleName: TypeAlias = Literal["annotator", "reviewer", "manager"]


class QuestionsIn(Input):
    """Which questions of a loaded dataset become tasks."""

    dataset: UUID = Field(strict=False)
    split: Split | None = None
    """One side of the fixed split; both where it is left out."""
    search: Annotated[str, Field(max_length=1_000)] = ""
    """Words that stand in the question or its id."""
    chosen: list[Annotated[str, Field(min_length=1, max_length=MAX_ID_LENGTH)]] | None = Field(
        default=None, max_length=MAX_CHOSEN
    )
    """Only those with these ids, whatever else is said; all of them must be in the dataset."""
    limit: Annotated[int, Field(ge=1, le=MAX_TASKS)] | None = None
    """Maximum of tasks, the first ones of the order; where that is by uncertainty, the first ones of the dataset."""


class QualificationIn(Input):
    """A qualification round: the first questions of everybody, whose answers are known."""

    questions: Annotated[int, Field(ge=1, le=50)]
    percent: Annotated[int, Field(ge=1, le=100)] = 80
    """The mean rightness, in a hundred, that has to be reached."""


OrderName: TypeAlias = Literal["given", "random", "chosen", "asked", "doubt"]
SuggestsWhat: TypeAlias = Literal["nothing", "dataset", "model"]


class SuggesterIn(Input):
    """A model whose decisions are suggested."""

    scorer: Annotated[str, Field(max_length=MAX_NAME_LENGTH)] | None = None
    """The site's own choice where it is left out."""
    strategy: Annotated[str, Field(max_length=MAX_NAME_LENGTH)] | None = None
    """How it decides; see the list of strategies."""
    width: Annotated[int, Field(ge=1, le=READINGS.most)] = READINGS.usual
    """How many readings a strategy keeps that keeps several."""


class SuggestionsOut(Schema):
    """How far a model is with what it suggests."""

    source: str
    """The model's name, and how it decides."""
    status: Status
    reason: str
    """Why it failed, and what to do."""
    waits: str | None
    """Why it does not go on, in words, where it should."""
    wanted: int
    """The number of tasks that are to get a suggestion."""
    found: int
    """The number of tasks with a suggestion."""
    unanswered: int
    """The number of tasks for which the model found no answer."""
    late: int
    """The number of tasks that a person opened before the model's turn; they stay without a suggestion."""


class ProjectIn(Input):
    """A project to be made."""

    title: Annotated[str, Field(min_length=1, max_length=MAX_TITLE_LENGTH)]
    questions: QuestionsIn
    graph: Annotated[str, Field(min_length=1, max_length=MAX_NAME_LENGTH)]
    guideline: Annotated[str, Field(max_length=MAX_GUIDELINE_LENGTH)] = ""
    """Markdown."""
    overlap: Annotated[int, Field(ge=1, le=20)] = 1
    """Number of people who label each question."""
    order: OrderName = "given"
    """As in the dataset, at random, as the questions were ``chosen``, what people ask most often first, or where the
    model that suggests is least sure first."""
    suggests: SuggestsWhat = "nothing"
    """What is suggested to those who label: nothing, the dataset's gold derivations as they fit the graph, or what a
    model decides."""
    suggester: SuggesterIn = SuggesterIn()
    """Which model decides, where one does."""
    blind_percent: Annotated[int, Field(ge=0, le=100)] = 0
    """Percentage of tasks without suggestions."""
    qualification: QualificationIn | None = None
    known_percent: Annotated[int, Field(ge=0, le=100)] = 0
    """Percentage of tasks with known answers, against which labels are measured; annotators do not see
    of which."""
    people: list[Annotated[str, Field(min_length=1, max_length=150)]] = Field(
        default_factory=list, max_length=MAX_PEOPLE
    )
    """The user names of those who label."""


class AskedOfGraphOut(Schema):
    """Questions that people asked of a graph, and agreed to have labelled."""

    graph: str
    questions: int
    """Equal wordings count once."""


class AskedOut(Schema):
    """How many questions people agreed to have labelled."""

    graphs: list[AskedOfGraphOut]
    """Those graphs of which there are any."""


class AskedIn(Input):
    """Which questions of people become a dataset."""

    graph: Annotated[str, Field(min_length=1, max_length=MAX_NAME_LENGTH)]
    """The graph that they were asked of."""


class AskedDatasetOut(Schema):
    """A dataset of what people asked."""

    dataset: UUID
    questions: int


class ProjectPatchIn(Input):
    """What is changed of a project; what is left out stays."""

    title: Annotated[str, Field(min_length=1, max_length=MAX_TITLE_LENGTH)] | None = None
    archived: bool | None = None


class GuidelineIn(Input):
    """A new version of a guideline."""

    text: Annotated[str, Field(max_length=MAX_GUIDELINE_LENGTH)]
    changed: Annotated[str, Field(min_length=1, max_length=300)]
    """What has changed, in a sentence."""
    because: Annotated[int, Field(ge=1, le=2**63 - 1)] | None = None
    """The task of the project whose labels led to this version."""


class BecauseOut(Schema):
    """The question whose labels led to a version of a guideline."""

    task: int
    question: str


class GuidelineOut(Schema):
    """A version of a guideline."""

    version: int
    text: str
    """Markdown."""
    changed: str
    """What has changed since the version before; empty for the first."""
    because: BecauseOut | None
    writer: str | None
    written_at: datetime


class GuidelinesOut(Schema):
    """All versions of a guideline, the newest first."""

    guidelines: list[GuidelineOut]


class LabelFiguresOut(Schema):
    """The progress of an annotator or a project."""

    done: int
    open: int
    """Begun and not handed in."""
    sent_back: int
    """Of those that are open: sent back by a reviewer."""
    skipped: int
    flagged: int
    seconds: int
    """Of active time on what is done, open and skipped."""


class MeasuredOut(Schema):
    """How right the answers of an annotator are where they are known."""

    done: int
    """The number of labels that were measured."""
    right: int
    """The number of labels with exactly the known answers."""
    mean: float
    """Of the F1 of their answers, from 0 to 1."""
    low: float
    high: float
    """The 95 % interval of the mean."""


class RoundOut(Schema):
    """The state of an annotator's qualification round."""

    standing: Literal["open", "passed", "failed", "let_in"]
    round: int
    """The first or a later try."""
    done: int
    size: int
    """The number of its questions."""
    percent: int
    """The mean, in a hundred, that has to be reached."""
    measured: MeasuredOut | None
    """Null until all are handed in."""


class ExpectedOut(Schema):
    """The answers of an annotator in a qualification round, and the expected ones."""

    task: int
    question: str
    kind: LabelKind
    score: float
    """The F1 of the answers, from 0 to 1."""
    given: list[TermRecord]
    """At most 20."""
    given_total: int
    expected: list[TermRecord]
    """At most 20; none where the question cannot be answered."""
    expected_total: int
    unanswerable: bool


class QualificationOut(Schema):
    """Where who asks stands with the qualification round of a project."""

    told: RoundOut
    answers: list[ExpectedOut]
    """Empty until all are handed in."""


class MemberIn(Input):
    """A user to add to a project."""

    name: Annotated[str, Field(min_length=1, max_length=150)]
    """The user name."""
    role: MemberRoleName = "annotator"
    labels: bool = True
    """Whether they get tasks; annotators do."""


class MemberPatchIn(Input):
    """What is changed of a member; what is left out stays."""

    role: MemberRoleName | None = None
    labels: bool | None = None
    qualification: Literal["let_in", "again"] | None = None
    """Let them in without having passed, or let them try again with other questions."""


class MemberOut(Schema):
    """A member of a project."""

    id: int
    name: str
    display_name: str
    role: MemberRoleName
    labels: bool
    """Whether they get tasks."""


class PersonFiguresOut(LabelFiguresOut):
    """The progress of an annotator in a project."""

    id: int | None
    """Null for those who were deleted."""
    name: str
    """The user name; empty for a deleted account."""
    display_name: str
    role: MemberRoleName | None
    """Null where they are no member any more."""
    labels_now: bool
    """Whether they still get tasks."""
    qualification: RoundOut | None
    """Null where the project has no round for them."""
    known: MeasuredOut | None
    """Over the tasks whose answers are known; null where there is none yet, and for who does not manage the project."""


class ProjectOut(Schema):
    """A project, and how far it is."""

    id: UUID
    title: str
    graph: str
    graph_title: str
    graph_version: str
    dataset: str
    """Its name and version in words."""
    tasks: int
    overlap: int
    order: OrderName
    suggests: SuggestsWhat
    suggestions: SuggestionsOut | None
    """How far the model is, where one suggests."""
    blind_percent: int
    """Percentage of tasks without suggestions."""
    qualification: QualificationIn | None
    """What the qualification round asks; null where there is none."""
    known_percent: int | None
    """Percentage of tasks with known answers; null for who does not manage the project."""
    archived: bool
    creator: str | None
    created_at: datetime
    guideline: GuidelineOut
    wanted: int
    """How many labels there will be when all is done: tasks times overlap."""
    figures: LabelFiguresOut
    guideline_seen: int | None
    """The version that who asks had before them at their last task; 0 for none, null where they do not label here."""
    mine: LabelFiguresOut | None
    """The figures of who asks; null where they do not label here."""
    standing: RoundOut | None
    """Where who asks stands with the qualification round; null where there is none for them."""
    role: MemberRoleName | None
    """That of the viewer; null if they are not a member, or no longer one."""
    may_manage: bool
    may_review: bool
    """Whether who asks may see all tasks and labels, and how far everybody is."""
    may_label: bool


class ProjectPageOut(Schema):
    """Some of the projects, and how many there are."""

    projects: list[ProjectOut]
    total: int
    may_manage: bool
    """Whether who asks may make projects."""


class ProgressOut(Schema):
    """How far everybody in a project is."""

    people: list[PersonFiguresOut]


class TaskRowOut(Schema):
    """A task in a list."""

    id: int
    position: int
    """From 1."""
    question: str
    question_id: str
    done: int
    open: int
    sent_back: int
    """Of those that are open: sent back by a reviewer."""
    skipped: int
    flagged: int
    """By how many people."""


class ReviewedTaskOut(TaskRowOut):
    """A task in the list of those who review or manage a project."""

    round: int
    """The qualification round that it belongs to; 0 for none."""
    known: bool | None
    """Whether its answers are known; null for who does not manage the project."""


class SendBackIn(Input):
    """What is to be changed of a label that is sent back."""

    comment: Annotated[str, Field(pattern=r"\S", max_length=MAX_COMMENT_LENGTH)]
    shows_own: bool = False
    """Whether the label's maker is shown in what it differs from what the reviewer would accept."""


class ReplyIn(Input):
    """The reply of an annotator to the reviewer who sent their label back."""

    reply: Annotated[str, Field(max_length=MAX_COMMENT_LENGTH)]


class SentBackOut(Schema):
    """That a label was sent back, and what came of it."""

    sender: str
    """The display name; empty for a deleted account."""
    comment: str
    """What is to be changed."""
    sent_at: datetime
    reply: str
    answered_at: datetime | None
    """When it was handed in again; null while it is not."""
    against: Draft | None
    """What the reviewer would accept, where they show it."""


class SeenLabelOut(Schema):
    """A label that was handed in, for those who review or manage a project."""

    id: int
    who: str
    """The display name; empty for a deleted account."""
    kind: LabelKind
    words: str
    """Its decisions in a line; empty for kinds without any."""
    answers: list[TermRecord]
    """At most 20."""
    answers_total: int
    note: str
    flagged: bool
    seconds: int
    """Of active time."""
    submitted_at: datetime | None
    """Null where it was sent back, and is being changed."""
    sent_back: list[SentBackOut]
    """The newest first."""
    may_send_back: bool
    """Whether who asks may send it back: not one's own, and not one that is back already."""
    score: float | None
    """How right its answers are; null where they are not known, and for who does not manage the project."""


class TaskLabelsOut(Schema):
    """Labels of a task that were handed in, the newest first, and those that were sent back since."""

    labels: list[SeenLabelOut]
    total: int


class TaskPageOut(Schema):
    """Some of a project's tasks."""

    tasks: list[ReviewedTaskOut]
    total: int
    all: int
    """How many there are with any words, those of qualification rounds among them."""


OwnState: TypeAlias = Literal["open", "sent_back", "lapsed", "skipped", "submitted"]
"""The state of an annotator's work on a task. Lapsed: started, and returned after a while without a heartbeat."""


class OwnTaskOut(Schema):
    """A task of an annotator, and the state of their work on it."""

    id: int
    position: int
    """From 1."""
    question: str
    question_id: str
    state: OwnState
    kind: LabelKind
    flagged: bool
    seconds: int
    """Of active time."""
    moved_at: datetime | None


class OwnTaskPageOut(Schema):
    """Some of the tasks of an annotator, the last one first."""

    tasks: list[OwnTaskOut]
    total: int


class MoveOut(Schema):
    """An entry of the log of moves."""

    number: int
    who: str
    """Empty for a deleted account."""
    at: datetime
    was: dict[str, Any]
    """By field of the draft, the value before."""
    now: dict[str, Any]
    """By field, the value after."""
    undoes: int | None
    """The number of the move that it took back."""


class MovesOut(Schema):
    """The moves after a number."""

    moves: list[MoveOut]
    total: int


class WorkOut(Schema):
    """An annotator's work on a task."""

    state: Literal["open", "skipped", "submitted", "adjudicating"]
    """Adjudicating: a reviewer's draft of what is accepted, and no label."""
    draft: Draft
    last: int
    """The number of the last move; 0 for none."""
    undo: list[MoveOut]
    """The moves that may be taken back, the next one last; at most 50."""
    redo: list[MoveOut]
    """Those that took one back, and may be taken back themselves, the next one last; at most 50."""
    seconds: int
    """Of active time."""
    held_until: datetime | None
    """Until when the task is kept for them, if they do nothing; null where it is handed in, skipped or given away."""
    submitted_at: datetime | None


class LedToOut(Schema):
    """What the decisions of a draft lead to."""

    events: list[StageEvent]
    """From the first to *finished*, to *undecided* at the first open decision, or to *failed* at the first that does
    not fit the graph."""
    answers: list[TermRecord]
    """What the label would come to if it ended here, the best first."""
    answers_total: int
    position: int | None
    """Where these answers stand."""
    named_terms: list[TermRecord]
    """What the draft names besides its decisions: what is marked, put aside, chosen or reported."""
    named_relations: list[RelationRecord]
    milliseconds: float


class SuggestionOut(LabelReadingIn):
    """A derivation that is suggested; it becomes a label only by the moves of a person."""

    source: str
    """Where it comes from: *webqsp gold*, *encoder, READS*."""


class TaskOut(Schema):
    """A task as who labels it sees it."""

    id: int
    project: UUID
    project_title: str
    round: int
    """The qualification round that it belongs to; 0 for none."""
    position: int
    tasks: int
    """How many the project has, or the round."""
    question: str
    question_id: str
    graph: str
    graph_title: str
    graph_version: str
    previous: int | None
    """Their own task before this one in the project's order, whatever its state; null where there is none."""
    next: int | None
    """Their own task after this one."""
    guideline: GuidelineOut
    guideline_seen: int
    """The version that they had before them at their last task of the project; 0 for none."""
    suggestion: SuggestionOut | None
    """Null where there is none, and where the task is labelled blind, or was given before a model came to it."""
    sent_back: list[SentBackOut]
    """Each time that their label was sent back, the newest first."""
    named_terms: list[TermRecord]
    """What is named by what reviewers would accept."""
    named_relations: list[RelationRecord]
    work: WorkOut
    led_to: LedToOut


class DecisionsIn(Input):
    """Decisions that are looked at, and no moves."""

    topic: Id
    """The mid of the topic entity."""
    steps: list[StepIn] = Field(max_length=40)


class NextOut(Schema):
    """The next task; null with the reason where there is none."""

    task: int | None
    reason: str


class MovesIn(Input):
    """Moves, in order."""

    after: Annotated[int, Field(ge=0, le=LARGEST)]
    """The number of the last move that the browser knows."""
    moves: Annotated[list[MoveIn], Field(min_length=1, max_length=100)]
    seconds: Annotated[int, Field(ge=0, le=3_600)] = 0
    """Of active time since the last report."""


class PresentIn(Input):
    """A heartbeat of an open task."""

    seconds: Annotated[int, Field(ge=0, le=3_600)]
    """Of active time since the last report."""


class MovedOut(Schema):
    """A draft after moves, and what it leads to."""

    work: WorkOut
    led_to: LedToOut


class FaultOut(Schema):
    """Why a label cannot be handed in as it stands."""

    code: str
    message: str
    """What is wrong and what to do."""


class CheckOut(Schema):
    """Whether a label holds on its graph."""

    kind: LabelKind
    faults: list[FaultOut]
    """Empty where it may be handed in."""


class SentBackTaskOut(Schema):
    """A task whose label was sent back to who made it."""

    id: int
    question: str
    question_id: str
    project_title: str
    told: SentBackOut


class HomeOut(Schema):
    """What an annotator starts with."""

    next_project: UUID | None
    """Where *Next* leads: the project of their last work that has a task for them."""
    projects: list[ProjectOut]
    """Those in which they label."""
    sent_back: list[SentBackTaskOut]
    """The tasks whose label was sent back to them, the one that waits longest first; at most 50."""
    open: list[TaskRowOut]
    """Their other begun tasks, the last one first; at most 50."""
    figures: LabelFiguresOut


class WaysIn(Input):
    """What is to be led to."""

    topic: Id | None = None
    """The mid of the entity to begin at; that of the draft where it is left out."""
    marked: list[TermIn] = Field(max_length=MAX_MARKED)
    """The answers."""
    seconds: Annotated[float, Field(ge=0.1, le=20)] = SECONDS
    """So long to look at most: where not everything was looked at, a longer look may find more."""


class WayOut(LabelReadingIn):
    """A derivation that leads to some of the marked answers."""

    nodes: list[SemanticNodeRecord]
    """What its steps lead to, the topic first."""
    constraints: list[ConstraintRecord]
    """Its conditions in words."""
    words: str
    """All of it in a line."""
    precision: float
    """The share of its answers that are marked."""
    recall: float
    """The share of the marked answers that it gives."""
    answers_total: int
    """How many it gives."""
    missed: int
    """How many of the marked answers it does not give."""
    hops: float
    """To a mediator, and on from it, is half a hop; a condition is one."""


class WaysOut(Schema):
    """The derivations that lead to marked answers."""

    ways: list[WayOut]
    """The shortest first, of one length the best."""
    complete: bool
    """Whether all were looked at; if not, time was up or hubs were cut."""
    cut: int
    """The number of times that facts of a hub, nodes or answers were left out."""
    milliseconds: float
