"""What may be decided otherwise, as requests and rows write it down."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from ninja import Field
from pydantic import TypeAdapter

from kgstore.terms import Entity, Relation, TermError, parse_term
from reasoning.core.derivation import Constraint, Operator, SearchStep
from reasoning.core.options import Choice, Stage
from reasoning.run.continuation import Change, EndStage, Insert, Remove, Replace, TakeReading
from webapp.platform.http.errors import ProductError
from webapp.platform.http.inputs import LARGEST, MAX_NAME_LENGTH, Input

Place: TypeAlias = Annotated[int, Field(ge=0, le=LARGEST)]
Id: TypeAlias = Annotated[str, Field(min_length=1, max_length=MAX_NAME_LENGTH)]


class NothingMoreIn(Input):
    """Nothing more of the stage."""

    kind: Literal["none"]


class TopicIn(Input):
    """The question is about this entity."""

    kind: Literal["topic"]
    entity: Id


class StepIn(Input):
    """Follow a relation from a node of S_k; a caret before it follows it backwards."""

    kind: Literal["step"]
    position: Place
    relation: Id


class ConditionIn(Input):
    """Keep only what meets a condition; the question need not name its target."""

    kind: Literal["constraint"]
    position: Place
    operator: Literal["=", "<", "<=", ">", ">=", "min", "max", "holds", "kind"]
    target: Annotated[str, Field(min_length=1, max_length=MAX_NAME_LENGTH)] | None = None
    """A mid, a literal such as ``"2011"^^xsd:date``, or of a ``kind`` a type; left out for ``min`` and ``max``, or
    their place from 2 on: ``"2"^^xsd:integer``."""


class AnswerPlaceIn(Input):
    """The answer stands at a node of S_k."""

    kind: Literal["answer"]
    position: Place


ChoiceIn: TypeAlias = Annotated[
    NothingMoreIn | TopicIn | StepIn | ConditionIn | AnswerPlaceIn, Field(discriminator="kind")
]


class _ChangeIn(Input):
    stage: Literal["link", "search", "prune", "infer"]
    number: Place
    """Which decision of the stage, from 0."""
    later: Literal["keep", "ask"] = "ask"
    """Whether the decisions after it are kept where they still fit, or made again by the model."""


class ReplaceIn(_ChangeIn):
    """Another choice in the place of a decision."""

    kind: Literal["replace"]
    choice: ChoiceIn


class InsertIn(_ChangeIn):
    """One decision more, before the one that has this number."""

    kind: Literal["insert"]
    choice: ChoiceIn


class RemoveIn(_ChangeIn):
    """A decision is taken out, with all that grew from it, and is not chosen again."""

    kind: Literal["remove"]


class EndIn(_ChangeIn):
    """The stage ends where this decision was."""

    kind: Literal["end"]


class ReadingIn(Input):
    """Another reading that the run kept."""

    kind: Literal["reading"]
    index: Place
    """Among the readings that its last event tells, from 0."""


ChangeIn: TypeAlias = Annotated[ReplaceIn | InsertIn | RemoveIn | EndIn | ReadingIn, Field(discriminator="kind")]
"""One change of a run."""

CHANGE: TypeAdapter[ChangeIn] = TypeAdapter(ChangeIn)
_CHOICES = {"link": ("topic",), "search": ("step", "none"), "prune": ("constraint", "none"), "infer": ("answer",)}
"""The kinds of choices, by stage."""


def change_of(wanted: ChangeIn) -> Change:
    """The change that a request or a row means.

    Raises:
        ProductError: the choice is none of its stage, or no relation or target is written so.

    """
    if isinstance(wanted, ReadingIn):
        return TakeReading(wanted.index)
    stage = Stage(wanted.stage)
    if isinstance(wanted, RemoveIn):
        return Remove(stage, wanted.number)
    if isinstance(wanted, EndIn):
        return EndStage(stage, wanted.number)
    if wanted.choice.kind not in _CHOICES[wanted.stage]:
        kinds, kind = " or ".join(_CHOICES[wanted.stage]), wanted.choice.kind
        message = f"In the stage “{stage.label}”, a choice is of the kind {kinds}; this one is of the kind {kind}."
        raise ProductError(422, "unsuitable_choice", message, stage=wanted.stage)
    change = Replace if isinstance(wanted, ReplaceIn) else Insert
    return change(stage, wanted.number, choice_of(wanted.choice))


def later_of(wanted: ChangeIn) -> Literal["keep", "ask"]:
    """What becomes of the decisions after the change; a reading has none that are open."""
    return "keep" if isinstance(wanted, ReadingIn) else wanted.later


def choice_of(wanted: ChoiceIn) -> Choice:
    """The choice that a request or a row means.

    Raises:
        ProductError: no relation or target is written so.

    """
    try:
        match wanted:
            case TopicIn(entity=mid):
                return Entity(mid)
            case StepIn(position=position, relation=relation):
                return SearchStep(position, Relation.parse(relation))
            case ConditionIn(position=position, operator=operator, target=target):
                return Constraint(position, Operator(operator), None if target is None else parse_term(target))
            case AnswerPlaceIn(position=position):
                return position
            case NothingMoreIn():
                return None
    except TermError as error:
        raise ProductError(422, "unreadable_choice", f"This choice cannot be read: {error}") from error
