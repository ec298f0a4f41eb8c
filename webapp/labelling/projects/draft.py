"""The draft of a label: what all moves of a person come to, and one move.

A move names the fields that it changes, each with the value it had and the value it gets. Moves are only appended; the
draft is what they fold to, and taking a move back is one more move with both values swapped.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias, cast
from uuid import UUID  # noqa: TC003 - pydantic reads it

from ninja import Field
from pydantic import ConfigDict

from kgstore.terms import Entity, Relation, TermError, Triple, parse_term
from reasoning.labels.decided import DecidedSoFar
from webapp.asking.runs.changes import ConditionIn, Id, Place, StepIn, choice_of
from webapp.platform.http.errors import ProductError
from webapp.platform.http.inputs import LARGEST, Input

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kgstore.terms import Term
    from reasoning.core.derivation import Constraint, Derivation, SearchStep

MAX_TEXT_LENGTH = 2_000
"""Maximum of characters of a note or a rewording."""
MAX_MARKED = 1_000
MAX_FACTS = 200
"""Maximum of facts of a label that is a set of facts."""

LabelKind: TypeAlias = Literal["derivation", "facts", "answers", "unanswerable", "ambiguous", "reword", "benchmark"]
"""What a label says: the derivation of the answers; a set of facts; the answers alone; that the graph cannot answer
this; that it has several readings; that the question has to be reworded; that the benchmark's answers are not right."""
Words: TypeAlias = Annotated[str, Field(max_length=MAX_TEXT_LENGTH)]
TermIn: TypeAlias = Annotated[str, Field(min_length=1, max_length=MAX_TEXT_LENGTH)]
"""A mid, or a literal such as ``"2011"^^xsd:date``."""


class FactIn(Input):
    """A triple."""

    subject: Id
    relation: Id
    object: TermIn


class MissingIn(Input):
    """What the graph lacks."""

    what: Literal["entity", "fact", "relation"]
    note: Words = ""


class FactReportIn(Input):
    """That a fact of the graph is wrong, or that one is missing there."""

    says: Literal["wrong", "missing"]
    fact: FactIn
    note: Words = ""


class LabelReadingIn(Input):
    """One way to read the question, of several."""

    topic: Id
    steps: Annotated[list[StepIn], Field(max_length=20)]
    conditions: Annotated[list[ConditionIn], Field(max_length=20)]
    answer: Place
    counted: bool = False
    """Whether its answers are counted."""


class Draft(Input):
    """All that a label says so far."""

    kind: LabelKind = "derivation"
    topic: Id | None = None
    """The mid of the topic entity."""
    steps: list[StepIn] = Field(default_factory=list, max_length=20)
    steps_ended: bool = False
    """Whether no further step is needed."""
    conditions: list[ConditionIn] = Field(default_factory=list, max_length=20)
    conditions_ended: bool = False
    answer: Place | None = None
    """The position of S_k where the answer stands."""
    counted: bool = False
    """Whether the answer is how many terms stand there."""
    marked: list[TermIn] = Field(default_factory=list, max_length=MAX_MARKED)
    """The terms that are marked as answers."""
    facts: list[FactIn] = Field(default_factory=list, max_length=MAX_FACTS)
    """For a label that is a set of facts."""
    missing: MissingIn | None = None
    readings: list[LabelReadingIn] = Field(default_factory=list, max_length=10)
    """For an ambiguous question: the readings that were put aside so far."""
    rewording: Words = ""
    benchmark: Literal["wrong", "incomplete", "outdated"] | None = None
    reports: list[FactReportIn] = Field(default_factory=list, max_length=100)
    note: Words = ""
    flagged: bool = False
    """Whether another person should look at it."""


def _no_defaults(schema: dict[str, Any]) -> None:
    """What is not sent of a part of a draft has no value; a schema with defaults would suggest one."""
    for each in schema["properties"].values():
        each.pop("default", None)


class DraftPart(Draft):
    """Some fields of a draft: only those count that were sent."""

    model_config = ConfigDict(json_schema_extra=_no_defaults)


class MoveIn(Input):
    """One move: which fields of the draft change, from what, to what."""

    id: UUID = Field(strict=False)
    """Drawn by the browser, so that a move that is sent twice counts once."""
    was: DraftPart
    """The values before."""
    now: DraftPart
    """The values after, of the same fields."""
    undoes: Annotated[int, Field(ge=1, le=LARGEST)] | None = None
    """The number of the move that this one takes back."""


