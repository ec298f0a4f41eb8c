"""A figure of agreement: its value, over how many questions, what it leaves out, or why there is none."""

from __future__ import annotations

from dataclasses import dataclass, field
from statistics import fmean
from typing import TYPE_CHECKING

from reasoning.evaluation.reporting.intervals import interval

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


@dataclass(frozen=True, slots=True)
class AgreementFigure:
    """A figure, or that it is not defined."""

    value: float | None
    questions: int
    """The number of questions that the figure covers."""
    why: str = ""
    """Why there is none, in words."""
    low: float | None = None
    high: float | None = None
    """The 95 % interval; None where none is drawn."""
    left_out: dict[str, int] = field(default_factory=dict)
    """What it leaves out, in words, and how much of that."""


def mean_figure(
    values: Sequence[float], why: str, left_out: Mapping[str, int] | None = None, *, drawn: bool = False
) -> AgreementFigure:
    """The mean of one value for each question, with its 95 % bootstrap interval if ``drawn``; without any, ``why``.

    Two labels of a question are no two independent draws, so what is drawn from are questions.
    """
    counted = {words: count for words, count in (left_out or {}).items() if count}
    if not values:
        return AgreementFigure(None, 0, why, left_out=counted)
    low, high = interval(values) if drawn and len(values) > 1 else (None, None)
    return AgreementFigure(fmean(values), len(values), low=low, high=high, left_out=counted)


def coefficient_figure(
    value: float | None, questions: int, why: str, left_out: Mapping[str, int] | None = None
) -> AgreementFigure:
    """A coefficient over this number of questions; where it is None, ``why``."""
    counted = {words: count for words, count in (left_out or {}).items() if count}
    return AgreementFigure(value, questions, why if value is None else "", left_out=counted)
