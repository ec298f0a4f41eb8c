"""The rules of RoG's ``evaluate_results.py`` (Luo et al., ICLR 2024), which look for names in the predicted text."""

from __future__ import annotations

import re
import string
from collections import Counter
from typing import TYPE_CHECKING

from reasoning.evaluation.metrics.metrics import harmonic
from reasoning.evaluation.rules.rule_set import (
    JudgedQuestion,
    RuleFigure,
    RuleSet,
    Values,
    unnamed_gold,
    unnamed_questions,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ARTICLE = re.compile(r"\b(?:a|an|the)\b")
_FIGURES = (
    ("accuracy", "recall"),
    ("hit", "hit"),
    ("f1", "macro_f1"),
    ("precision", "precision"),
    ("recall", "recall"),
)


def _judge(question: JudgedQuestion) -> Values | None:
    """How many gold names are parts of the predicted text, by its lines and by the gold names.

    Precision exceeds 1 if a line holds several gold names. A list counts each of its texts once, the most frequent
    first. The script reads the gold names from the prediction file, counts only questions of that file, and stops at
    one without gold answers.
    """
    gold_names = question.ground_truth or question.gold_names
    if not question.is_predicted or not gold_names:
        return None
    if isinstance(question.said, str):
        lines = question.said.split("\n")
    else:
        lines = [text for text, _ in Counter(question.said).most_common()]
    text = _plain(" ".join(lines))
    matched = sum(_plain(name) in text for name in gold_names)
    share = matched / len(gold_names)
    precision, recall = (matched / len(lines), share) if lines else (0.0, 0.0)
    return {
        "accuracy": share,
        "hit": float(matched > 0),
        "f1": harmonic(precision, recall),
        "precision": precision,
        "recall": recall,
        "unnamed": unnamed_gold(gold_names),
    }


def _plain(text: str) -> str:
    """Small letters, without punctuation, articles and needless spaces."""
    return " ".join(_ARTICLE.sub(" ", text.lower().translate(_NO_PUNCTUATION)).split())


def _sum_up(questions: Sequence[tuple[Values, str]]) -> Iterator[RuleFigure]:
    for name, ours in _FIGURES:
        total = sum(values[name] for values, _ in questions)
        yield RuleFigure(name, total / len(questions), str(total * 100 / len(questions)), ours)
    yield from unnamed_questions(questions)


RULES = RuleSet(
    name="rog",
    title="RoG",
    source="https://github.com/RManLuo/reasoning-on-graphs/blob/8553f30e3e7ea626c416cbe041e93dede339f68a/src/qa_prediction/evaluate_results.py",
    judge=_judge,
    sum_up=_sum_up,
)
