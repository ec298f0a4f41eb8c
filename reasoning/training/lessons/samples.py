"""Training samples: every decision of a derivation, with the state and pool that the engine itself makes.

A teacher takes the scorer's place and answers with a gold derivation, so that a model is trained on exactly what it
will be asked. Where several gold steps (or constraints) remain, each of them is right.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, TypeAlias

from kgstore.terms import Entity
from reasoning.core.derivation import Constraint, Derivation, Operator, SearchStep
from reasoning.core.options import (
    DecisionState,
    OptionPool,
    Stage,
    StepOption,
)
from reasoning.core.trace import Trace
from reasoning.engine.engine import answer
from reasoning.question.linking import link
from reasoning.question.tense import asks_of_now
from reasoning.scorers.base import Cost, Distribution

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from kgstore.store import GraphStore
    from kgstore.terms import Date


Lesson: TypeAlias = tuple[DecisionState, OptionPool, tuple[int, ...]]
"""A decision: what was asked, among what, and the indices of what is right."""


@dataclass(frozen=True, slots=True)
class TrainingSample:
    """A decision and what is right."""

    question_id: str
    phrasing: str
    state: DecisionState
    pool: OptionPool
    right: tuple[int, ...]
    """The indices of the right options; the one that the derivation takes first comes first."""
    about_wrong_topic: bool = False
    """None is right only because the question is about something else that it names."""
    group: str = ""
    """What keeps wordings of one question together."""
    source: str = ""
    """Which source of the recipe it comes from."""
    pools: Literal["graph", "schema"] = "graph"
    """Where its pool comes from: a graph, or one that was drawn from the schema."""


class Teacher:
    """A scorer that knows the derivation: it notes what it is asked and chooses among what is right.

    It takes the derivation's own order, or with ``shuffle`` any.
    """

    name = "teacher"

    def __init__(self, derivation: Derivation, shuffle: random.Random | None = None) -> None:
        self._derivation = derivation
        self._shuffle = shuffle
        self._places = {0: 0}
        self._taken: set[int] = set()
        self.lessons: list[Lesson] = []
        """Every decision so far: state, pool and what is right."""

    def score(self, state: DecisionState, pool: OptionPool, *, best: int | None = None) -> Distribution:
        """Certainty about one right option.

        Raises:
            LessonError: nothing right is in the pool, because the question does not name what a constraint needs.
            LastLessonError: this decision was the last.

        """
        del best
        right = self._right(state, pool)
        if not right:
            raise LessonError(f"no right option for the {state.stage} decision")
        self.lessons.append((state, pool, tuple(right)))
        if state.stage is Stage.INFER:
            raise LastLessonError  # what follows reports the answer, which is not read here
        chosen = self._shuffle.choice(list(right)) if self._shuffle else next(iter(right))
        if state.stage is Stage.SEARCH and right[chosen] is not None:
            self._taken.add(right[chosen] or 0)
            self._places[right[chosen] or 0] = len(state.structure.nodes)
        return Distribution({index: float(index == chosen) for index in range(len(pool))}, 0.0, Cost())

    def _right(self, state: DecisionState, pool: OptionPool) -> Mapping[int, int | None]:
        """The right options by index, in the derivation's order, each with the gold position that a step adds."""
        where: Mapping[object, int] = {option.choice: index for index, option in enumerate(pool.options)}
        match state.stage:
            case Stage.LINK:
                wanted: list[tuple[object, int | None]] = [(self._derivation.topic, None)]
                complete = False
            case Stage.SEARCH:
                wanted = [
                    (SearchStep(self._places[step.position], step.relation), gold)
                    for gold, step in enumerate(self._derivation.steps, start=1)
                    if gold not in self._taken and step.position in self._places
                ]
                complete = len(self._taken) == len(self._derivation.steps)
            case Stage.PRUNE:
                remaining = self._remaining(state)
                wanted = [(constraint, None) for constraint in remaining]
                # Nothing is the smallest or largest of one, and a kind may tell nothing or not be asked for: such a
                # constraint is not offered, and is not needed.
                complete = all(_may_be_missing(c) and c not in where for c in remaining)
            case Stage.INFER:
                complete = False
                pruned = all(map(_may_be_missing, self._remaining(state)))
                wanted = [(self._places[self._derivation.answer_position], None)] if pruned else []
        if complete:
            wanted = [(None, None)]
        return {where[key]: gold for key, gold in wanted if key in where}

    def _remaining(self, state: DecisionState) -> list[Constraint]:
        """The gold constraints that are not chosen yet."""
        gold = [Constraint(self._places[c.position], c.operator, c.target) for c in self._derivation.constraints]
        return [constraint for constraint in gold if constraint not in state.constraints]


def _may_be_missing(constraint: Constraint) -> bool:
    """Whether a pool need not offer a constraint of the derivation."""
    return constraint.operator.is_extremal or constraint.operator is Operator.KIND


class LessonError(Exception):
    """A derivation cannot be taught with this wording."""


class LastLessonError(LessonError):
    """All decisions of a derivation are made."""