def draft_moved(draft: Draft, move: MoveIn) -> Draft:
    """The draft after one move more.

    Raises:
        ProductError: it names no field or others after than before, a field had another value, or a decision or a term
            cannot be read.

    """
    was, now = (part.model_dump(mode="json", exclude_unset=True) for part in (move.was, move.now))
    if not now or was.keys() != now.keys():
        message = "A move names the same fields of the draft before and after, at least one."
        raise ProductError(422, "unreadable_move", message)
    plain = draft.model_dump(mode="json")
    if different := [name for name, value in was.items() if plain[name] != value]:
        message = f"The draft has another {different[0]} than this move begins with. Reload the task."
        raise ProductError(409, "draft_moved", message, fields=different)
    moved = Draft.model_validate({**plain, **now})
    decided_of(moved)
    terms_named(moved)
    return moved


def decided_of(draft: Draft) -> DecidedSoFar:
    """The decisions of a draft as the engine takes them.

    Raises:
        ProductError: a relation or a target is not written as one.

    """
    return DecidedSoFar(
        topic=None if draft.topic is None else Entity(draft.topic),
        steps=tuple(cast("SearchStep", choice_of(step)) for step in draft.steps),
        steps_ended=draft.steps_ended,
        constraints=tuple(cast("Constraint", choice_of(condition)) for condition in draft.conditions),
        constraints_ended=draft.conditions_ended,
        answer_position=draft.answer,
        counted=draft.counted,
    )


def terms_of(written: Iterable[str]) -> list[Term]:
    """Terms from their textual forms.

    Raises:
        ProductError: one is none.

    """
    return [_term(each) for each in written]


def _term(written: str) -> Term:
    try:
        return parse_term(written)
    except TermError as error:
        raise ProductError(422, "unreadable_term", f"“{written}” is no term: {error}.") from error


def facts_of(draft: Draft) -> tuple[Triple, ...]:
    """The facts that a draft chose.

    Raises:
        ProductError: the object of one is no term.

    """
    objects = terms_of(fact.object for fact in draft.facts)
    return tuple(
        Triple(Entity(fact.subject), fact.relation, end) for fact, end in zip(draft.facts, objects, strict=True)
    )


def terms_named(draft: Draft) -> list[Term]:
    """The terms that a draft names besides its decisions: what is marked, put aside, chosen or reported.

    Raises:
        ProductError: one of them is none.

    """
    facts = [*draft.facts, *(report.fact for report in draft.reports)]
    conditions = [condition for reading in draft.readings for condition in reading.conditions]
    mids = {reading.topic for reading in draft.readings} | {fact.subject for fact in facts}
    written = (
        set(draft.marked)
        | {fact.object for fact in facts}
        | {condition.target for condition in conditions if condition.target is not None}
    )
    return [*(Entity(mid) for mid in sorted(mids)), *terms_of(sorted(written))]


def kinds_named(draft: Draft) -> frozenset[str]:
    """The types among the targets of a draft's conditions, its readings' included."""
    conditions = [*draft.conditions, *(condition for reading in draft.readings for condition in reading.conditions)]
    return frozenset(each.target for each in conditions if each.operator == "kind" and each.target is not None)


def relations_named(draft: Draft) -> list[Relation]:
    """The relations that a draft names besides its decisions."""
    facts = [*draft.facts, *(report.fact for report in draft.reports)]
    steps = {step.relation for reading in draft.readings for step in reading.steps}
    return [Relation.parse(each) for each in sorted(steps | {fact.relation for fact in facts})]


def reading_of(derivation: Derivation) -> LabelReadingIn:
    """A derivation as a draft holds it."""
    return LabelReadingIn(
        topic=derivation.topic.mid,
        steps=[StepIn(kind="step", position=step.position, relation=str(step.relation)) for step in derivation.steps],
        conditions=[
            ConditionIn(
                kind="constraint",
                position=constraint.position,
                operator=constraint.operator.value,
                target=None if constraint.target is None else str(constraint.target),
            )
            for constraint in derivation.constraints
        ],
        answer=derivation.answer_position,
        counted=derivation.counted,
    )
