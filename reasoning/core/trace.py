"""The results of a run in full: whole sets of terms, which events would cut."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from kgstore.terms import Entity
from reasoning.core.derivation import Derivation, PartialDerivation, SearchStep
from reasoning.core.structure import ROOT, AbstractStructure, InstanceGraph

if TYPE_CHECKING:
    from kgstore.store import GraphStoreError
    from kgstore.terms import Term
    from reasoning.core.derivation import Constraint
    from reasoning.core.errors import ReasoningError


@dataclass(slots=True)
class Trace:
    """Filled in by the engine as it goes, never read by it."""

    structure: AbstractStructure = field(default_factory=lambda: AbstractStructure(()))
    """S_k; without any node while no topic is chosen."""
    graph: InstanceGraph = field(default_factory=lambda: InstanceGraph(()))
    """G_k."""
    constraints: tuple[Constraint, ...] = ()
    position: int | None = None
    """A_pos; None where the run came to none."""
    counted: bool = False
    """Whether the answer is how many ``answers`` there are."""
    answers: tuple[Term, ...] = ()
    """All answers, in the order in which they are reported."""
    fault: ReasoningError | GraphStoreError | None = None
    """What a run that failed could not get over."""

    @property
    def topic(self) -> Entity | None:
        """The topic entity, once it is chosen."""
        roots = self.graph.members[ROOT : ROOT + 1]
        return next((term for members in roots for term in members if isinstance(term, Entity)), None)

    @property
    def derivation(self) -> PartialDerivation | None:
        """The decisions so far: a `Derivation` where the answer position is chosen. None without a topic."""
        topic = self.topic
        if topic is None:
            return None
        steps = tuple(
            SearchStep(node.parent, node.relation)
            for node in self.structure.nodes
            if node.parent is not None and node.relation is not None
        )
        if self.position is None:
            return PartialDerivation(topic, steps, self.constraints, None)
        return Derivation(topic, steps, self.constraints, self.position, self.counted)
