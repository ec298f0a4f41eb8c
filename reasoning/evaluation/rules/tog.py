"""The rules of Think-on-Graph's ``eval.py`` (Sun et al., ICLR 2024), which compare a gold name with a sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reasoning.evaluation.rules.rule_set import (
    JudgedQuestion,
    RuleFigure,
    RuleSet,
    Values,
    mean_of,
    unnamed_gold,
    unnamed_questions,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


def _judge(question: JudgedQuestion) -> Values | None:
    """Right if the answer is a part of a gold name, or a gold name is a part of it.

    The answer is what is in the first braces, or else the whole text. An empty answer is a part of every name. An empty
    list is no text, and wrong. The script counts only questions of its file.
    """
    if not question.is_predicted:
        return None
    said = question.said
    text = said if isinstance(said, str) else "\n".join(said)
    answer = text[text.find("{") + 1 : text.find("}")] if "{" in text else text
    is_nothing = answer == "NULL" if "{" in text else not (said or isinstance(said, str))
    found = _plain(answer)
    names = map(_plain, question.gold_names)
    return {
        "exact_match": float(not is_nothing and any(found in name or name in found for name in names)),
        "unnamed": unnamed_gold(question.gold_names),
    }


def _plain(text: str) -> str:
    """Small letters without spaces."""
    return text.strip().replace(" ", "").lower()


def _sum_up(questions: Sequence[tuple[Values, str]]) -> Iterator[RuleFigure]:
    value = mean_of("exact_match", questions)
    yield RuleFigure("exact_match", value, str(value), "hit")
    yield from unnamed_questions(questions)


RULES = RuleSet(
    name="tog",
    title="Think-on-Graph",
    source="https://github.com/IDEA-FinAI/ToG/blob/d31dd39ab747281928a440177629faeb0df6a6b4/eval/eval.py",
    judge=_judge,
    sum_up=_sum_up,
)
