"""API schemas of graphs."""

from datetime import datetime
from typing import Literal
from uuid import UUID

from ninja import Field, Schema

from kgstore.loading.formats.registry import FORMATS
from kgstore.loading.formats.tables.mapping import MAX_TABLES, TableMapping
from reasoning.question.recognition import Likeness
from webapp.graphs.models import MAX_TITLE_LENGTH
from webapp.platform.http.inputs import MAX_NAME_LENGTH, Input
from webapp.platform.work.states import Status
from webapp.uploads.schemas import UploadOut


class CommonRelationOut(Schema):
    """A relation of which a graph tells much."""

    label: str
    context: str
    """The type of its subjects: *film*; empty where its name does not say."""
    triples: int


class GraphOut(Schema):
    """A graph that may be asked."""

    name: str
    title: str
    version: str
    entities: int
    triples: int
    predicates: int
    source: str
    """Where its triples come from."""
    filters: list[str]
    """What was chosen of the source or left out, each in words and with counts; empty where all of it was loaded."""
    loaded_at: str
    named: int | None
    """How many entities have a name; null where the graph was loaded by a version that did not count them."""
    commonest: list[CommonRelationOut]
    """What it tells most of; empty where the graph was loaded by a version that did not count that."""
    advice: list[str]
    """What is wrong with the graph and what to do, each a sentence or two; most often empty."""
    is_default: bool
    fault: str | None
    """Why the graph cannot be read, and so not be asked; null where it can. Then its title is its name, and what else
    is known only of a graph that can be read is empty or 0."""
    kept: str
    """Why it cannot be removed from the page; empty where it can."""


class EntityOut(Schema):
    """An entity found by one of its names."""

    id: str
    """Its mid."""
    name: str
    matched: str
    """The name or alias that matched."""
    hint: str
    """What tells it from others of the same name: its type in words."""
    popularity: int
    """How many facts it stands in."""


class RecognisedOut(Schema):
    """A part of a question that seems to name something; provisional, as the model decides later.

    Or a part that negates or compares, which is not understood yet: that is its likeness, and it has no entities.
    """

    start: int
    end: int
    """Where it is in the question, in characters."""
    likeness: Likeness
    entities: list[EntityOut]
    """The likeliest first; none where nothing in the graph is called so, or nearly so."""


class DependentOut(Schema):
    """What rests on a graph."""

    count: int
    what: str
    """In words, as many as there are: ``questions asked``."""


class GraphLoadIn(Input):
    """A graph to be loaded from files that were sent."""

    name: str = Field(max_length=MAX_NAME_LENGTH)
    """What it will be called in addresses."""
    title: str = Field(default="", max_length=MAX_TITLE_LENGTH)
    """What people will call it; its name if left out."""
    format: Literal[tuple(FORMATS)] | None = None  # type: ignore[valid-type]  # the formats are known at run time
    """Detected from the first lines if left out."""
    names_from_ids: bool = False
    """Whether an entity without a name gets the one that its id says."""
    file: UUID = Field(strict=False)
    """The upload of the triples."""
    names_file: UUID | None = Field(default=None, strict=False)
    """The upload of names, an id and a name with a tab between them a line."""
    mapping: list[TableMapping] = Field(default_factory=list, max_length=MAX_TABLES)
    """What the columns of tables mean; suggested by their cells if left out."""
    replace: bool = False
    """Whether a graph of this name is to be replaced."""


class TablesIn(Input):
    """A file of tables that is to be looked at before it is loaded."""

    file: UUID = Field(strict=False)
    """The upload."""
    mapping: list[TableMapping] = Field(default_factory=list, max_length=MAX_TABLES)
    """What its columns mean; suggested by their cells if left out."""


class TablePreviewOut(Schema):
    """The beginning of a table."""

    table: str
    """The name of the sheet, or of the file within an archive; empty for a file of one table."""
    headers: list[str]
    rows: list[list[str]]
    """The first ones."""
    looked_at: int
    """Number of rows that were read."""


class TableFactOut(Schema):
    """A fact that a cell becomes."""

    subject: str
    relation: str
    object: str


class TablesOut(Schema):
    """What the tables of a file hold, and which facts they become."""

    tables: list[TablePreviewOut]
    mapping: list[TableMapping]
    facts: list[TableFactOut]
    """The first ones, without types and names."""
    reported: list[str]
    """What of the rows that were read makes no fact, and why."""


class GraphLoadOut(Schema):
    """A graph that is being loaded, or was."""

    id: UUID
    name: str
    title: str
    status: Status
    reason: str
    """Why it failed and what to do, or why it waits."""
    format: str
    """What was chosen, or detected by the first lines; empty until that is known."""
    names_from_ids: bool
    file_name: str
    names_file_name: str
    sha256: str
    replaces: str
    """The version of the graph that was there when this was asked for; empty where none was."""
    stage: str
    """``reading``, ``arranging``, ``writing`` or ``indexing``; empty until it begins."""
    lines: int
    """Lines read."""
    done: int
    total: int | None
    """Rows of the stage written, of how many; while it reads, triples."""
    fraction: float | None
    """How much of the stage is done, from 0 to 1; null where that is unknown."""
    malformed: int
    """Lines that were passed over."""
    kept: int
    """The number of them that can be shown."""
    triples: int | None
    """Distinct ones that were loaded; null until then."""
    version: str
    """Of the graph, once it is loaded."""
    created_at: datetime
    finished_at: datetime | None
    starter: str | None
    file: UploadOut | None
    """The file, where the viewer sent it and it is still here for another try."""
    names_file: UploadOut | None


class GraphFormatOut(Schema):
    """A format that graphs can be loaded from."""

    name: str
    title: str
    looks: str
    """What a line of it looks like."""


class GraphLoadPageOut(Schema):
    """The last loads, and what may be loaded."""

    loads: list[GraphLoadOut]
    total: int
    """How many there are, listed or not."""
    formats: list[GraphFormatOut]
    upload_mb: int
    """Maximum size of a file in megabytes."""
    waits: str | None
    """Why no load is worked on; null where a worker serves their queue."""
    may_manage: bool
    """Whether the viewer may load, replace and remove graphs."""


class PassedOverOut(Schema):
    """A line that was passed over."""

    file: str
    number: int
    """Counts from 1."""
    text: str
    """At most its first 200 characters."""
    reason: str


class PassedOverPageOut(Schema):
    """Some of the lines that were passed over."""

    lines: list[PassedOverOut]
    kept: int
    """The number that can be shown."""
    total: int
    """The number of all."""
