"""How well a scorer answers questions whose derivations are known. Answers are compared as ids and values, never names.

Metrics, per phrasing and averaged over phrasings:

* hit: some predicted answer is right; Hits@1: the first one is;
* exact match: the predicted answers are the gold answers; precision, recall and their harmonic mean F1 of each
  phrasing, averaged (macro-F1); the paper's F1 is the harmonic mean of the averaged precision and recall instead;
* error cases of READS: C1 right; E1 the answer is not in G_k; E2 it is in G_k and listed, but not first; E3 it is in
  G_k and not listed; C2 right though the answer is not in G_k, which must never happen.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from statistics import fmean, quantiles
from time import perf_counter
from typing import TYPE_CHECKING, Any, Literal

from kgstore.terms import Term, parse_term
from reasoning import events
from reasoning.engine import EngineLimits, answer
from reasoning.options import NoneOption, OptionPool, Prompt, Stage
from reasoning.training.samples import LessonError, Teacher

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from kgstore.store import GraphStore
    from reasoning.derivation import Derivation
    from reasoning.questions import SampleQuestion
    from reasoning.scorers.base import Distribution, Scorer

EVERYTHING = EngineLimits(answers_shown=100_000, facts_shown=100_000)
"""Evaluation compares all answers, not only those that a screen would show."""

Case = Literal["C1", "C2", "E1", "E2", "E3"]
_PERCENTILE = 95


@dataclass(frozen=True, slots=True)
class Comparison:
    """Predicted answers beside the gold ones."""

    hit: bool
    hit_first: bool
    exact: bool
    precision: float
    recall: float

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall; 0 where both are."""
        return harmonic(self.precision, self.recall)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one phrasing of a question."""

    question_id: str
    phrasing: str
    answerable: bool
    turned_away: bool
    """The verdict was that the graph holds no answer."""
    failed: bool
    comparison: Comparison
    case: Case | None
    """None for questions that the graph cannot answer."""
    topic_right: bool | None
    """Whether linking chose the topic entity; None where no topic is known."""
    seconds: float
    stage_seconds: dict[str, float]
    decisions: tuple[tuple[str, bool], ...] = ()
    """Each decision made on the gold path: its kind, and whether the scorer's best was right."""


@dataclass(slots=True)
class Evaluation:
    """All outcomes, and the figures that sum them up."""

    outcomes: list[Outcome] = field(default_factory=list)

    def figures(self) -> dict[str, Any]:
        """The figures as one JSON document."""
        answerable = [outcome for outcome in self.outcomes if outcome.answerable]
        unanswerable = [outcome for outcome in self.outcomes if not outcome.answerable]
        linked = [outcome.topic_right for outcome in self.outcomes if outcome.topic_right is not None]
        return {
            "phrasings": len(self.outcomes),
            "failed": sum(outcome.failed for outcome in self.outcomes),
            "answerable": _answerable_figures(answerable) if answerable else None,
            "unanswerable": _unanswerable_figures(unanswerable) if unanswerable else None,
            "linking": fmean(linked) if linked else None,
            "decisions": _decision_figures(self.outcomes),
            "seconds": _second_figures(self.outcomes) if self.outcomes else None,
        }


def evaluate(
    questions: Iterable[SampleQuestion],
    store: GraphStore,
    scorer: Scorer,
    *,
    progress: Callable[[int, Outcome], None] = lambda _count, _outcome: None,
) -> Evaluation:
    """Ask every phrasing of the questions, the topic entity being linked and not given, and compare the answers."""
    evaluation = Evaluation()
    for question in questions:
        for phrasing in question.phrasings:
            evaluation.outcomes.append(evaluate_phrasing(question, phrasing, store, scorer))
            progress(len(evaluation.outcomes), evaluation.outcomes[-1])
    return evaluation


def evaluate_phrasing(question: SampleQuestion, phrasing: str, store: GraphStore, scorer: Scorer) -> Outcome:
    """Ask one phrasing and compare."""
    started = perf_counter()
    told = list(answer(phrasing, store, scorer, limits=EVERYTHING))
    seconds = perf_counter() - started
    last = told[-1]
    predicted = [parse_term(a.term.id) for a in last.answers] if isinstance(last, events.Finished) else []
    linked = next((event for event in told if isinstance(event, events.EntityLinked)), None)
    topic = None if linked is None or linked.topic is None else linked.topic.id
    comparison = compare(predicted, question.answers)
    answerable = question.derivation is not None
    return Outcome(
        question.id,
        phrasing,
        answerable,
        turned_away=isinstance(last, events.Finished) and last.verdict == "not_in_graph",
        failed=isinstance(last, events.Failed),
        comparison=comparison,
        case=_case(comparison, told, question.answers) if answerable else None,
        topic_right=None if question.topic is None else topic == question.topic.mid,
        seconds=seconds,
        stage_seconds=last.seconds.model_dump() if isinstance(last, events.Finished) else {},
        decisions=() if question.derivation is None else examine(question.derivation, phrasing, store, scorer),
    )


