"""Whether two derivations ask the same, however their steps are numbered."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from reasoning.compiling.plan import Plan
from reasoning.core.structure import ROOT

if TYPE_CHECKING:
    from kgstore.terms import Entity
    from reasoning.core.derivation import Derivation

Demands: TypeAlias = tuple[tuple[str, ...], tuple[str, ...]]
Branch: TypeAlias = "tuple[str, bool, Demands, tuple[Branch, ...]]"


def asks(derivation: Derivation) -> tuple[Entity, Demands, tuple[Branch, ...], bool]:
    """What the queries of a derivation ask, the same for two that differ in nothing but the order of steps.

    Branches that no condition and no answer hangs on are left out, as they are of queries. The last part says whether
    the answers are counted.

    Raises:
        NoQueryError: it has no answer position below the topic entity.

    """
    plan = Plan(derivation)

    def demands(position: int) -> Demands:
        compared = sorted(
            {f"{c.operator} {c.target}" for c in plan.comparisons(position)}
            | {f"kind {kind}" for kind in plan.kinds(position)}
        )
        ranked = [f"{number} {c.operator}" for number, c in enumerate(plan.rankings) if c.position == position]
        return tuple(compared), tuple(ranked)

    def branch(position: int) -> Branch:
        children = sorted(branch(child) for child in plan.children(position, plan.asked))
        is_answer = position == derivation.answer_position
        return str(plan.relation(position)), is_answer, demands(position), tuple(children)

    grown = sorted(branch(child) for child in plan.children(ROOT, plan.asked))
    return derivation.topic, demands(ROOT), tuple(grown), derivation.counted
