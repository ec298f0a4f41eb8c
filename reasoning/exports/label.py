"""A label as it is exported, in any format: what it says, and the names of what it names."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kgstore.terms import Entity, Term, Triple
    from reasoning.core.derivation import Derivation

ExportedKind: TypeAlias = Literal["derivation", "facts", "answers", "unanswerable", "ambiguous", "reword", "benchmark"]
"""What a label says; see ``docs/how-to/annotating.md``."""


@dataclass(frozen=True, slots=True)
class ExportedLabel:
    """One label of one question."""

    id: str
    """Unique within an export."""
    question_id: str
    """In its dataset."""
    text: str
    """The question."""
    kind: ExportedKind
    group: str = ""
    """The key that keeps related questions on one side of a split; the id of the question if empty."""
    graph: str = ""
    """The name of the graph that it was labelled over."""
    topic: Entity | None = None
    answers: tuple[Term, ...] = ()
    """Those that it gave on its graph when it was handed in; their number where its derivation counts them."""
    derivation: Derivation | None = None
    """Of a label that is one."""
    facts: tuple[Triple, ...] = ()
    """The gold subgraph: what a label that is a set of facts says, and what a derivation rests on where it is known."""
    missing: str = ""
    """What the graph lacks, of a label that says so."""
    names: Mapping[Term, str] = field(default_factory=dict)
    """Of entities; one that has none is missing."""
    of_round: bool = False
    """Whether it was made in a qualification round, which is no label of the project."""
    about: Mapping[str, Any] = field(default_factory=dict)
    """All else that is known of it, as plain values: who made it, when, every field of its draft."""

    def name(self, term: Term) -> str:
        """What a term is called; an entity without a name by its id."""
        return self.names.get(term) or str(term)
