"""The options among which a scorer chooses, and the prompt it sees them with."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kgstore.terms import Entity, Term, TermKind
    from reasoning.derivation import Constraint, SearchStep
    from reasoning.structure import AbstractStructure


class Stage(StrEnum):
    """The three stages of READS; one scorer serves them all."""

    SEARCH = "search"
    PRUNE = "prune"
    INFER = "infer"


@dataclass(frozen=True, slots=True)
class NoneOption:
    """None: nothing more of this stage."""


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


@dataclass(frozen=True, slots=True)
class ConstraintOption:
    """Prune: keep only what meets a constraint."""

    constraint: Constraint


@dataclass(frozen=True, slots=True)
class AnswerOption:
    """Infer: the answer is what stands at a position."""

    position: int


Option: TypeAlias = NoneOption | StepOption | ConstraintOption | AnswerOption


@dataclass(frozen=True, slots=True)
class OptionPool:
    """Every option that is possible now, and None where the stage may end (READS, section 3.1)."""

    options: tuple[Option, ...]

    def __len__(self) -> int:
        return len(self.options)


@dataclass(frozen=True, slots=True)
class Mention:
    """A part of the question, ``question[start:end]``, that names a term."""

    start: int
    end: int
    term: Term


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a scorer is told before it sees the options: the Q and S_k of P(option given S_k, Q)."""

    stage: Stage
    question: str
    structure: AbstractStructure
    topic: Mention | None
    """Where the question names the topic entity; None where the asker chose an entity that it does not name."""
    targets: tuple[Mention, ...] = ()
    """The entities, numbers and dates that the question names beside the topic."""
    constraints: tuple[Constraint, ...] = ()
    """Those chosen so far."""
    labels: Mapping[Term, str] = field(default_factory=dict)
    """Names for the terms of ``topic`` and ``targets``."""
    reached: tuple[Term, ...] = ()
    """The targets that G_k holds."""
