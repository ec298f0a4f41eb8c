"""Questions that a graph cannot answer, made of those that it can: a relation on the way to the answer is taken out.

Benchmarks hold too few questions without an answer to choose by. Each made one is paired with the question that it was
made of, so the same scorer is asked both, and what None costs can be compared with what it recognises.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from math import inf, log
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from reasoning.evaluation.judging.ceiling import fitted_readings
from reasoning.evaluation.judging.comparison import answers_of
from reasoning.evaluation.judging.judging import ask
from reasoning.evaluation.judging.settings import EvaluationSettings
from reasoning.evaluation.metrics.metrics import plain_relations
from reasoning.events import UNANSWERED
from reasoning.gold.fitting import weakly
from reasoning.training.encoder.validation import questions_to_ask

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from kgstore.store import EntityCard, EntityMatch, Expansion, GraphInfo, GraphStore, Link, Page, RelationCount
    from kgstore.terms import Entity, Relation, Term
    from reasoning.datasets.question import BenchmarkQuestion
    from reasoning.evaluation.judging.outcome import Outcome
    from reasoning.scorers.base import Scorer
    from reasoning.training.lessons.sources import Sources
    from reasoning.training.recipe.recipe import Source

Place: TypeAlias = Literal["first", "last"]
"""Which relation on the way to the answer is taken out."""
MAX_UNANSWERED = 0.03
LEAST_RECOGNISED = 0.8
_ANOTHER_WAY = 0.5
"""Where another way leads to the answers by so much F1, the question can still be answered, and is left out."""
_LEAST = 1e-12


class WithoutRelation:
    """A graph in which a relation is never offered, nor its reverse."""

    def __init__(self, store: GraphStore, taken: Relation) -> None:
        self._store = store
        self._taken = _names(taken)

    def _has(self, relation: Relation) -> bool:
        return _names(relation) != self._taken

    def info(self) -> GraphInfo:
        """See `GraphStore.info`."""
        return self._store.info()

    def offered(self) -> Sequence[Relation]:
        """See `GraphStore.offered`."""
        return [relation for relation in self._store.offered() if self._has(relation)]

    def labelled(self, relation: Relation) -> Relation:
        """See `GraphStore.labelled`."""
        return self._store.labelled(relation)

    def relations(self, entities: Collection[Entity]) -> Sequence[RelationCount]:
        """See `GraphStore.relations`."""
        return [count for count in self._store.relations(entities) if self._has(count.relation)]

    def relations_each(self, entities: Collection[Entity]) -> Mapping[Entity, Sequence[RelationCount]]:
        """See `GraphStore.relations_each`."""
        found = self._store.relations_each(entities)
        left = {entity: [count for count in counts if self._has(count.relation)] for entity, counts in found.items()}
        return {entity: counts for entity, counts in left.items() if counts}

    def links(self, entities: Collection[Entity], targets: Collection[Entity]) -> Collection[Link]:
        """See `GraphStore.links`."""
        return [link for link in self._store.links(entities, targets) if self._has(link.relation)]

    def expand(self, entities: Collection[Entity], relation: Relation, limit: int) -> Expansion:
        """See `GraphStore.expand`."""
        return self._store.expand(entities, relation, limit)

    def page(self, entity: Entity, relation: Relation, limit: int, cursor: str | None = None) -> Page:
        """See `GraphStore.page`."""
        return self._store.page(entity, relation, limit, cursor)

    def types(self) -> Mapping[Entity, int]:
        """As the store says."""
        return self._store.types()

    def cards(self, entities: Collection[Entity]) -> Mapping[Entity, EntityCard]:
        """See `GraphStore.cards`."""
        return self._store.cards(entities)

    def search(self, text: str, limit: int) -> Sequence[EntityMatch]:
        """See `GraphStore.search`."""
        return self._store.search(text, limit)

    def named(self, names: Collection[str]) -> Mapping[str, Sequence[EntityMatch]]:
        """See `GraphStore.named`."""
        return self._store.named(names)

    def containing(self, parts: Collection[str], limit: int) -> Mapping[str, Sequence[EntityMatch]]:
        """See `GraphStore.containing`."""
        return self._store.containing(parts, limit)

    def similar(self, names: Collection[str]) -> Mapping[str, Sequence[EntityMatch]]:
        """See `GraphStore.similar`."""
        return self._store.similar(names)

    def labels(self, terms: Collection[Term]) -> Mapping[Term, str]:
        """See `GraphStore.labels`."""
        return self._store.labels(terms)

    def close(self) -> None:
        """Leave the graph open: it is another's."""


def _names(relation: Relation) -> frozenset[str]:
    return frozenset(part.predicate for part in plain_relations(relation))


@dataclass(frozen=True, slots=True)
class Asked:
    """What a scorer made of a question over a graph."""

    unanswered: bool
    margin: float
    """The log-odds of None before the first step against the best relation; infinite where there was none."""
    confidence: float
    """Of the answer; 0 without one."""
    hit_first: bool


