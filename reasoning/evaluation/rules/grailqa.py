"""The rules of ``grail_evaluate.py``, which is published with GrailQA (Gu et al., WWW 2021)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reasoning.evaluation.metrics.metrics import compare
from reasoning.evaluation.rules.logical_form import compare_forms
from reasoning.evaluation.rules.rule_set import JudgedQuestion, RuleFigure, RuleSet, Values, mean_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_LEVELS = {"i.i.d.": "iid", "compositional": "comp", "zero-shot": "zero"}


def _judge(question: JudgedQuestion) -> Values | None:
    """EM compares query graphs, not which node is asked for. F1 is 1 where EM is 1; without a right answer it is 0."""
    if not question.gold_forms:
        return None
    if not question.is_predicted:
        return {"em": 0.0, "f1": 0.0, "has_form": 0.0}
    is_same = compare_forms(question.form, question.gold_forms).is_same_graph
    predicted = frozenset(question.predicted)
    f1 = 0.0 if predicted.isdisjoint(question.gold) else compare(tuple(predicted), question.gold).f1
    return {"em": float(is_same), "f1": 1.0 if is_same else f1, "has_form": float(bool(question.form))}


def _sum_up(questions: Sequence[tuple[Values, str]]) -> Iterator[RuleFigure]:
    """EM is left out of a file without logical forms."""
    names = [("em", "exact_match_of_logical_forms")] if any(values["has_form"] for values, _ in questions) else []
    names.append(("f1", "macro_f1"))
    for name, ours in names:
        value = mean_of(name, questions)
        yield RuleFigure(name, value, str(value), ours)
    for level, short in _LEVELS.items():
        of_level = [each for each in questions if each[1] == level]
        for name, _ in names if of_level else ():
            value = mean_of(name, of_level)
            yield RuleFigure(f"{name}_{short}", value, str(value))


RULES = RuleSet(
    name="grailqa",
    title="GrailQA",
    source="https://github.com/salesforce/rng-kbqa/blob/41b004cdc7bfa983531bd7eeabd82124fd92404b/GrailQA/grail_evaluate.py",
    judge=_judge,
    sum_up=_sum_up,
    needs_forms=True,
)
