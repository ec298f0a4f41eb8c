"""Weak labels: derivations of questions that have answers and no gold derivation.

Every way of at most three hops and one condition that leads from the topic to an answer is found by
`reasoning.labels.ways`. Kept is one that is precise enough and no worse than its rivals: no other way fits the answers
better, and of those that fit as well its relations are the most like the question, or nearly so and it is shorter.

Xu et al., arXiv 2412.12643, name as a limitation of READS that it learns from gold queries. What is found here is never
shown one: no function takes more of a question than its wording, topic and answers.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from functools import lru_cache
from statistics import fmean
from typing import TYPE_CHECKING, Any, Self, TypeAlias

from kgstore.terms import Text
from reasoning.core.derivation import Derivation
from reasoning.evaluation.judging.comparison import bearers
from reasoning.evaluation.metrics.edit_distance import edit_distance, query_graph
from reasoning.evaluation.metrics.metrics import harmonic, relation_recall
from reasoning.evaluation.reporting.intervals import interval
from reasoning.gold.fitting import read_with_answers
from reasoning.labels.ways import MAX_CONDITIONS, ways_to
from reasoning.question.linking import link

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from kgstore.store import GraphStore
    from kgstore.terms import Entity, Term
    from reasoning.datasets.question import BenchmarkQuestion
    from reasoning.labels.ways import Way, Ways
    from reasoning.training.lessons.likeness import Likeness

PRECISION = 0.5
"""A way is precise enough if at least this share of what it leads to is an answer."""
SECONDS = 3.0
"""So long at most are ways to the answers of a question searched."""
_CONDITIONS = 1
_HOP = 0.05
"""So much more like the question must a way be than one that fits as well and is a hop shorter. Over 150 training
questions each of PathQuestion with two and three hops and 200 of WebQSP, likeness alone finds 0.99, 0.49 and 0.71 of
the gold queries, the shortest way 0.97, 0.41 and 0.80, this 0.99, 0.48 and 0.75."""

Answered: TypeAlias = "tuple[Entity | None, frozenset[Term]]"
"""A topic and answers: all that is known of a reading of a question."""


class NotFound(StrEnum):
    """Why a question has no weak label, in words that can be counted."""

    NO_TOPIC = "no topic is given"
    NO_ANSWERS = "no answers are given"
    NOT_IN_GRAPH = "the graph lacks the topic"
    NO_WAY = "no way leads to an answer"
    IMPRECISE = "every way leads to too much else"


@dataclass(frozen=True, slots=True)
class WeakLabel:
    """A derivation that was found from answers alone."""

    derivation: Derivation
    precision: float
    """The share of what it leads to that is an answer."""
    recall: float
    """The share of the answers that it leads to."""
    hops: float
    """Of its path; to a mediator, and on from it, is half a hop."""
    rivals: int
    """The number of other paths that fit the answers as well."""
    complete: bool
    """Whether all ways were looked at; if not, time was up or hubs were cut."""

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> Self:
        """Read what `to_json` wrote."""
        return cls(**{**document, "derivation": Derivation.from_json(document["derivation"])})

    def to_json(self) -> dict[str, Any]:
        """The label as a document."""
        return asdict(self) | {"derivation": self.derivation.to_json()}


def weak_label(
    question: str,
    readings: Iterable[Answered],
    store: GraphStore,
    likeness: Likeness,
    *,
    precision: float = PRECISION,
    seconds: float = SECONDS,
) -> WeakLabel | NotFound:
    """The weak label of a question, of which several readings may be accepted; or why it has none.

    Raises:
        GraphStoreError: the graph cannot be read.

    """
    found = [
        _of_reading(question, topic, answers, store, likeness, precision, seconds)
        for topic, answers in dict.fromkeys(readings)
    ]
    labels = [each for each in found if isinstance(each, WeakLabel)]
    if labels:
        return max(labels, key=lambda label: harmonic(label.precision, label.recall))
    return _nearest(found)


def shortest_labels(
    question: str,
    readings: Iterable[Answered],
    store: GraphStore,
    *,
    precision: float = PRECISION,
    seconds: float = SECONDS,
) -> tuple[Derivation, ...] | NotFound:
    """All ways to answers that no other is shorter than, in relations; or why there is none.

    RoG (arXiv 2310.01061, section 4.2) teaches its planner these, each as likely as the others. Its ways may lead to
    anything besides; of what these lead to, at least the share ``precision`` is an answer (ours).

    Raises:
        GraphStoreError: the graph cannot be read.

    """
    found = [
        _precise_ways(question, topic, answers, store, precision, seconds, most_conditions=0)
        for topic, answers in dict.fromkeys(readings)
    ]
    derivations = [way.derivation for each in found if not isinstance(each, NotFound) for way in each.ways]
    if derivations:
        fewest = min(len(derivation.steps) for derivation in derivations)
        return tuple(dict.fromkeys(one for one in derivations if len(one.steps) == fewest))
    return _nearest(found)


_REASONS = tuple(NotFound)


def _nearest(found: Iterable[object]) -> NotFound:
    """The reason that came nearest to a label."""
    return max((each for each in found if isinstance(each, NotFound)), key=_REASONS.index, default=NotFound.NO_TOPIC)


def answered(question: BenchmarkQuestion, store: GraphStore) -> list[Answered]:
    """What may be known of a question's readings. Answers that are names are those entities that bear them.

    Raises:
        GraphStoreError: the graph cannot be read.

    """
    readings = []
    for parse in question.parses:
        names = [term for term in parse.answers if isinstance(term, Text)] if question.compared_by == "name" else []
        readings.append((parse.topic, parse.answers.union(bearers(names, store) if names else ())))
    return readings


def _of_reading(
    question: str,
    topic: Entity | None,
    answers: frozenset[Term],
    store: GraphStore,
    likeness: Likeness,
    precision: float,
    seconds: float,
) -> WeakLabel | NotFound:
    found = _precise_ways(question, topic, answers, store, precision, seconds, most_conditions=_CONDITIONS)
    if isinstance(found, NotFound):
        return found
    best = max(way.f1 for way in found.ways)
    as_good = [way for way in found.ways if way.f1 == best]
    way = _likest(question, topic, as_good, store, likeness)
    # A condition counts as a hop of a way.
    length = way.hops - len(way.derivation.constraints)
    return WeakLabel(way.derivation, way.precision, way.recall, length, len(as_good) - 1, found.complete)


def _precise_ways(
    question: str,
    topic: Entity | None,
    answers: frozenset[Term],
    store: GraphStore,
    precision: float,
    seconds: float,
    *,
    most_conditions: int,
) -> Ways | NotFound:
    """The ways to answers of which at least the share ``precision`` is right; at least one, or why there is none."""
    if topic is None:
        return NotFound.NO_TOPIC
    if not answers:
        return NotFound.NO_ANSWERS
    if not store.cards([topic]):
        return NotFound.NOT_IN_GRAPH
    # The usual search, of which what has more conditions is left out; where none is wanted, none is looked for.
    wanted = MAX_CONDITIONS if most_conditions else 0
    found = ways_to(question, store, topic, answers, seconds=seconds, conditions=wanted)
    ways = [way for way in found.ways if len(way.derivation.constraints) <= most_conditions]
    if not ways:
        return NotFound.NO_WAY
    precise = tuple(way for way in ways if way.precision >= precision)
    return replace(found, ways=precise) if precise else NotFound.IMPRECISE


def _likest(question: str, topic: Entity | None, ways: Sequence[Way], store: GraphStore, likeness: Likeness) -> Way:
    """The way whose relations are most like the question, where each hop costs a little."""
    if len(ways) == 1:
        return ways[0]
    like = likeness.of(question, link(question, store, topic), ways)
    return ways[max(range(len(ways)), key=lambda place: like[place] - _HOP * ways[place].hops)]


@lru_cache(maxsize=1)
def usual_likeness() -> Likeness:
    """The one that this process shares.

    Raises:
        ScorerUnavailableError: the encoder is not there.

    """
    # torch takes seconds to import, and recipes are checked without it.
    from reasoning.training.lessons.likeness import Likeness  # noqa: PLC0415

    return Likeness()


@dataclass(frozen=True, slots=True)
class Agreement:
    """How a weak label compares with the gold derivation of its question, as it fits the graph."""

    same: bool
    """Whether they are one and the same query: their edit distance is 0."""
    edit_distance: float | None
    """None where it takes too long to tell."""
    relation_recall: float
    """The share of the gold derivation's relations that the label has."""
    relation_precision: float
    """The share of the label's relations that the gold derivation has."""


