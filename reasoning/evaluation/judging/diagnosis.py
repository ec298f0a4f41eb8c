"""The error class of a wrong answer in the terms of the strategy that gave it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reasoning.core.blame import Cause
from reasoning.evaluation.judging.comparison import answers_of, compared_terms, is_alias, knows_names_alone
from reasoning.run.diagnosis import DogDiagnosis, WrongAnswer
from reasoning.strategies.registry import STRATEGIES

if TYPE_CHECKING:
    from collections.abc import Collection

    from kgstore.store import GraphStore
    from kgstore.terms import Term
    from reasoning.core.trace import Trace
    from reasoning.datasets.question import BenchmarkQuestion
    from reasoning.evaluation.judging.outcome import Outcome
    from reasoning.evaluation.judging.settings import EvaluationSettings


def diagnosis(
    outcome: Outcome, question: BenchmarkQuestion, store: GraphStore, trace: Trace, settings: EvaluationSettings
) -> DogDiagnosis | None:
    """The error class of an answer; None where the first answer is right or the strategy has no error classes.

    ``outcome`` has the events of the run and what is to blame; ``trace`` is what the run came to. None too where a
    decision may be to blame and the events of the run were not kept.

    Raises:
        GraphStoreError: the graph cannot be read.

    """
    strategy = STRATEGIES.get(settings.strategy)
    if strategy is None or strategy.diagnose is None or outcome.is_right:
        return None
    by_name = knows_names_alone(question)
    golds = frozenset(compared_terms(answers_of(question), store, by_name=by_name))

    def is_answer(terms: Collection[Term]) -> bool:
        return not golds.isdisjoint(compared_terms(terms, store, by_name=by_name))

    return strategy.diagnose(
        WrongAnswer(
            question=question.text,
            store=store,
            trace=trace,
            emitted=outcome.emitted,
            blame=outcome.blame,
            has_failed=outcome.verdict == "failed",
            is_alias=bool(trace.answers) and is_alias(trace.answers[0], question, store),
            other_reason=_other_reason(outcome),
            is_answer=is_answer,
            options=settings,
        )
    )


def _other_reason(outcome: Outcome) -> str:
    blamed = outcome.blame
    if not outcome.answerable:
        return "The benchmark has no answer, and one was given."
    if outcome.graph_gap:
        return "No gold answer is in the graph."
    if outcome.topic is None or outcome.topic_right is False or (blamed and blamed.cause is Cause.LINKING):
        return "The search began at another topic entity, or at none."
    return ""
