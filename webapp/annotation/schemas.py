"""API schemas of labelling: projects, tasks, drafts and figures."""

from datetime import datetime
from typing import Annotated, Any, Literal, TypeAlias
from uuid import UUID

from ninja import Field, Schema

from reasoning.datasets.question import Split
from reasoning.events import ConstraintRecord, SemanticNodeRecord, StageEvent, TermRecord
from reasoning.switches import USUAL_WIDTH, WIDEST
from webapp.annotation.draft import MOST_MARKED, Draft, LabelKind, LabelReadingIn, MoveIn, TermIn
from webapp.annotation.models import LONGEST_GUIDELINE, LONGEST_TITLE, MOST_PEOPLE, MOST_TASKS
from webapp.http.inputs import LARGEST, LONGEST_NAME, Input
from webapp.runs.changes import Id
from webapp.work.states import Status


class QuestionsIn(Input):
    """Which questions of a loaded dataset become tasks."""

    dataset: UUID = Field(strict=False)
    split: Split | None = None
    """One side of the fixed split; both where it is left out."""
    search: Annotated[str, Field(max_length=1_000)] = ""
    """Words that stand in the question or its id."""
    limit: Annotated[int, Field(ge=1, le=MOST_TASKS)] | None = None
    """At most so many, the first ones, or drawn at random where the order is random."""


SuggestsWhat: TypeAlias = Literal["nothing", "dataset", "model"]


class SuggesterIn(Input):
    """A model whose decisions are suggested."""

    scorer: Annotated[str, Field(max_length=LONGEST_NAME)] | None = None
    """The site's own choice where it is left out."""
    strategy: Annotated[str, Field(max_length=LONGEST_NAME)] | None = None
    """How it decides; see the list of strategies."""
    width: Annotated[int, Field(ge=1, le=WIDEST)] = USUAL_WIDTH
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
    """For so many tasks something is to be suggested."""
    found: int
    """For so many it is."""
    unanswered: int
    """For so many the model came to no answer."""
    late: int
    """So many were looked at by somebody before the model came to them, and stay without a suggestion."""


class ProjectIn(Input):
    """A project to be made."""

    title: Annotated[str, Field(min_length=1, max_length=LONGEST_TITLE)]
    questions: QuestionsIn
    graph: Annotated[str, Field(min_length=1, max_length=LONGEST_NAME)]
    guideline: Annotated[str, Field(max_length=LONGEST_GUIDELINE)] = ""
    """Markdown."""
    overlap: Annotated[int, Field(ge=1, le=20)] = 1
    """So many people label each question."""
    order: Literal["given", "random"] = "given"
    suggests: SuggestsWhat = "nothing"
    """What is suggested to those who label: nothing, the dataset's gold derivations as they fit the graph, or what a
    model decides."""
    suggester: SuggesterIn = SuggesterIn()
    """Which model decides, where one does."""
    blind_percent: Annotated[int, Field(ge=0, le=100)] = 0
    """Of so many tasks in a hundred, nothing is suggested."""
    people: list[Annotated[str, Field(min_length=1, max_length=150)]] = Field(
        default_factory=list, max_length=MOST_PEOPLE
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

    graph: Annotated[str, Field(min_length=1, max_length=LONGEST_NAME)]
    """The graph that they were asked of."""


class AskedDatasetOut(Schema):
    """A dataset of what people asked."""

    dataset: UUID
    questions: int


class ProjectPatchIn(Input):
    """What is changed of a project; what is left out stays."""

    title: Annotated[str, Field(min_length=1, max_length=LONGEST_TITLE)] | None = None
    people: (
        Annotated[list[Annotated[str, Field(min_length=1, max_length=150)]], Field(max_length=MOST_PEOPLE)] | None
    ) = None
    """All who label from now on. Who is left out keeps what they labelled, and gets no further task."""
    archived: bool | None = None


class GuidelineIn(Input):
    """A new version of a guideline."""

    text: Annotated[str, Field(max_length=LONGEST_GUIDELINE)]
    changed: Annotated[str, Field(min_length=1, max_length=300)]
    """What has changed, in a sentence."""


class GuidelineOut(Schema):
    """A version of a guideline."""

    version: int
    text: str
    """Markdown."""
    changed: str
    """What has changed since the version before; empty for the first."""
    writer: str | None
    written_at: datetime


class GuidelinesOut(Schema):
    """All versions of a guideline, the newest first."""

    guidelines: list[GuidelineOut]


class LabelFiguresOut(Schema):
    """How far somebody is, or a project."""

    done: int
    open: int
    """Begun and not handed in."""
    skipped: int
    flagged: int
    seconds: int
    """Of active time on what is done, open and skipped."""


class PersonFiguresOut(LabelFiguresOut):
    """How far somebody is in a project."""

    name: str
    """The user name; empty for somebody who was deleted."""
    display_name: str
    labels_now: bool
    """Whether they still get tasks."""


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
    order: Literal["given", "random"]
    suggests: SuggestsWhat
    suggestions: SuggestionsOut | None
    """How far the model is, where one suggests."""
    blind_percent: int
    """Of so many tasks in a hundred, nothing is suggested."""
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
    may_manage: bool
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
    skipped: int
    flagged: int
    """By how many people."""


class TaskPageOut(Schema):
    """Some of a project's tasks."""

    tasks: list[TaskRowOut]
    total: int


class MoveOut(Schema):
    """An entry of the log of moves."""

    number: int
    who: str
    """Empty for somebody who was deleted."""
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
    """Somebody's work on a task."""

    state: Literal["open", "skipped", "submitted"]
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
    position: int
    tasks: int
    """How many the project has."""
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
    work: WorkOut
    led_to: LedToOut


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
    """Of active time since this was last told."""


class PresentIn(Input):
    """Somebody is still at the task."""

    seconds: Annotated[int, Field(ge=0, le=3_600)]
    """Of active time since this was last told."""


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


class HomeOut(Schema):
    """What somebody who labels begins with."""

    next_project: UUID | None
    """Where *Next* leads: the project of their last work that has a task for them."""
    projects: list[ProjectOut]
    """Those in which they label."""
    open: list[TaskRowOut]
    """Their begun tasks, the last one first."""
    figures: LabelFiguresOut


class WaysIn(Input):
    """What is to be led to."""

    topic: Id | None = None
    """The mid of the entity to begin at; that of the draft where it is left out."""
    marked: list[TermIn] = Field(max_length=MOST_MARKED)
    """The answers."""


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
    """So many times not all of a hub's facts, nodes or answers were looked at."""
    milliseconds: float
