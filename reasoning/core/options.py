"""The options among which a scorer chooses, and the state that it decides in."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, TypeAlias

from kgstore.terms import Entity

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kgstore.terms import Term, TermKind
    from reasoning.core.derivation import Constraint, Count, SearchStep
    from reasoning.core.structure import AbstractStructure


class Stage(StrEnum):
    """The stages of a run, in their order; one scorer serves them all.

    READS has the last three and is given the topic entity. Terminal and screens take the names, the labels and the
    order from here: `manage.py export_openapi` writes them down for the frontend.
    """

    LINK = "link"
    SEARCH = "search"
    PRUNE = "prune"
    INFER = "infer"

    @property
    def label(self) -> str:
        """What people read."""
        return _STAGE_LABELS[self]


_STAGE_LABELS = {Stage.LINK: "Begin", Stage.SEARCH: "Search", Stage.PRUNE: "Prune", Stage.INFER: "Answer"}


@dataclass(frozen=True, slots=True)
class Mention:
    """A part of the question, ``question[start:end]``, that names a term."""

    start: int
    end: int
    term: Term
    unit: str = ""
    """In which unit a number is; empty where the question says none."""
    is_converted: bool = False
    """Whether the question says it in another unit."""


Choice: TypeAlias = "Term | SearchStep | Constraint | int | Count | None"
"""A decision: a topic entity, a search step, a constraint, an answer position, to count the answers, or None for
nothing more of a stage."""

COUNT_PLACE = (Stage.INFER, 1)
"""The stage and the number of the decision to count, or with None not to. Words make it, so no pool offers it."""

Choices: TypeAlias = "Mapping[tuple[Stage, int], Choice]"
"""Given decisions by stage and by their number within it, from 0."""


@dataclass(frozen=True, slots=True)
class NoneOption:
    """None: nothing more of this stage."""

    @property
    def choice(self) -> Choice:
        """The decision that taking it makes."""
        return None


@dataclass(frozen=True, slots=True)
class StepOption:
    """Search: follow a relation that entities of a node really have."""

    step: SearchStep
    entities: int
    """How many entities of the node have the relation."""
    facts: int
    """How many triples it would add."""
    kind: TermKind
    """What the new node would hold."""
    reaches: tuple[Entity, ...] = ()
    """The entities named in the question that it leads to."""

    @property
    def choice(self) -> Choice:
        """The decision that taking it makes."""
        return self.step


@dataclass(frozen=True, slots=True)
class ConstraintOption:
    """Prune: keep only what meets a constraint."""

    constraint: Constraint

    @property
    def choice(self) -> Choice:
        """The decision that taking it makes."""
        return self.constraint


@dataclass(frozen=True, slots=True)
class AnswerOption:
    """Infer: the answer is what stands at a position."""

    position: int

    @property
    def choice(self) -> Choice:
        """The decision that taking it makes."""
        return self.position


@dataclass(frozen=True, slots=True)
class TopicOption:
    """Link: the question is about this entity."""

    mention: Mention
    """Where the question names it; ``mention.term`` is the entity."""
    types: tuple[str, ...]
    """Its Freebase types, the most telling first."""
    popularity: int
    """How many triples it stands in."""
    log_odds: float = field(default=0.0, compare=False)
    """By its name and what it is (`reasoning.question.topics.ranking`); comparable within a pool alone."""

    @property
    def choice(self) -> Choice:
        """The decision that taking it makes."""
        return self.mention.term


Option: TypeAlias = TopicOption | NoneOption | StepOption | ConstraintOption | AnswerOption


@dataclass(frozen=True, slots=True)
class OptionPool:
    """Every option that is possible now, and None where the stage may end (READS, section 4.1)."""

    options: tuple[Option, ...]

    def __len__(self) -> int:
        return len(self.options)


@dataclass(frozen=True, slots=True)
class DecisionState:
    """What a scorer knows before it sees the options: the Q and S_k of P(option given S_k, Q)."""

    stage: Stage
    question: str
    structure: AbstractStructure
    """Without any node while the topic is being chosen."""
    topic: Mention | None
    """Where the question names the topic entity; None where it does not, or while the topic is being chosen."""
    targets: tuple[Mention, ...] = ()
    """The entities, numbers and dates that the question names besides the topic; of namesakes, each."""
    constraints: tuple[Constraint, ...] = ()
    """Those chosen so far."""
    labels: Mapping[Term, str] = field(default_factory=dict)
    """Names for the terms of ``topic`` and ``targets``."""
    reached: tuple[Term, ...] = ()
    """The targets that G_k holds."""
    types: Mapping[Entity, tuple[str, ...]] = field(default_factory=dict)
    """The Freebase types of the entities of ``topic`` and ``targets``, the most telling first."""

    @property
    def name_spans(self) -> list[tuple[int, int]]:
        """Where the question names entities: begin and end of each."""
        named = (self.topic, *self.targets)
        return [(one.start, one.end) for one in named if one is not None and isinstance(one.term, Entity)]

    @property
    def target_entities(self) -> list[frozenset[Entity]]:
        """The entities among the targets; namesakes, which stand at one place, together."""
        found: dict[tuple[int, int], frozenset[Entity]] = {}
        for one in self.targets:
            if isinstance(one.term, Entity):
                place = (one.start, one.end)
                found[place] = found.get(place, frozenset()) | {one.term}
        return list(found.values())
