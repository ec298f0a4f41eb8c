"""The rules of GERBIL QA (Usbeck et al., Semantic Web 2019), by which QALD is judged."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reasoning.evaluation.metrics.metrics import harmonic
from reasoning.evaluation.rules.rule_set import JudgedQuestion, RuleFigure, RuleSet, Values

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_COUNTS = ("right", "wrong", "lacking")


def _judge(question: JudgedQuestion) -> Values:
    """Both sides are sets, and the first reading alone counts. A question that the file does not name has no answer."""
    gold = question.golds[0]
    predicted = frozenset(question.predicted) if question.is_predicted else frozenset()
    right = len(gold & predicted)
    return dict(zip(_COUNTS, (right, len(predicted) - right, len(gold) - right), strict=True))


def _measures(right: float, wrong: float, lacking: float) -> tuple[float, float, float]:
    """Precision, recall and F1; all are 1 if both sides are empty, and 0 if nothing is right."""
    if not right:
        return (0.0, 0.0, 0.0) if wrong or lacking else (1.0, 1.0, 1.0)
    precision, recall = right / (right + wrong), right / (right + lacking)
    return precision, recall, harmonic(precision, recall)


def _sum_up(questions: Sequence[tuple[Values, str]]) -> Iterator[RuleFigure]:
    """*Macro F1 QALD* is the harmonic mean of the averages, where precision is 1 if nothing is predicted."""
    counts = [tuple(values[name] for name in _COUNTS) for values, _ in questions]
    each = [_measures(*count) for count in counts]
    precision, recall, f1 = (sum(column) / len(counts) for column in zip(*each, strict=True))
    silent = sum(1 for right, wrong, lacking in counts if lacking and not (right or wrong))
    micro = _measures(*(sum(column) for column in zip(*counts, strict=True)))
    for name, value, ours in (
        ("macro_precision", precision, "precision"),
        ("macro_recall", recall, "recall"),
        ("macro_f1", f1, "macro_f1"),
        ("macro_f1_qald", harmonic(precision + silent / len(counts), recall), "paper_f1"),
        ("micro_precision", micro[0], ""),
        ("micro_recall", micro[1], ""),
        ("micro_f1", micro[2], ""),
    ):
        yield RuleFigure(name, value, str(value), ours)


RULES = RuleSet(
    name="gerbil",
    title="GERBIL QA",
    source="https://github.com/dice-group/gerbil/blob/0f1c01ff79c84e98cf7c929e907d4941dfb14d17/src/main/java/org/aksw/gerbil/matching/impl/QAMatchingsCounter.java",
    judge=_judge,
    sum_up=_sum_up,
)
