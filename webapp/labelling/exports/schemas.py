"""API schemas of label exports."""

from uuid import UUID

from ninja import Schema


class ExportFormatOut(Schema):
    """A format that labels are exported in."""

    name: str
    title: str
    says: str
    """What a file of it holds, and for whom it is."""
    cannot_say: list[str]
    """What of a label does not stand in it."""
    ending: str
    """Of the file's name."""
    has_people: bool
    """Whether it says who labelled."""
    has_moves: bool
    """Whether it can hold the log of moves."""


class ExportSelectionOut(Schema):
    """A choice of labels."""

    name: str
    title: str
    says: str


class ExportChoicesOut(Schema):
    """What one can choose of an export."""

    formats: list[ExportFormatOut]
    selections: list[ExportSelectionOut]
    overlay_key: str
    """The public key that the site signs corrections with."""
    may_keep_overlay: bool
    """Whether who asks may keep them for evaluations."""


class ExportReasonOut(Schema):
    """Why some labels do not go in."""

    reason: str
    """Completes *12 labels*: “have no derivation”."""
    count: int


class ExportPreviewOut(Schema):
    """What goes into an export, and what does not."""

    total: int
    """The number of all labels."""
    looked: int
    """The number of labels that were checked: the first ones, within a few seconds."""
    went_in: int
    """Of those that were looked at."""
    left_out: list[ExportReasonOut]
    """Likewise; the commonest first."""
    graph_fault: str
    """Why names and facts are missing; empty where they are not."""


class AcceptedDatasetOut(Schema):
    """A dataset of the accepted labels of a project."""

    dataset: UUID
    questions: int
    """Labels of kinds that a dataset has no words for are passed over."""
