"""A question of a benchmark, whatever file it came from. Evaluation and training read it; the engine does not."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kgstore.terms import Entity, Term
    from reasoning.derivation import Derivation

Split: TypeAlias = Literal["train", "validation"]

_VALIDATION_BYTES = 64
"""Of 256: one question in four."""


@dataclass(frozen=True, slots=True)
class GoldParse:
    """One reading of a question that the benchmark accepts."""

    topic: Entity | None
    """The topic entity; None where the benchmark names none."""
    answers: frozenset[Term]
    """Empty where the benchmark says that there is no answer."""
    derivation: Derivation | None
    """None where the benchmark gives no way to the answer, or one that no derivation expresses."""
    problem: str = ""
    """Why there is no derivation, in a few fixed words that can be counted; empty where there is one."""


@dataclass(frozen=True, slots=True)
class BenchmarkQuestion:
    """A question in one wording, and every reading of it that is accepted."""

    id: str
    """Unique within its file."""
    text: str
    parses: tuple[GoldParse, ...]
    """The benchmark's first reading comes first; empty for a question that the benchmark could not parse."""
    group: str = ""
    """What keeps wordings together: questions of one group fall on the same side of a split; the id if empty."""
    labels: Mapping[str, str] = field(default_factory=dict)
    """What the benchmark says of it, such as ``{"hops": "2", "type": "actor_to_movie_to_year"}``."""
    row: str = ""
    """The row of the file that holds the question's own graph, in formats where each question has one."""

    @property
    def split(self) -> Split:
        """Validation for one group in four, by the first byte of the group's SHA-256: 0 to 63."""
        first = hashlib.sha256((self.group or self.id).encode()).digest()[0]
        return "validation" if first < _VALIDATION_BYTES else "train"

    @property
    def topic(self) -> Entity | None:
        """The topic entity of the first reading that names one."""
        return next((parse.topic for parse in self.parses if parse.topic is not None), None)
