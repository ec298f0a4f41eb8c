"""Evidence paths and what they say together (EPERM, arXiv 2502.16171, sections 3.3 and 3.4).

The weight of a path is the product of its plan's weight and of the scores of the entities on it. The paper's example
shows weights that sum to one, so they are made to (ours). Of one plan only the weightiest path to an entity counts
(ours): others along the same relations say the same thing again, and do not make it truer. Ends of a plan and of one
that goes on from them never answer together (ours): a question means the one or the other.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from kgstore.terms import Term
    from reasoning.core.structure import Fact

Step = TypeVar("Step")
"""A relation of a plan, or the words that it goes by."""


@dataclass(frozen=True, slots=True)
class EvidencePath:
    """A chain of facts along a plan."""

    plan: int
    """Its number."""
    facts: tuple[Fact, ...]
    """From the topic entity on."""
    plan_weight: float
    scores: tuple[float, ...]
    """By fact: how well its target goes with the question."""
    weight: float = 0.0
    """Its share of what all paths have."""

    @property
    def target(self) -> Term:
        """What it leads to."""
        return self.facts[-1].target

    @property
    def position(self) -> int:
        """Where in S_k that stands."""
        return self.facts[-1].position

    @property
    def product(self) -> float:
        """The product of its factors."""
        return self.plan_weight * prod(self.scores)


def best_paths(hops: Sequence[Sequence[Fact]], scores: Sequence[Mapping[Term, float]]) -> dict[Term, tuple[Fact, ...]]:
    """By what the last hop leads to, the facts of the path whose scores have the largest product.

    ``hops`` are the facts of each hop; of equal paths, the one whose last fact comes first. What has no score counts 1.
    """
    best: dict[Term, tuple[float, tuple[Fact, ...]]] = {}
    for hop, (facts, judged) in enumerate(zip(hops, scores, strict=True)):
        reached: dict[Term, tuple[float, tuple[Fact, ...]]] = {}
        for fact in facts:
            weight, before = best.get(fact.source, (0.0, ())) if hop else (1.0, ())
            weight *= judged.get(fact.target, 1.0)
            if (not hop or before) and (fact.target not in reached or weight > reached[fact.target][0]):
                reached[fact.target] = weight, (*before, fact)
        best = reached
    return {target: facts for target, (_, facts) in best.items()}


def shares(paths: Iterable[EvidencePath]) -> list[EvidencePath]:
    """The paths with weights that sum to one, the weightiest first; of equals, those of the earlier plan first."""
    paths = list(paths)
    products = [path.product for path in paths]
    total = sum(products)
    weighed = [
        EvidencePath(path.plan, path.facts, path.plan_weight, path.scores, product / total if total else 1 / len(paths))
        for path, product in zip(paths, products, strict=True)
    ]
    return sorted(weighed, key=lambda path: (-path.weight, path.plan))


def noisy_or(weights: Iterable[float]) -> float:
    """1 - prod(1 - w): that at least one of some paths is right, if each is so by itself."""
    return 1.0 - prod(1.0 - weight for weight in weights)


def answer_together(ways: Iterable[tuple[Step, ...]]) -> frozenset[tuple[Step, ...]]:
    """Of plans, the weightiest first, those that may answer together: none of them begins with another."""
    kept: list[tuple[Step, ...]] = []
    for way in ways:
        if not any(way[: len(other)] == other[: len(way)] for other in kept):
            kept.append(way)
    return frozenset(kept)


def candidates(paths: Sequence[EvidencePath]) -> dict[Term, list[EvidencePath]]:
    """By what they lead to, the paths, the weightiest first; the weightiest candidate first, of equals the first."""
    found: dict[Term, list[EvidencePath]] = {}
    for path in paths:
        found.setdefault(path.target, []).append(path)
    return dict(sorted(found.items(), key=lambda one: -noisy_or(path.weight for path in one[1])))