class _Refusal:
    """A scorer for what the graph cannot answer: the topic, if there is one, and then None."""

    name = "teacher"

    def __init__(self, topic: Entity | None) -> None:
        self._topic = topic
        self.lessons: list[Lesson] = []

    def score(self, state: DecisionState, pool: OptionPool, *, best: int | None = None) -> Distribution:
        del best
        wanted = self._topic if state.stage is Stage.LINK else None
        right = [index for index, option in enumerate(pool.options) if option.choice == wanted]
        if not right:
            raise LessonError("the question does not name its topic")
        self.lessons.append((state, pool, tuple(right)))
        return Distribution({index: float(index == right[0]) for index in range(len(pool))}, 0.0, Cost())


def samples_of(
    question_id: str,
    text: str,
    topic: Entity | None,
    derivation: Derivation | None,
    store: GraphStore,
    *,
    group: str = "",
    seed: int = 0,
    orders: int = 1,
    topic_given: bool = False,
    is_whole: bool = True,
    today: Date | None = None,
) -> Iterator[TrainingSample]:
    """The lessons of one wording of a question; without a derivation, that the graph holds no answer.

    The derivation in its own order and ``orders`` times in another; then, unless the topic is given, what else the
    question names, taken for the topic, where None is right: so the model learns to tell that a topic does not lead to
    the answer. Of a derivation that is not whole, only the steps are taught. ``today`` is the day that *now* means.
    """
    asked = _Asked(text, topic, derivation, store, seed, orders, topic_given, today)
    seen: set[tuple[object, ...]] = set()
    for state, pool, right in asked.lessons():
        if not is_whole and not isinstance(pool.options[right[0]], StepOption):
            continue
        key = (state.stage, state.structure, state.constraints, state.topic)
        if key not in seen:
            seen.add(key)
            wrong = topic is not None and state.topic is not None and state.topic.term != topic
            yield TrainingSample(
                question_id, text, state, pool, right, about_wrong_topic=wrong, group=group or question_id
            )


def nameable(derivation: Derivation, text: str, store: GraphStore, today: Date | None = None) -> Derivation:
    """A derivation without the constraints whose targets the question does not name, and without their steps.

    A constraint is chosen among what the question names; what else a gold query demands cannot be learned from it. That
    something holds now is named by the present tense (`reasoning.question.tense`), where ``today`` is that day.
    """
    linking = link(text, store, derivation.topic)
    named = {mention.term for mention in linking.mentions}
    now = today if asks_of_now(text, linking) else None
    kept = [
        c
        for c in derivation.constraints
        if c.target is None or c.target in named or (c.operator is Operator.HOLDS and c.target == now)
    ]
    if len(kept) == len(derivation.constraints):
        return derivation
    needed: set[int] = set()
    for position in (derivation.answer_position, *(constraint.position for constraint in kept)):
        at = position
        while at:
            needed.add(at)
            at = derivation.steps[at - 1].position
    places = {0: 0} | {position: place for place, position in enumerate(sorted(needed), start=1)}
    return Derivation(
        derivation.topic,
        tuple(
            SearchStep(places[step.position], step.relation)
            for position, step in enumerate(derivation.steps, start=1)
            if position in needed
        ),
        tuple(replace(constraint, position=places[constraint.position]) for constraint in kept),
        places[derivation.answer_position],
        derivation.counted,
    )


@dataclass(frozen=True, slots=True)
class _Asked:
    text: str
    topic: Entity | None
    derivation: Derivation | None
    store: GraphStore
    seed: int
    orders: int
    topic_given: bool
    today: Date | None

    def lessons(self) -> Iterator[Lesson]:
        mentions = link(self.text, self.store).mentions
        named = [mention.term for mention in mentions if isinstance(mention.term, Entity)]
        if self.derivation is not None:
            topic = self.derivation.topic
            for number in range(self.orders + 1):
                shuffle = random.Random(f"{self.seed} {self.text} {number}") if number else None  # noqa: S311 - no secret
                teacher = Teacher(self.derivation, shuffle)
                # A topic that the question does not name in full cannot be chosen, but the rest can be taught.
                given = None if topic in named and not self.topic_given else topic
                _run(self.text, self.store, teacher, given, self.today)
                yield from teacher.lessons
            wrong = [entity for entity in named if entity != topic] if topic in named else []
        else:
            wrong = [*([self.topic] if self.topic else []), *named]
            if self.topic in named:
                refusal = _Refusal(self.topic)
                _run(self.text, self.store, refusal, None, self.today)
                yield from refusal.lessons
        for entity in () if self.topic_given else dict.fromkeys(wrong):
            refusal = _Refusal(entity)
            _run(self.text, self.store, refusal, entity, self.today)
            yield from refusal.lessons


def _run(
    phrasing: str, store: GraphStore, scorer: Teacher | _Refusal, topic: Entity | None, today: Date | None
) -> None:
    trace = Trace()
    try:
        for _ in answer(phrasing, store, scorer, topic=topic, today=today, trace=trace):
            if trace.fault is not None:
                raise trace.fault
    except LessonError:
        # What was taught before stays; the rest needs what this wording does not name.
        return