def compare(predicted: Sequence[Term], gold: frozenset[Term]) -> Comparison:
    """Compare answers, the first of ``predicted`` being the first answer."""
    right = gold.intersection(predicted)
    distinct = len(set(predicted))
    return Comparison(
        hit=bool(right),
        hit_first=bool(predicted) and predicted[0] in gold,
        exact=bool(gold) and set(predicted) == gold,
        precision=len(right) / distinct if distinct else 0.0,
        recall=len(right) / len(gold) if gold else 0.0,
    )


def harmonic(first: float, second: float) -> float:
    """The harmonic mean of two shares; 0 where both are."""
    return 2 * first * second / (first + second) if first + second else 0.0


def examine(derivation: Derivation, phrasing: str, store: GraphStore, scorer: Scorer) -> tuple[tuple[str, bool], ...]:
    """Whether the scorer's best is right at each decision of the gold derivation, whatever it said before."""
    examiner = _Examiner(derivation, scorer)
    for topic in (None, derivation.topic):
        try:
            list(answer(phrasing, store, examiner, topic=topic))
        except LessonError:
            if not examiner.made:
                # The question does not name the topic as the graph does; the later decisions can be examined.
                continue
        break
    return tuple(examiner.made)


class _Examiner(Teacher):
    """Asks the scorer, notes whether it is right, and goes on with what is right."""

    def __init__(self, derivation: Derivation, scorer: Scorer) -> None:
        super().__init__(derivation)
        self._scorer = scorer
        self.made: list[tuple[str, bool]] = []

    def score(self, prompt: Prompt, pool: OptionPool, *, best: int | None = None) -> Distribution:
        taught = super().score(prompt, pool, best=best)
        if len(pool) > 1:
            right = self.lessons[-1][2]
            kind = _decision_kind(prompt.stage, stop=isinstance(pool.options[right[0]], NoneOption))
            self.made.append((kind, self._scorer.score(prompt, pool).best in right))
        return taught


def _decision_kind(stage: Stage, *, stop: bool) -> str:
    match stage:
        case Stage.LINK:
            return "topic"
        case Stage.SEARCH:
            return "stop" if stop else "step"
        case Stage.PRUNE:
            return "no more constraints" if stop else "constraint"
        case Stage.INFER:
            return "position"


def _case(comparison: Comparison, told: Sequence[events.StageEvent], gold: frozenset[Term]) -> Case:
    found = {str(term) for term in gold}
    retrieved = any(
        fact.target.id in found for event in told if isinstance(event, events.SearchStepTaken) for fact in event.facts
    )
    if comparison.hit_first:
        return "C1" if retrieved else "C2"
    if not retrieved:
        return "E1"
    return "E2" if comparison.hit else "E3"


def _answerable_figures(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    compared = [outcome.comparison for outcome in outcomes]
    precision, recall = fmean(c.precision for c in compared), fmean(c.recall for c in compared)
    return {
        "phrasings": len(outcomes),
        "questions": len({outcome.question_id for outcome in outcomes}),
        "hit": fmean(c.hit for c in compared),
        "hits_at_1": fmean(c.hit_first for c in compared),
        "exact_match": fmean(c.exact for c in compared),
        "precision": precision,
        "recall": recall,
        "macro_f1": fmean(c.f1 for c in compared),
        "paper_f1": harmonic(precision, recall),
        "turned_away": fmean(outcome.turned_away for outcome in outcomes),
        "cases": dict(sorted(Counter(str(outcome.case) for outcome in outcomes).items())),
    }


def _unanswerable_figures(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    by_question: dict[str, list[bool]] = {}
    for outcome in outcomes:
        by_question.setdefault(outcome.question_id, []).append(outcome.turned_away)
    return {
        "phrasings": len(outcomes),
        "recognised": sum(outcome.turned_away for outcome in outcomes),
        "questions": len(by_question),
        "questions_recognised": sum(all(found) for found in by_question.values()),
    }


def _decision_figures(outcomes: Iterable[Outcome]) -> dict[str, dict[str, Any]]:
    kinds: dict[str, list[bool]] = {}
    for outcome in outcomes:
        for kind, right in outcome.decisions:
            kinds.setdefault(kind, []).append(right)
    return {kind: {"made": len(found), "right": fmean(found)} for kind, found in sorted(kinds.items())}


def _second_figures(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    seconds = [outcome.seconds for outcome in outcomes]
    stages = sorted({stage for outcome in outcomes for stage in outcome.stage_seconds})
    return {
        "mean": fmean(seconds),
        "p95": quantiles(seconds, n=100)[_PERCENTILE - 1] if len(seconds) > 1 else seconds[0],
        "longest": max(seconds),
        "stages": {stage: fmean(o.stage_seconds.get(stage, 0.0) for o in outcomes) for stage in stages},
    }
