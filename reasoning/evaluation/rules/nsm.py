"""The rules of NSM's ``evaluate_nsm.py`` (He et al., WSDM 2021), which ReaRev and GNN-RAG also use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reasoning.evaluation.metrics.metrics import harmonic
from reasoning.evaluation.rules.rule_set import JudgedQuestion, RuleFigure, RuleSet, Values, mean_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_FIGURES = (("hits", "hits_at_1"), ("precision", "precision"), ("recall", "recall"), ("f1", "macro_f1"))


def _judge(question: JudgedQuestion) -> Values | None:
    """The gold answers of all readings are one set. A question without gold answers is hit, whatever is predicted."""
    if not question.is_predicted:
        return None
    predicted, gold = question.predicted, question.gold
    correct = sum(answer in gold for answer in predicted)
    precision = correct / len(predicted) if predicted else 1.0
    recall = correct / len(gold) if gold else 1.0
    return {
        "hits": float(not gold or (bool(predicted) and predicted[0] in gold)),
        "precision": precision,
        "recall": recall,
        "f1": harmonic(precision, recall),
    }


def _sum_up(questions: Sequence[tuple[Values, str]]) -> Iterator[RuleFigure]:
    for name, ours in _FIGURES:
        value = mean_of(name, questions)
        yield RuleFigure(name, value, str(value), ours)


RULES = RuleSet(
    name="nsm",
    title="NSM",
    source="https://github.com/RichardHGL/WSDM2021_NSM/blob/56f31bd6966955098594c847c482a0e276ec7722/NSM/train/evaluate_nsm.py",
    judge=_judge,
    sum_up=_sum_up,
)