def agreement(label: WeakLabel, question: BenchmarkQuestion, store: GraphStore) -> Agreement | None:
    """The best over the gold derivations of a question; None where it has none that leads to anything in the graph.

    This alone reads gold derivations, after the label was made.

    Raises:
        GraphStoreError: the graph cannot be read.

    """
    found = [_compared(label.derivation, gold) for gold in _gold(question, store)]
    return max(found, key=lambda one: (one.same, one.relation_recall, one.relation_precision), default=None)


def _gold(question: BenchmarkQuestion, store: GraphStore) -> Iterator[Derivation]:
    """The gold derivations in the relations that the graph offers, of those that lead to something there."""
    for parse in question.parses:
        if parse.derivation is not None and parse.derivation.steps:
            read = read_with_answers(store, parse.derivation, topic_may_answer=question.topic_may_answer)
            if read is not None and read[1]:
                yield read[0]


def _compared(label: Derivation, gold: Derivation) -> Agreement:
    distance = edit_distance(query_graph(label), query_graph(gold))
    return Agreement(distance == 0, distance, relation_recall(label, gold), relation_recall(gold, label))


@dataclass(frozen=True, slots=True)
class Tried:
    """What became of a question."""

    id: str
    found: WeakLabel | NotFound
    agreement: Agreement | None

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> Self:
        """Read what `to_json` wrote."""
        label, compared = document["label"], document["agreement"]
        return cls(
            document["id"],
            NotFound(document["reason"]) if label is None else WeakLabel.from_json(label),
            None if compared is None else Agreement(**compared),
        )

    def to_json(self) -> dict[str, Any]:
        """The trial as a document."""
        is_label = isinstance(self.found, WeakLabel)
        return {
            "id": self.id,
            "label": self.found.to_json() if isinstance(self.found, WeakLabel) else None,
            "reason": None if is_label else str(self.found),
            "agreement": None if self.agreement is None else asdict(self.agreement),
        }


