"""What teaches a judge: what the plans of a question reach, and which of it is an answer.

A question is asked as EPERM asks it, without a judge; labels come from its answers alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from kgstore.terms import Entity, Term
from reasoning.core.switches import EngineSwitches
from reasoning.run.run import TERSE, Run
from reasoning.run.topic_choice import choose_topic
from reasoning.strategies.eperm.finder import Finder
from reasoning.strategies.eperm.options import ENTITIES
from reasoning.strategies.eperm.reached import Reached
from reasoning.strategies.growth import searched
from reasoning.strategies.plans.options import PLANS
from reasoning.strategies.plans.proposed import way_to

if TYPE_CHECKING:
    from collections.abc import Generator

    from kgstore.store import GraphStore
    from reasoning.datasets.question import BenchmarkQuestion
    from reasoning.events import StageEvent
    from reasoning.scorers.base import Scorer
    from reasoning.strategies.eperm.surroundings import Known, Met
    from reasoning.strategies.plans.plan import Way

Result = TypeVar("Result")
_ROWS_OF_A_FRONTIER = 120
"""Of what a relation led to, no more teach; answers and what leads to them before the rest."""


@dataclass(frozen=True, slots=True)
class Row:
    """What a relation led to, as the judge is shown it."""

    known: Known
    relation: str


@dataclass(frozen=True, slots=True)
class LessonPath:
    """An evidence path."""

    plan_weight: float
    rows: tuple[int, ...]
    """The entities on it."""
    target: int
    """Which of the candidates it leads to."""


@dataclass(frozen=True, slots=True)
class JudgeLesson:
    """A question with what its plans reached."""

    id: str
    question: str
    """As the judge reads it."""
    rows: tuple[Row, ...]
    found: tuple[tuple[int, float], ...]
    """Rows on plans that are labelled right, with 1 for those on a path to an answer, and 0 for the others."""
    paths: tuple[LessonPath, ...]
    right: tuple[bool, ...]
    """By candidate: whether it is an answer."""
    answers: int
    """How many answers there are, reached or not."""


class _Witness:
    """Keeps what it is asked to judge, and gives everything the same."""

    name = "no judge"
    threshold = 0.0

    def __init__(self) -> None:
        self.met: list[Met] = []

    def scores(self, met: Met) -> list[float]:
        """See `Judge.scores`."""
        self.met.append(met)
        return [1.0] * len(met.terms)


def lesson_of(
    question: BenchmarkQuestion, store: GraphStore, scorer: Scorer, *, plans: int, precision: float
) -> JudgeLesson | None:
    """A question as a lesson; None where it has no topic in the graph, no answer there, or no plan.

    Raises:
        ScorerUnavailableError: the scorer cannot be asked.
        GraphStoreError: the graph cannot be read.

    """
    parse = next((one for one in question.parses if one.topic is not None and one.answers), None)
    if parse is None or parse.topic is None or parse.topic not in store.cards([parse.topic]):
        return None
    answers = frozenset[Term]().union(*(one.answers for one in question.parses if one.topic == parse.topic))
    entities = [answer for answer in answers if isinstance(answer, Entity)]
    if len(entities) == len(answers) and not store.cards(entities):
        return None
    switches = EngineSwitches(
        options={PLANS.name: min(plans, PLANS.most), ENTITIES.name: ENTITIES.most},
        topic_may_answer=question.topic_may_answer,
        topic_may_recur=question.topic_may_recur,
    )
    run = Run(question.text, store, scorer, topic=parse.topic, limits=TERSE, switches=switches)
    linking = _last(choose_topic(run))
    if linking.topic is None:
        return None
    witness = _Witness()
    finder = Finder(run, linking, witness)
    reached = Reached(run, finder, _last(searched(run, linking, finder, (), finder.lead_on)))
    ways = [way for way, kept in finder.kept.items() if kept]
    return _lesson(question.id, answers, dict(zip(ways, witness.met, strict=True)), reached, run, precision)


def _lesson(
    id_: str, answers: frozenset[Term], met: dict[Way, Met], reached: Reached, run: Run, precision: float
) -> JudgeLesson | None:
    if not reached.paths:
        return None
    targets: dict[Term, int] = {}
    ends: dict[int, list[bool]] = {}
    on_path: dict[tuple[Way, Term], bool] = {}
    by_plan: dict[int, set[tuple[Way, Term]]] = {}
    for path in reached.paths:
        targets.setdefault(path.target, len(targets))
        ends.setdefault(path.plan, []).append(path.target in answers)
        for fact in path.facts:
            place = way_to(run, fact.position), fact.target
            on_path[place] = on_path.get(place, False) or path.target in answers
            by_plan.setdefault(path.plan, set()).add(place)
    right = {plan for plan, hits in ends.items() if sum(hits) >= precision * len(hits)}
    numbers: dict[tuple[Way, Term], int] = {}
    rows: list[Row] = []
    for way, frontier in met.items():
        looked = [(term, known) for term, known in zip(frontier.terms, frontier.known, strict=True) if known]
        looked.sort(key=lambda one: not on_path.get((way, one[0]), False))
        for term, known in looked[:_ROWS_OF_A_FRONTIER]:
            numbers[way, term] = len(rows)
            rows.append(Row(known, frontier.relation))
    taught = {place for plan in right for place in by_plan[plan]}
    paths = []
    for path in reached.paths:
        places = [(way_to(run, fact.position), fact.target) for fact in path.facts]
        if all(place in numbers for place in places):
            along = tuple(numbers[place] for place in places)
            paths.append(LessonPath(path.plan_weight, along, targets[path.target]))
    return JudgeLesson(
        id_,
        next(iter(met.values())).question,
        tuple(rows),
        tuple((numbers[place], float(on_path[place])) for place in sorted(taught, key=str) if place in numbers),
        tuple(paths),
        tuple(term in answers for term in targets),
        len(answers),
    )


def _last(emitted: Generator[StageEvent, None, Result]) -> Result:
    """What a part of a strategy comes to."""
    while True:
        try:
            next(emitted)
        except StopIteration as end:
            result: Result = end.value
            return result
