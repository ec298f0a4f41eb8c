"""How large gold structures are: leaves and edges, as READS counts them in Table 12."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from kgstore.terms import Date
from reasoning.derivation import Operator

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from reasoning.datasets.question import BenchmarkQuestion
    from reasoning.derivation import Derivation

NO_PARSE = "the benchmark has no parse"

_SIDES = (Operator.AT_MOST, Operator.AT_LEAST)


@dataclass(frozen=True, slots=True, order=True)
class Shape:
    """The size of a derivation's structure."""

    leaves: int
    edges: int


def shape_of(derivation: Derivation) -> Shape:
    """Count the leaves and edges of S_k.

    Every search step is an edge: types and literals that the query names too, and what it ranks by. Leaves are the
    positions from which no step leads on, and the start entity, wherever it stands. So a chain from topic to answer has
    two leaves, and still has two where the answer stands inside and the far end is a condition on it.

    A date range is one constraint, with one leaf and one edge, where both its bounds are the same day: WebQSP's "now",
    2015-08-10. A range over a year has a first and a last day: two bounds, two leaves, two edges. READS says no more
    than that a range counts as one; were every range one leaf, five leaves would be all but absent, whereas its table
    has 131 such questions; docs/gold.md compares the rules.
    """
    inner = {step.position for step in derivation.steps}
    ends = sum(position not in inner for position in range(1, len(derivation.steps) + 1))
    ranges = _one_day_ranges(derivation, inner)
    return Shape(1 + ends - ranges, len(derivation.steps) - ranges)


@dataclass(slots=True)
class StructureTable:
    """Questions by shape, and those that have none by reason."""

    shapes: Counter[Shape] = field(default_factory=Counter)
    left_out: Counter[str] = field(default_factory=Counter)

    def add(self, questions: Iterable[BenchmarkQuestion]) -> None:
        """Count questions, each by its first parse that has a derivation; else by the first parse's reason."""
        for question in questions:
            derivation = next((p.derivation for p in question.parses if p.derivation is not None), None)
            if derivation is not None:
                self.shapes[shape_of(derivation)] += 1
            else:
                self.left_out[question.parses[0].problem if question.parses else NO_PARSE] += 1

    def by_leaves(self) -> Mapping[int, Mapping[int, int]]:
        """Leaves, then edges, then how many questions; both in order."""
        rows: dict[int, dict[int, int]] = {}
        for shape, count in sorted(self.shapes.items()):
            rows.setdefault(shape.leaves, {})[shape.edges] = count
        return rows


def _one_day_ranges(derivation: Derivation, inner: set[int]) -> int:
    """How often two ends that hang on one node keep dates up to a day and from the same day on."""
    sides: defaultdict[tuple[int, Date], dict[Operator, int]] = defaultdict(dict)
    for constraint in derivation.constraints:
        target = constraint.target
        if (
            constraint.operator in _SIDES
            and constraint.position not in inner
            and isinstance(target, Date)
            and target.interval[0] == target.interval[1]
        ):
            parent = derivation.steps[constraint.position - 1].position
            sides[parent, target][constraint.operator] = constraint.position
    return sum(len(set(positions.values())) == len(_SIDES) for positions in sides.values())
