"""The rules of ``eval.py``, which is published with WebQSP (Yih et al., ACL 2016)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reasoning.evaluation.metrics.metrics import best_over, harmonic
from reasoning.evaluation.rules.rule_set import JudgedQuestion, RuleFigure, RuleSet, Values, mean_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


def _judge(question: JudgedQuestion) -> Values:
    """Precision, recall and F1 of the reading with the best F1; all are 0 if the file does not name the question.

    ``hit`` is not the script's own, but that of ChatKBQA's copy: a reading without answers is always hit.
    """
    if not question.is_predicted:
        return dict.fromkeys(("precision", "recall", "f1", "correct", "hit"), 0.0)
    best, _ = best_over(question.predicted, question.golds)
    return {
        "precision": best.precision,
        "recall": best.recall,
        "f1": best.f1,
        "correct": float(best.f1 == 1),
        "hit": float(any(not gold or not gold.isdisjoint(question.predicted) for gold in question.golds)),
    }


def _sum_up(questions: Sequence[tuple[Values, str]]) -> Iterator[RuleFigure]:
    precision, recall = mean_of("precision", questions), mean_of("recall", questions)
    for name, value, ours in (
        ("precision", precision, "precision"),
        ("recall", recall, "recall"),
        ("f1", mean_of("f1", questions), "macro_f1"),
        ("f1_of_averages", harmonic(precision, recall), "paper_f1"),
        ("true_accuracy", mean_of("correct", questions), "exact_match"),
        ("hits_at_1_of_chatkbqa", mean_of("hit", questions), "hit"),
    ):
        yield RuleFigure(name, value, f"{value:.3f}", ours)


RULES = RuleSet(
    name="webqsp",
    title="WebQSP",
    source="https://github.com/salesforce/rng-kbqa/blob/4c66abf3fed26dc6386d168b99d4ded4c0c79aec/WebQSP/webqsp_evaluate.py",
    judge=_judge,
    sum_up=_sum_up,
)
