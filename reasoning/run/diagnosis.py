"""What the diagnosis of a strategy is given, and the record of what it finds.

A strategy with error classes of its own registers a function that finds them (`StrategyEntry.diagnose`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Self, TypeAlias, get_args

from reasoning.core.plain import PlainRecord

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from kgstore.store import GraphStore
    from kgstore.terms import Term
    from reasoning.core.blame import Blame
    from reasoning.core.switches import HasOptions
    from reasoning.core.trace import Trace
    from reasoning.events import StageEvent

DogClass: TypeAlias = Literal["relation", "stopping", "simplification", "generation", "aliasing", "other"]
"""relation: the filter left the way to the answer. stopping: a try said enough too early, or not enough too late.
simplification: a debate took out the words that the next relation needed. generation: the facts hold the answer, and
another one was given first. aliasing: the first answer is a gold answer by another name. other: none of these."""
DOG_CLASSES: tuple[DogClass, ...] = get_args(DogClass)


@dataclass(frozen=True, slots=True)
class DogDiagnosis(PlainRecord):
    """Why an answer of DoG is wrong."""

    name: DogClass
    round: int | None = None
    """The round whose filter, try or debate went wrong, from 1; None where no round did."""
    why: str = ""
    """In a sentence."""

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> Self:
        """See `PlainRecord.from_json`.

        Raises:
            TypeError, ValueError: a part is missing or unknown.

        """
        if document.get("name") not in DOG_CLASSES:
            raise ValueError(f"{document.get('name')!r} is no error class of DoG")
        return cls(**document)


FAILED = DogDiagnosis("other", None, "The run failed.")


@dataclass(frozen=True, slots=True)
class WrongAnswer:
    """A run whose first answer is wrong."""

    question: str
    store: GraphStore
    trace: Trace
    """What the run came to."""
    emitted: Sequence[StageEvent]
    """Its events; empty where they were not kept."""
    blame: Blame | None
    has_failed: bool
    is_alias: bool
    """Whether the first answer is a gold answer by another name."""
    other_reason: str
    """Why no decision of the search is to blame, in a sentence; empty where one may be."""
    is_answer: Callable[[Collection[Term]], bool]
    """Whether a gold answer is among some terms."""
    options: HasOptions
    """Of the strategy, as they were chosen."""


Diagnose: TypeAlias = "Callable[[WrongAnswer], DogDiagnosis | None]"
"""Finds the error class of a wrong answer; None where it is not known.

Raises:
    GraphStoreError: the graph cannot be read.

"""
