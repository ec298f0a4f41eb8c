"""Measures how well linking finds the topics of benchmark questions in a graph.

A question's gold topics are the topic entities of the readings that its benchmark accepts. Questions that name none,
and questions none of whose gold topics is in the graph, are counted apart; the shares are of all others:

* *mention found*: linking found an entity that is a gold topic or bears one of its names (a namesake);
* *right first*, *right in five*: a gold topic is the first, or among the first five, of the distinct entities found.

The order is stated for each: that of `topic_pool`, without any model; and, where a scorer is asked, that of its
probabilities, the first being the topic that a run would take. The shares are also stated apart by how the question
names the topic: by its name, by a part of it, by another word for it (`Likeness`).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from statistics import fmean, quantiles
from time import perf_counter
from typing import TYPE_CHECKING, Any

from kgstore.names import fold_name
from kgstore.terms import Entity
from reasoning.core.boundary import UnforeseenError, one_question
from reasoning.core.errors import ReasoningError
from reasoning.core.options import TopicOption
from reasoning.core.trace import Trace
from reasoning.datasets.question import RefusedQuestion
from reasoning.engine.engine import answer
from reasoning.events import EntityLinked, Failed, TopicOptionRecord
from reasoning.facts.pools import topic_pool
from reasoning.question.linking import link
from reasoning.run.run import RunLimits

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kgstore.store import EntityCard, GraphStore
    from reasoning.core.options import OptionPool
    from reasoning.datasets.question import BenchmarkQuestion
    from reasoning.scorers.base import Scorer

FEW = 5
NOT_FOUND = "not found"
"""Under this name questions are counted whose topic is not among the candidates."""
_EVERY_OPTION = 1_000_000
_PERCENTILE = 95


@dataclass(frozen=True, slots=True)
class LinkedQuestion:
    """What linking found in a question whose gold topic is in the graph."""

    id: str
    text: str
    topics: tuple[EntityCard, ...]
    """The gold topics that are in the graph."""
    mention_found: bool
    by_store: tuple[Entity, ...]
    """The entities that were found, in the order of the pool, each once."""
    by_scorer: tuple[Entity, ...] | None
    """The same in the order of the scorer's probabilities; None where none was asked."""
    likeness: str
    """How the question names the first gold topic that was found, or `NOT_FOUND`."""
    targets: int
    """How many terms the question names, namesakes, numbers and dates included: what constraints are made of."""
    seconds: float
    """What `link` took, the scorer aside."""

    @property
    def order(self) -> tuple[Entity, ...]:
        """The scorer's order where one was asked, else the pool's."""
        return self.by_store if self.by_scorer is None else self.by_scorer

    def place(self, order: Sequence[Entity]) -> int | None:
        """The place of the first gold topic in an order, from 0; None where there is none."""
        gold = {card.entity for card in self.topics}
        return next((place for place, entity in enumerate(order) if entity in gold), None)


@dataclass(slots=True)
class LinkingEvaluation:
    """All questions, and the figures that sum them up."""

    linked: list[LinkedQuestion] = field(default_factory=list)
    without_topic: int = 0
    """Questions of which the benchmark names no topic entity."""
    not_in_graph: int = 0
    """Questions whose topic entity is not in the graph."""
    left_out: Counter[str] = field(default_factory=Counter)
    """By reason, those that could not be read or linked."""

    def figures(self) -> dict[str, Any]:
        """The figures as one JSON document."""
        linked = self.linked
        scored = [(question, order) for question in linked if (order := question.by_scorer) is not None]
        seconds = [question.seconds for question in linked]
        return {
            "questions": len(linked) + self.without_topic + self.not_in_graph,
            "left_out": dict(self.left_out),
            "without_topic": self.without_topic,
            "topic_not_in_graph": self.not_in_graph,
            "topic_in_graph": len(linked),
            "topic_without_name": sum(all(card.name is None for card in question.topics) for question in linked),
            "mention_found": _share(question.mention_found for question in linked),
            "by_store": _places([question.place(question.by_store) for question in linked]),
            "by_scorer": _places([question.place(order) for question, order in scored]) if scored else None,
            "by_likeness": {
                likeness: {"questions": len(places), **_places(places)}
                for likeness, places in sorted(self._by_likeness().items())
            },
            "entities_found": _mean([len(question.by_store) for question in linked]),
            "terms_found": _mean([question.targets for question in linked]),
            "milliseconds": {
                "mean": _mean([1000 * each for each in seconds]),
                "p95": 1000 * quantiles(seconds, n=100, method="inclusive")[_PERCENTILE - 1]
                if len(seconds) > 1
                else None,
                "longest": 1000 * max(seconds) if seconds else None,
            },
        }

    def _by_likeness(self) -> dict[str, list[int | None]]:
        places: dict[str, list[int | None]] = {}
        for question in self.linked:
            places.setdefault(question.likeness, []).append(question.place(question.order))
        return places


