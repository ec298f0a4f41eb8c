"""What a rule set is: how a published script judges answers, and how it sums questions up.

`docs/reference/metrics.md` lists how the scripts differ. To add a script: a file in this folder, and a line in
`reasoning.evaluation.rules.registry`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from kgstore.freebase_ids import is_mid
from kgstore.terms import Term

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

Values: TypeAlias = "Mapping[str, float]"
"""What a rule set keeps of a question, to be summed up later."""


@dataclass(frozen=True, slots=True)
class JudgedQuestion:
    """What rule sets read of a question. Answers are compared as everywhere: rules differ in what follows from it."""

    golds: Sequence[frozenset[Term]]
    """The gold answers of each reading, at least one reading."""
    predicted: Sequence[Term]
    """With repeats, the first answer first."""
    gold_names: Sequence[str]
    """The names of the gold answers of all readings."""
    said: str | Sequence[str]
    """The predicted text, or the predicted names."""
    is_predicted: bool = True
    """Whether the prediction file names the question."""
    ground_truth: Sequence[str] = ()
    """The names of the gold answers in the prediction file itself, which RoG's script reads."""
    gold_forms: Sequence[str] = ()
    """The gold logical forms; none where the benchmark has none."""
    form: str = ""
    """The predicted logical form; empty where there is none."""

    @property
    def gold(self) -> frozenset[Term]:
        """The gold answers of all readings."""
        return frozenset[Term]().union(*self.golds)


@dataclass(frozen=True, slots=True)
class RuleFigure:
    """A figure as a script reports it."""

    name: str
    value: float
    """A share of 1, not rounded. By some rules it may exceed 1."""
    printed: str
    """The same as the script prints it."""
    ours: str = ""
    """The figure of `reasoning.evaluation.reporting.report` to compare it with; empty where there is none."""


@dataclass(frozen=True, slots=True)
class RuleSet:
    """The rules of a published script."""

    name: str
    """In commands: ``webqsp``."""
    title: str
    source: str
    """Address and version of the script."""
    judge: Callable[[JudgedQuestion], Values | None]
    """Judge one question; None if the script does not count it."""
    sum_up: Callable[[Sequence[tuple[Values, str]]], Iterator[RuleFigure]]
    """The figures of at least one counted question, each with its level of GrailQA."""
    needs_forms: bool = False
    """Whether it counts only questions with a gold logical form."""


def unnamed_gold(names: Sequence[str]) -> float:
    """1 if some gold answer has no name in the graph, so that its id is compared; 0 otherwise."""
    return float(any(map(is_mid, names)))


def unnamed_questions(questions: Sequence[tuple[Values, str]]) -> Iterator[RuleFigure]:
    """How many questions have a gold answer without a name, if any has; rules that compare names find fewer of them."""
    count = sum(values["unnamed"] for values, _ in questions)
    if count:
        yield RuleFigure("questions_with_an_unnamed_gold_answer", count / len(questions), f"{count:.0f}")


def mean_of(name: str, questions: Sequence[tuple[Values, str]]) -> float:
    """The mean of a value over questions."""
    return sum(values[name] for values, _ in questions) / len(questions)
