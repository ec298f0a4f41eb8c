"""API schemas of agreement."""

from datetime import datetime
from uuid import UUID

from ninja import Schema

from reasoning.agreement.pairs import StageName
from reasoning.agreement.project import AgreementMeasures, PeopleAgreement, StageAgreement
from reasoning.agreement.suggested import SuggestionBias
from webapp.labelling.projects.draft import LabelKind
from webapp.platform.work.states import Status


class AgreementPersonOut(Schema):
    """A user who labelled."""

    id: int
    display_name: str
    questions: int
    """The number of questions."""


class AgreementFiguresOut(Schema):
    """All figures of a project."""

    questions: int
    """With a label at least."""
    compared: int
    """With two at least."""
    labels: int
    agreed: int
    """The number of compared questions whose labels agree in everything: kind, answers, and every decision."""
    measures: AgreementMeasures
    people: list[AgreementPersonOut]
    """Those who labelled most."""
    people_total: int
    pairs: list[PeopleAgreement]
    """Every two of these people who share a question."""
    pairs_total: int
    """Of all people."""
    pairs_of_derivations: int
    stages: list[StageAgreement]
    bias: SuggestionBias | None
    """What seeing a suggestion does to labels; None where nothing is suggested. Rightness is for managers alone."""
    graph_fault: str
    """Why facts were not read off the graph, in words; empty where they were."""


class AgreementWorkOut(Schema):
    """How far a worker is that compares the labels of a large project."""

    status: Status
    reason: str
    """Why it failed, and what to do."""
    waits: str | None
    """Why it does not go on, in words, where it should."""
    done: int
    wanted: int


class AgreementOut(Schema):
    """How far those agree who labelled the same questions of a project."""

    project: UUID
    title: str
    at_once: bool
    """Whether the figures are computed as they are asked for, and so never out of date."""
    work: AgreementWorkOut | None
    """None where they are, or were never computed."""
    out_of_date: bool
    """Whether labels came in or were taken up again since."""
    found_at: datetime | None
    figures: AgreementFiguresOut | None
    """None while there are none."""


class AgreementLabelOut(Schema):
    """Who said what kind of thing of a question."""

    who: str
    """Empty where their account is gone."""
    kind: LabelKind


class AgreementTaskOut(Schema):
    """How far the labels of a task agree; each figure is the mean of their pairs."""

    id: int
    position: int
    question: str
    question_id: str
    labels: list[AgreementLabelOut]
    agreed: bool
    """Whether all say the same."""
    answers: float | None
    """F1 of the answers; None where no two labels say any."""
    same_derivation: float | None
    """Share of pairs of derivations that decide the same; None where there is none. So are the next ones."""
    distance: float | None
    """Graph edit distance."""
    facts: float | None
    """F1 of the gold subgraphs."""
    parted: StageName | None
    """The earliest stage in which two of them differ."""
    shown: bool | None
    """Whether who labelled it saw a suggestion, or was to label blind; None where neither was so."""


class AgreementTaskPageOut(Schema):
    """Tasks with two labels or more, the worst agreement first."""

    tasks: list[AgreementTaskOut]
    total: int
    """Of those asked for."""
    compared: int
    """Of all."""
