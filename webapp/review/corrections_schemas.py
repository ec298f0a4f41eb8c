"""API schemas of corrections that verdicts come to."""

from ninja import Schema

from webapp.evaluations.overlays.schemas import OverlayOut


class CorrectedCaseOut(Schema):
    """A case that says that the benchmark is wrong."""

    key: str
    text: str
    sent: bool
    """Whether it was sent to be labelled."""


class ReviewCorrectionsOut(Schema):
    """What the verdicts of an evaluation's cases come to, as corrections of its dataset."""

    verdicts: int
    """The number of cases with the verdict that the benchmark is wrong."""
    entries: int
    """The number of questions that are corrected."""
    labelled: int
    """The number of these with a label that says what is right."""
    unlabelled: list[CorrectedCaseOut]
    """The first of those that have none: under the corrections they are not judged."""
    unlabelled_total: int
    contradicted: list[CorrectedCaseOut]
    """The first of those whose label says what the benchmark says: they are not corrected."""
    contradicted_total: int
    none_because: str
    """Why this evaluation can have no corrections; empty where it can."""
    may_keep: bool
    kept: OverlayOut | None
    """The kept corrections that say exactly this; None where there are none."""