def tried(
    question: BenchmarkQuestion, store: GraphStore, *, precision: float = PRECISION, seconds: float = SECONDS
) -> Tried:
    """Look for the weak label of a question, and compare it with gold once it is found.

    Raises:
        GraphStoreError: the graph cannot be read.
        ScorerUnavailableError: the encoder is not there.

    """
    readings = answered(question, store)
    found = weak_label(question.text, readings, store, usual_likeness(), precision=precision, seconds=seconds)
    compared = agreement(found, question, store) if isinstance(found, WeakLabel) else None
    return Tried(question.id, found, compared)


def as_question(question: BenchmarkQuestion, label: WeakLabel) -> dict[str, Any]:
    """The question with its weak label as a line of the format *discern*."""
    answers = sorted({str(term) for parse in question.parses for term in parse.answers})
    return {
        "id": question.id,
        "group": question.group or question.id,
        "question": question.text,
        **label.derivation.to_json(),
        "answers": answers,
        "weak": {"precision": label.precision, "recall": label.recall, "rivals": label.rivals},
    }


def weak_figures(tried: Sequence[Tried]) -> dict[str, Any]:
    """How many weak labels there are, and how well they agree with gold, with 95 % intervals over questions."""
    labels = [each.found for each in tried if isinstance(each.found, WeakLabel)]
    compared = [each.agreement for each in tried if each.agreement is not None]
    return {
        "questions": len(tried),
        "labels": len(labels),
        "not_found": dict(Counter(str(each.found) for each in tried if isinstance(each.found, NotFound))),
        "with_rivals": sum(label.rivals > 0 for label in labels),
        "incomplete": sum(not label.complete for label in labels),
        "precision": fmean(label.precision for label in labels) if labels else None,
        "recall": fmean(label.recall for label in labels) if labels else None,
        "by_hops": dict(sorted(Counter(f"{label.hops:g}" for label in labels).items())),
        "with_condition": sum(bool(label.derivation.constraints) for label in labels),
        "gold": None if not compared else _of_gold(compared),
        "gold_without_rivals": _of_gold(alone) if (alone := _without_rivals(tried)) else None,
    }


def _without_rivals(tried: Iterable[Tried]) -> list[Agreement]:
    return [
        each.agreement
        for each in tried
        if each.agreement is not None and isinstance(each.found, WeakLabel) and not each.found.rivals
    ]


def _of_gold(compared: Sequence[Agreement]) -> dict[str, Any]:
    same = [float(one.same) for one in compared]
    distances = [one.edit_distance for one in compared if one.edit_distance is not None]
    return {
        "compared": len(compared),
        "same": fmean(same),
        "same_interval": interval(same),
        "relation_recall": fmean(one.relation_recall for one in compared),
        "relation_precision": fmean(one.relation_precision for one in compared),
        "edit_distance": fmean(distances) if distances else None,
    }
