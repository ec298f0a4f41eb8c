"""What the API says of datasets."""

from datetime import datetime
from typing import Literal
from uuid import UUID

from ninja import Field, Schema

from webapp.platform.http.inputs import MAX_NAME_LENGTH, Input
from webapp.platform.work.states import Status


class DatasetIn(Input):
    """A file that is to be loaded: one that was sent, or one of the site's folder of datasets."""

    upload: UUID | None = Field(default=None, strict=False)
    """The file that was sent."""
    file: str = Field(default="", max_length=MAX_NAME_LENGTH)
    """The one of the folder, where none was sent."""
    second: UUID | None = Field(default=None, strict=False)
    """The file that was sent to be read with ``upload``, where the format has such a one: MetaQA's types."""
    name: str = Field(default="", max_length=MAX_NAME_LENGTH)
    """The file's own where it is left out."""
    format: str | None = Field(default=None, max_length=MAX_NAME_LENGTH)
    """The likely one where it is left out."""


class GoldProblemOut(Schema):
    """A reason why questions have no gold derivation."""

    reason: str
    questions: int


class DatasetOut(Schema):
    """A version of a dataset, and how far its load is."""

    id: UUID
    name: str
    version: int
    format: str
    format_title: str
    """What people call the format."""
    file: str
    """The file's own name."""
    second_file: str
    """The name of the file that was read with it; most often empty."""
    file_sha256: str
    """Of several files that were read together, the SHA-256 of theirs."""
    file_bytes: int
    reader_version: int
    """The version of the format's reader that read it; 0 where that was not kept."""
    status: Status
    reason: str
    """Why it could not be loaded, and what to do."""
    questions: int
    """How many are stored."""
    malformed: int
    """How many entries of the file are no questions."""
    train: int
    validation: int
    """How many questions are on either side of the fixed split: those for validation are held out."""
    gold_missing: int
    """Questions without a gold derivation; 0 until all are loaded."""
    gold_problems: list[GoldProblemOut]
    """The reasons, most frequent first."""
    gold_warning: bool
    """Whether more than 5 % of the questions have a gold query that could not be read."""
    identity: str
    """The hash of its questions; empty until all are loaded."""
    identity_algorithm: str
    same_as: list[int]
    """Other versions of this name that hold the same questions."""
    starter: str | None
    created_at: datetime
    finished_at: datetime | None
    archived: bool
    evaluations: int
    """How many point at it; it can be removed only where none does."""


class DatasetFileOut(Schema):
    """A file of the site's folder of datasets that can be loaded."""

    name: str
    likely_format: str
    bytes: int


class SecondFileOut(Schema):
    """A second file that a format may have."""

    title: str
    looks: str
    """What a line of it looks like."""


class FormatOut(Schema):
    """A format of files of questions."""

    name: str
    title: str
    looks: str
    """What a file of it looks like."""
    own_graphs: bool
    """Whether each question brings a graph of its own."""
    second: SecondFileOut | None
    """The file that may be sent with the questions."""


class DatasetPageOut(Schema):
    """Datasets, newest first, and what can be loaded."""

    datasets: list[DatasetOut]
    total: int
    """How many there are that meet the search."""
    archived: int
    """How many are archived."""
    files: list[DatasetFileOut]
    formats: list[FormatOut]
    waits: str | None
    """Why no load goes on, in words: no worker is there that would take it up."""
    may_manage: bool
    """Whether the viewer may load, archive and remove."""


class ReadingOut(Schema):
    """One reading of a question that its benchmark accepts."""

    topic: str | None
    """The topic entity's id."""
    answers: list[str]
    """The first gold answers, as terms."""
    answers_total: int
    path: list[str]
    """The relations of the gold path, in the order of search; empty where there is none."""
    problem: str
    """Why there is no gold path."""


class QuestionOut(Schema):
    """A question of a dataset."""

    position: int
    question_id: str
    text: str
    split: Literal["train", "validation"]
    identity: str
    text_hash: str
    labels: dict[str, str]
    readings: list[ReadingOut]
    """Empty where gold is hidden, as are the labels."""


class QuestionPageOut(Schema):
    """Some of a dataset's questions."""

    questions: list[QuestionOut]
    next: int | None
    """Ask for those after this position; None at the end."""
    total: int
    """How many meet the search."""
    gold_hidden: str
    """Why the viewer does not see what the dataset says of the questions, as a sentence; empty where they see it."""
    all: int
    """How many there are."""


class MalformedEntryOut(Schema):
    """An entry of a dataset's file that is no question, and why."""

    position: int
    place: str
    """Where it stands in the file."""
    reason: str
    """In words that can be counted."""
    detail: str


class MalformedPageOut(Schema):
    """Some of what is malformed in a dataset's file."""

    entries: list[MalformedEntryOut]
    next: int | None
    """Ask for those after this position; None at the end."""
    kept: int
    """The number of them that are kept."""
    all: int
    """How many there are."""
