"""Two labels of a question compared, by every measure that applies to both."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Literal, TypeAlias

from reasoning.agreement.compared import Decisions, canonical
from reasoning.agreement.sets import overlap_f1
from reasoning.evaluation.metrics.edit_distance import edit_distance, query_graph

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kgstore.terms import Triple
    from reasoning.agreement.compared import ComparedLabel
    from reasoning.core.derivation import Derivation

StageName: TypeAlias = Literal["link", "search", "prune", "infer"]
STAGES: tuple[StageName, ...] = ("link", "search", "prune", "infer")
"""The topic, the steps, the conditions, the place of the answer."""
SubgraphOf: TypeAlias = "Callable[[Derivation], frozenset[Triple]]"


@dataclass(frozen=True, slots=True)
class PairAgreement:
    """How far two labels of a question agree. What is None cannot be said of these two."""

    first: int | None
    second: int | None
    """Who made them; None where their account is gone."""
    same_kind: bool
    answers: float | None
    """F1 of the answers, from 0 to 1; None where one of them says nothing of answers."""
    same_derivation: bool | None
    """Whether both decide the same but for order; None where one of them is no derivation. So are the next ones."""
    distance: int | None
    """Graph edit distance of the abstract structures, from 0; None as well where it is not found in time."""
    stages: dict[StageName, float] | None
    """F1 of the decisions of each stage, from 0 to 1."""
    parted: StageName | None
    """The first stage in which they differ; None where they do not."""
    facts: float | None
    """F1 of the gold subgraphs as sets of triples; None where one of them has none, or the graph cannot be read."""

    @property
    def agreed(self) -> bool:
        """Whether both say the same: kind, answers, and where both are derivations, all decisions."""
        return self.same_kind and self.answers in (None, 1.0) and self.same_derivation is not False

    @property
    def rank(self) -> float:
        """From 0 to 1, for a list of the worst: how far the answers agree, or where one says none, the kinds."""
        return float(self.same_kind) if self.answers is None else self.answers


def compare(first: ComparedLabel, second: ComparedLabel, subgraph_of: SubgraphOf | None) -> PairAgreement:
    """Compare two labels; without ``subgraph_of``, only those gold subgraphs that need no graph.

    The graph is not asked about two derivations that are the same.

    Raises:
        GraphStoreError: ``subgraph_of`` cannot read the graph.

    """
    same: bool | None = None
    distance: int | None = None
    stages: dict[StageName, float] | None = None
    if first.derivation is not None and second.derivation is not None:
        same = canonical(first.derivation) == canonical(second.derivation)
        graphs = query_graph(first.derivation), query_graph(second.derivation)
        distance = 0 if same else edit_distance(*graphs)
        stages = _stages(Decisions.of(first.derivation), Decisions.of(second.derivation))
    parted = None if stages is None else next((stage for stage in STAGES if stages[stage] < 1), None)
    return PairAgreement(
        first=first.who,
        second=second.who,
        same_kind=first.kind == second.kind,
        answers=None if first.answers is None or second.answers is None else overlap_f1(first.answers, second.answers),
        same_derivation=same,
        distance=distance,
        stages=stages,
        parted=parted,
        facts=1.0 if same else _facts(first, second, subgraph_of),
    )


def compare_all(labels: Sequence[ComparedLabel], subgraph_of: SubgraphOf | None) -> tuple[PairAgreement, ...]:
    """Every two labels of a question.

    Raises:
        GraphStoreError: ``subgraph_of`` cannot read the graph.

    """
    return tuple(compare(first, second, subgraph_of) for first, second in combinations(labels, 2))


def _stages(first: Decisions, second: Decisions) -> dict[StageName, float]:
    return {
        "link": float(first.topic == second.topic),
        "search": overlap_f1(first.steps, second.steps),
        "prune": overlap_f1(first.constraints, second.constraints),
        "infer": float(first.answer == second.answer),
    }


def _facts(first: ComparedLabel, second: ComparedLabel, subgraph_of: SubgraphOf | None) -> float | None:
    found = [_facts_of(label, subgraph_of) for label in (first, second)]
    one, other = found
    return None if one is None or other is None else overlap_f1(one, other)


def _facts_of(label: ComparedLabel, subgraph_of: SubgraphOf | None) -> frozenset[Triple] | None:
    if label.derivation is None or subgraph_of is None:
        return label.facts
    return subgraph_of(label.derivation)
