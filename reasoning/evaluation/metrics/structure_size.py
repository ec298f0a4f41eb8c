"""How large gold structures are: leaves and edges, as READS counts them in Table 12, and hops."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from reasoning.core.derivation import Operator
from reasoning.core.structure import ROOT
from reasoning.datasets.question import RefusedQuestion

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from reasoning.core.derivation import Derivation
    from reasoning.datasets.question import BenchmarkQuestion


@dataclass(frozen=True, slots=True, order=True)
class StructureSize:
    """The size of a derivation's structure."""

    leaves: int
    edges: int

    @property
    def branches(self) -> int:
        """The leaves besides the topic entity."""
        return self.leaves - 1


def structure_size(derivation: Derivation) -> StructureSize:
    """Count the leaves and edges of S_k.

    Every search step is an edge: literals that the query names too, and what it ranks by. So is every kind, as the edge
    to the type that a query names. Leaves are the positions from which no step leads on, and the start entity, wherever
    it stands. So a chain from topic to answer has two leaves, and still has two where the answer stands inside and the
    far end is a condition on it. Each bound of a date range is a leaf and an edge of its own, also where the range is
    one condition (`reasoning.facts.validity`); docs/explanation/gold.md compares this with other readings.
    """
    held = {c.position for c in derivation.constraints if c.operator is Operator.HOLDS}
    kinds = [each.position for each in derivation.constraints if each.operator is Operator.KIND]
    inner = {step.position for step in derivation.steps} | held | set(kinds)
    ends = sum(position not in inner for position in range(1, len(derivation.steps) + 1))
    more = 2 * len(held) + len(kinds)
    return StructureSize(1 + ends + more, len(derivation.steps) + more)


def hops(derivation: Derivation) -> int:
    """The steps from the topic entity to the answer; a relation joined over a dropped mediator is one."""
    count, at = 0, derivation.answer_position
    while at != ROOT:
        count, at = count + 1, derivation.steps[at - 1].position
    return count


@dataclass(slots=True)
class StructureTable:
    """Questions by the size of their structure, and those that have none by reason."""

    sizes: Counter[StructureSize] = field(default_factory=Counter)
    left_out: Counter[str] = field(default_factory=Counter)

    def add(self, questions: Iterable[BenchmarkQuestion | RefusedQuestion]) -> None:
        """Count questions, each by its first parse that has a derivation; else by the first parse's reason."""
        for question in questions:
            if isinstance(question, RefusedQuestion):
                self.left_out[question.reason] += 1
                continue
            derivation = next((p.derivation for p in question.parses if p.derivation is not None), None)
            if derivation is not None:
                self.sizes[structure_size(derivation)] += 1
            else:
                self.left_out[question.gold_problem] += 1

    def by_leaves(self) -> Mapping[int, Mapping[int, int]]:
        """Leaves, then edges, then how many questions; both in order."""
        rows: dict[int, dict[int, int]] = {}
        for size, count in sorted(self.sizes.items()):
            rows.setdefault(size.leaves, {})[size.edges] = count
        return rows
