"""The metrics, each a small function. ``docs/how-to/evaluation.md`` has them side by side with formulas and sources.

P is the list of predicted answers, the first answer first; G is the set of gold answers.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING

from kgstore.freebase.knowledge import load_knowledge
from kgstore.terms import Direction, Relation

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from kgstore.terms import Term
    from reasoning.core.derivation import Derivation, PartialDerivation


@dataclass(frozen=True, slots=True)
class Comparison:
    """Predicted answers and gold answers."""

    hit: bool
    hit_first: bool
    exact: bool
    precision: float
    recall: float

    @property
    def f1(self) -> float:
        """F1 = 2PR / (P + R) of this question; 0 where both are 0."""
        return harmonic(self.precision, self.recall)


def hit(predicted: Collection[Term], gold: frozenset[Term]) -> bool:
    """Hit: P ∩ G is not empty, or both are. Called Hit in READS; some papers report it as Hits@1."""
    return bool(gold.intersection(predicted)) or not (predicted or gold)


def hit_first(predicted: Sequence[Term], gold: frozenset[Term]) -> bool:
    """True Hits@1: the first of P is in G, or both are empty."""
    return predicted[0] in gold if predicted else not gold


def exact_match(predicted: Collection[Term], gold: frozenset[Term]) -> bool:
    """Exact match of answers: P and G are the same set ("true accuracy" in WebQSP's script)."""
    return gold == set(predicted)


def precision(predicted: Collection[Term], gold: frozenset[Term]) -> float:
    """|P ∩ G| / |P|; with nothing predicted 1.

    As in WebQSP's official script, a wrong answer counts as often as it is predicted, and a right one once.
    """
    if not predicted:
        return 1.0
    right = len(gold.intersection(predicted))
    return right / (right + sum(term not in gold for term in predicted))


def recall(predicted: Collection[Term], gold: frozenset[Term]) -> float:
    """|P ∩ G| / |G|; with no gold answer 1, as WebQSP's official script has it."""
    return len(gold.intersection(predicted)) / len(gold) if gold else 1.0


def compare(predicted: Sequence[Term], gold: frozenset[Term]) -> Comparison:
    """All of these at once. A question without an answer is answered rightly, by all of them, with nothing."""
    return Comparison(
        hit(predicted, gold),
        hit_first(predicted, gold),
        exact_match(predicted, gold),
        precision(predicted, gold),
        recall(predicted, gold),
    )


def best_over(predicted: Sequence[Term], golds: Sequence[frozenset[Term]]) -> tuple[Comparison, int]:
    """The comparison with the gold answers of the parse whose F1 is best; and which parse it is.

    WebQSP's official rule: of equals, one with answers comes before one without, and then the first. Precision and
    recall are those of that parse; hit, Hits@1 and exact match need any parse.

    Raises:
        ValueError: there is no parse.

    """
    found = [compare(predicted, gold) for gold in golds]
    best = max(range(len(found)), key=lambda index: (found[index].f1, bool(golds[index]), -index))
    chosen = found[best]
    return (
        Comparison(
            any(one.hit for one in found),
            any(one.hit_first for one in found),
            any(one.exact for one in found),
            chosen.precision,
            chosen.recall,
        ),
        best,
    )


def harmonic(first: float, second: float) -> float:
    """The harmonic mean of two shares, 2ab / (a + b); 0 where both are 0."""
    return 2 * first * second / (first + second) if first + second else 0.0


def macro_f1(f1s: Iterable[float]) -> float:
    """Macro-F1: the mean of the questions' F1 (WebQSP's "average F1 over questions", GrailQA's F1)."""
    return fmean(f1s)


def paper_f1(precisions: Iterable[float], recalls: Iterable[float]) -> float:
    """READS' F1: the harmonic mean of the questions' mean precision and mean recall, which is no mean of F1s."""
    return harmonic(fmean(precisions), fmean(recalls))


def graph_hit(retrieved: Iterable[Collection[Term]], golds: Iterable[frozenset[Term]]) -> bool:
    """Graph Hit (READS): some gold answer is among the terms that search retrieved, G_k without the topic entity."""
    wanted = frozenset[object]().union(*golds)
    return any(not wanted.isdisjoint(terms) for terms in retrieved)


def relation_recall(predicted: PartialDerivation | None, gold: Derivation) -> float:
    """Relation recall: |R(predicted) ∩ R(gold)| / |R(gold)|, R being the set of the steps' relations.

    A relation and its reverse read the other way are one; a relation joined over a dropped mediator counts as its two.
    """
    wanted = _relations(gold)
    found = frozenset() if predicted is None else _relations(predicted)
    return len(wanted & found) / len(wanted)


def _relations(derivation: PartialDerivation) -> frozenset[Relation]:
    return frozenset(part for step in derivation.steps for part in plain_relations(step.relation))


def plain_relations(relation: Relation) -> tuple[Relation, ...]:
    """The relations that a joined one is made of, in the order in which they are followed, each in its plain reading.

    Of a relation and its reverse, the one whose name comes first in the alphabet is the plain one.
    """
    parts = relation.predicate.split("|")
    followed = [Relation(name, relation.direction) for name in (reversed(parts) if relation.is_reverse else parts)]
    return tuple(_plain(part) for part in followed)


def _plain(relation: Relation) -> Relation:
    reverse = load_knowledge().reverse_of(relation.predicate)
    if reverse is None or reverse >= relation.predicate:
        return relation
    return Relation(reverse, Direction.FORWARD if relation.is_reverse else Direction.REVERSE)