def evaluate_linking(
    questions: Iterable[BenchmarkQuestion | RefusedQuestion],
    store: GraphStore,
    scorer: Scorer | None = None,
) -> LinkingEvaluation:
    """Link questions over a graph, and ask the scorer, if any, for the topic.

    Args:
        questions: what is linked.
        store: the graph.
        scorer: who is asked, once a question.

    Raises:
        GraphStoreError: the graph cannot be read.
        ReasoningError: the scorer cannot be asked.

    """
    evaluation = LinkingEvaluation()
    for question in questions:
        if isinstance(question, RefusedQuestion):
            evaluation.left_out[question.reason] += 1
            continue
        gold = {parse.topic for parse in question.parses if parse.topic is not None}
        topics = tuple(store.cards(gold).values())
        if not gold:
            evaluation.without_topic += 1
        elif not topics:
            evaluation.not_in_graph += 1
        else:
            try:
                with one_question(question.id):
                    evaluation.linked.append(_link(question, topics, store, scorer))
            except UnforeseenError as error:
                evaluation.left_out[str(error)] += 1
    return evaluation


def _link(
    question: BenchmarkQuestion,
    topics: tuple[EntityCard, ...],
    store: GraphStore,
    scorer: Scorer | None,
) -> LinkedQuestion:
    started = perf_counter()
    linking = link(question.text, store)
    seconds = perf_counter() - started
    pool = topic_pool(linking)
    found = _entities(pool)
    chosen = None if scorer is None else _by_scorer(question.text, store, scorer)
    gold = {card.entity for card in topics}
    likeness = next((str(each.likeness) for each in linking.topics if each.card.entity in gold), NOT_FOUND)
    names = {name for card in topics for name in _names(card)}
    return LinkedQuestion(
        question.id,
        question.text,
        topics,
        mention_found=any(card in topics or names & _names(card) for card in linking.cards.values()),
        by_store=found,
        by_scorer=None if chosen is None else _each_once(chosen),
        likeness=likeness,
        targets=sum(not mention.is_converted for mention in linking.mentions),
        seconds=seconds,
    )


def _by_scorer(question: str, store: GraphStore, scorer: Scorer) -> Sequence[TopicOptionRecord]:
    """The options of a run's own decision, the most probable first; none where the question names none."""
    trace = Trace()
    for event in answer(question, store, scorer, trace=trace, limits=RunLimits(options_shown=_EVERY_OPTION)):
        if isinstance(event, Failed):
            raise ReasoningError(event.message if trace.fault is None else trace.fault.for_operators)
        if isinstance(event, EntityLinked):
            options = event.decision.options if event.decision is not None else []
            return [option for option in options if isinstance(option, TopicOptionRecord)]
    raise TypeError("a run reported no topic entity")


def _each_once(options: Sequence[TopicOptionRecord]) -> tuple[Entity, ...]:
    return tuple(dict.fromkeys(Entity(option.term.id) for option in options))


def _entities(pool: OptionPool) -> tuple[Entity, ...]:
    mentions = (option.mention.term for option in pool.options if isinstance(option, TopicOption))
    return tuple(dict.fromkeys(term for term in mentions if isinstance(term, Entity)))


def _names(card: EntityCard) -> set[str]:
    return {fold_name(name) for name in (card.name, *card.aliases) if name is not None}


def _places(places: Sequence[int | None]) -> dict[str, float | None]:
    return {
        "right_first": _share(place == 0 for place in places),
        "right_in_five": _share(place is not None and place < FEW for place in places),
    }


def _share(holds: Iterable[bool]) -> float | None:
    return _mean([float(each) for each in holds])


def _mean(values: Sequence[float]) -> float | None:
    return fmean(values) if values else None
