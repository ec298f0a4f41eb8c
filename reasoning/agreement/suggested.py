"""Blind labels compared with labels made after a suggestion: whether the suggestion biases them."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING, Literal, TypeAlias

from reasoning.agreement.figures import AgreementFigure, mean_figure
from reasoning.evaluation.reporting.intervals import difference_interval

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from reasoning.agreement.questions import QuestionAgreement

Asked: TypeAlias = Literal["as_suggested", "agreement", "rightness", "seconds"]
_WHY: dict[Asked, str] = {
    "as_suggested": "There is no label of such a question, or nothing that would be suggested for it is known.",
    "agreement": "No such question has two labels that both say what its answers are.",
    "rightness": "There is no label of such a question with known answers.",
    "seconds": "There is no label of such a question.",
}


@dataclass(frozen=True, slots=True)
class SuggestionContrast:
    """A figure of labels made with a suggestion in sight, and the same of blind ones."""

    what: Asked
    """Share of labels that decide what is suggested; F1 of the answers of two labels; rightness; seconds of a label."""
    shown: AgreementFigure
    blind: AgreementFigure
    difference: AgreementFigure
    """That of the shown less that of the blind, with its interval; over the questions of both."""


@dataclass(frozen=True, slots=True)
class SuggestionBias:
    """What seeing a suggestion does to labels. Which questions are blind is drawn by a hash."""

    shown: int
    """Questions of which a suggestion was seen."""
    blind: int
    neither: int
    """Questions that are not blind, and for which there was nothing to be shown; they are left out."""
    contrasts: tuple[SuggestionContrast, ...]


def suggestion_bias(questions: Sequence[QuestionAgreement]) -> SuggestionBias:
    """Compare both; each question counts once, with the mean of its labels."""
    shown = [question for question in questions if question.shown is True]
    blind = [question for question in questions if question.shown is False]
    return SuggestionBias(
        len(shown),
        len(blind),
        len(questions) - len(shown) - len(blind),
        tuple(_contrast(what, shown, blind, read) for what, read in _READ.items()),
    )


def _contrast(
    what: Asked,
    shown: Sequence[QuestionAgreement],
    blind: Sequence[QuestionAgreement],
    read: Callable[[QuestionAgreement], Sequence[float]],
) -> SuggestionContrast:
    first, second = (sorted(fmean(values) for each in side if (values := read(each))) for side in (shown, blind))
    if not first or not second:
        difference = AgreementFigure(None, len(first) + len(second), "There are not both kinds of questions.")
    else:
        low, high = difference_interval(second, first) if min(len(first), len(second)) > 1 else (None, None)
        difference = AgreementFigure(fmean(first) - fmean(second), len(first) + len(second), low=low, high=high)
    return SuggestionContrast(
        what, mean_figure(first, _WHY[what], drawn=True), mean_figure(second, _WHY[what], drawn=True), difference
    )


_READ: dict[Asked, Callable[[QuestionAgreement], Sequence[float]]] = {
    "as_suggested": lambda each: [float(s.as_suggested) for s in each.labels if s.as_suggested is not None],
    "agreement": lambda each: [pair.answers for pair in each.pairs if pair.answers is not None],
    "rightness": lambda each: [said.rightness for said in each.labels if said.rightness is not None],
    "seconds": lambda each: [float(said.seconds) for said in each.labels],
}