@dataclass(frozen=True, slots=True)
class Pair:
    """A question over its graph, and over the same graph without a relation that it needs."""

    whole: Asked
    lacking: Asked


def pairs(
    source: Source,
    sources: Sources,
    scorer: Scorer,
    *,
    place: Place = "first",
    most: int | None = None,
    progress: Callable[[int, int], None] = lambda *_: None,
) -> Iterator[Pair]:
    """Ask the validation questions of a source twice; those that can be answered in another way are left out."""
    for each in questions_to_ask(source, sources, most=most):
        progress(each.number, each.total)
        lacking = without_the_answer(each.question, each.store, place)
        if lacking is not None:
            yield Pair(_asked(each.question, each.store, scorer), _asked(each.question, lacking, scorer))


def without_the_answer(question: BenchmarkQuestion, store: GraphStore, place: Place) -> GraphStore | None:
    """The graph without a relation that the question needs; None where another way leads to the answers."""
    derivation = next(fitted_readings(question, store), None)
    if derivation is None:
        return None
    steps = derivation.steps
    taken = steps[0 if place == "first" else derivation.answer_position - 1].relation
    lacking = WithoutRelation(store, taken)
    other = weakly(derivation.topic, answers_of(question), lacking, topic_may_answer=question.topic_may_answer)
    return None if other is not None and other.f1 >= _ANOTHER_WAY else lacking


def _asked(question: BenchmarkQuestion, store: GraphStore, scorer: Scorer) -> Asked:
    outcome = ask(question, store, scorer, EvaluationSettings(topics="gold"))
    unanswered = outcome.verdict in UNANSWERED
    return Asked(unanswered, _margin(outcome), 0.0 if unanswered else outcome.confidence or 0.0, outcome.hit_first)


def _margin(outcome: Outcome) -> float:
    for event in outcome.emitted:
        if event.kind in ("search_step", "search_ended"):
            if event.decision is None:
                return inf
            options = event.decision.options
            none = max((one.probability or 0.0 for one in options if one.kind == "none"), default=0.0)
            best = max((one.probability or 0.0 for one in options if one.kind != "none"), default=0.0)
            return log(max(none, _LEAST)) - log(max(best, _LEAST))
    return inf


def trade(found: Sequence[Pair], bias: float, biases: Sequence[float]) -> dict[str, Any]:
    """What None costs and what it recognises: as asked, at other biases, and by what would tell the two kinds apart.

    ``bias`` is that of the scorer that was asked. At another one, None is chosen where its log-odds, moved by the
    difference, are the highest before the first step; what a later None turns away stays as it was. ``told_apart`` is
    the share of all pairs of an answerable and an unanswerable question in which the latter looks more like one, by
    None's log-odds and by how little confidence the answer has (0.5: chance; 1: always).
    """
    whole, lacking = [pair.whole for pair in found], [pair.lacking for pair in found]

    def at(moved: float) -> dict[str, float]:
        return {
            "bias": moved,
            "unanswered": _share(_turned_away(one, moved - bias) for one in whole),
            "recognised": _share(_turned_away(one, moved - bias) for one in lacking),
        }

    every = sorted({bias - one.margin for one in (*whole, *lacking) if one.margin != inf})
    steps = [at(moved + 1e-6) for moved in every]
    return {
        "pairs": len(found),
        "as_asked": {
            "unanswered": _share(one.unanswered for one in whole),
            "recognised": _share(one.unanswered for one in lacking),
            "hits_at_1": _share(one.hit_first for one in whole),
        },
        "at": [at(moved) for moved in biases],
        "few_unanswered": max(
            (step for step in steps if step["unanswered"] <= MAX_UNANSWERED),
            key=lambda step: step["recognised"],
            default=None,
        ),
        "most_recognised": min(
            (step for step in steps if step["recognised"] >= LEAST_RECOGNISED),
            key=lambda step: step["unanswered"],
            default=None,
        ),
        "told_apart": {
            "by_none": _separation([one.margin for one in whole], [one.margin for one in lacking]),
            "by_confidence": _separation([-one.confidence for one in whole], [-one.confidence for one in lacking]),
        },
    }


def _turned_away(one: Asked, moved: float) -> bool:
    chosen = one.margin + moved > 0
    # A run that was not turned away by its first None may have been by something later.
    return chosen or (one.unanswered and one.margin <= 0)


def _separation(lower: Sequence[float], higher: Sequence[float]) -> float | None:
    """The area under the curve of both kinds (Hanley and McNeil 1982); equal ones count half."""
    if not lower or not higher:
        return None
    ordered = sorted(lower)
    below = sum((bisect_left(ordered, one) + bisect_right(ordered, one)) / 2 for one in higher)
    return below / (len(lower) * len(higher))


def _share(found: Iterator[bool]) -> float:
    known = list(found)
    return sum(known) / len(known) if known else 0.0
