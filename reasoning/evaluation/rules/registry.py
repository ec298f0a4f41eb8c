"""All rule sets, and what they make of questions and of evaluations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from reasoning.evaluation.rules import gerbil, grailqa, nsm, rog, tog, webqsp

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from reasoning.evaluation.judging.outcome import Outcome
    from reasoning.evaluation.rules.rule_set import JudgedQuestion, Values

RULE_SETS = {each.name: each for each in (webqsp.RULES, grailqa.RULES, rog.RULES, tog.RULES, nsm.RULES, gerbil.RULES)}
"""By their names, in the order in which they are shown."""


def judged_by_rules(question: JudgedQuestion) -> dict[str, Values]:
    """What each rule set keeps of a question, by its name; those that do not count the question are left out."""
    found = {name: rules.judge(question) for name, rules in RULE_SETS.items()}
    return {name: values for name, values in found.items() if values is not None}


def figures_by_rules(outcomes: Sequence[Outcome], ours: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """A row for each figure of each rule set that counts some of the questions.

    ``ours`` are the figures of all questions. ``value`` is a share of 1; ``printed`` is what the script prints.
    """
    for name, rules in RULE_SETS.items():
        counted = [(each.by_rules[name], each.labels.get("level", "")) for each in outcomes if name in each.by_rules]
        for figure in rules.sum_up(counted) if counted else ():
            yield {
                "rules": name,
                "title": rules.title,
                "questions": len(counted),
                "figure": figure.name,
                "value": figure.value,
                "printed": figure.printed,
                "our_figure": figure.ours,
                "ours": ours.get(figure.ours),
            }
