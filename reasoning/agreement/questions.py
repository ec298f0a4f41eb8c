"""What is kept of a question whose labels were compared: enough for all figures, without the graph."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING

from reasoning.agreement.pairs import STAGES, PairAgreement, StageName

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True, slots=True)
class LabelSaid:
    """A label in short."""

    who: int | None
    """None where their account is gone."""
    kind: str
    topic: str | None
    answers: tuple[str, ...] | None
    """Sorted; None where its kind says nothing of answers."""
    seconds: int
    as_suggested: bool | None = None
    """Whether it decides what is suggested, or would be if the question were not blind; None where nothing is."""
    rightness: float | None = None
    """From 0 to 1, how right its answers are; None where that is not known."""


@dataclass(frozen=True, slots=True)
class QuestionMeans:
    """How far the labels of a question agree: of each measure the mean over its pairs; None where no pair tells it."""

    answers: float | None
    """F1, from 0 to 1."""
    same_derivation: float | None
    """The share of pairs of derivations that decide the same."""
    distance: float | None
    """Graph edit distance, from 0."""
    facts: float | None
    """F1, from 0 to 1."""
    parted: StageName | None
    """The first stage in which two of them differ."""


@dataclass(frozen=True, slots=True)
class QuestionAgreement:
    """The labels of a question, every two of them compared."""

    labels: tuple[LabelSaid, ...]
    pairs: tuple[PairAgreement, ...]
    """Empty where there is one label."""
    shown: bool | None = None
    """Whether who labelled it saw a suggestion, or was to label blind; None where neither was so."""

    @property
    def agreed(self) -> bool:
        """Whether all labels say the same, which one label does."""
        return all(pair.agreed for pair in self.pairs)

    @property
    def rank(self) -> tuple[float, float, float]:
        """For a list of the worst first: how far answers or kinds agree, derivations, and structures."""
        if not self.pairs:
            return 1.0, 1.0, 0.0
        same = [float(pair.same_derivation) for pair in self.pairs if pair.same_derivation is not None]
        distances = [pair.distance for pair in self.pairs if pair.distance is not None]
        return (
            fmean(pair.rank for pair in self.pairs),
            fmean(same) if same else 0.0,
            -fmean(distances) if distances else 0.0,
        )

    @property
    def means(self) -> QuestionMeans:
        """What its pairs come to."""

        def mean(read: Callable[[PairAgreement], float | None]) -> float | None:
            values = [value for pair in self.pairs if (value := read(pair)) is not None]
            return fmean(values) if values else None

        parted = {pair.parted for pair in self.pairs}
        return QuestionMeans(
            answers=mean(lambda pair: pair.answers),
            same_derivation=mean(lambda pair: pair.same_derivation),
            distance=mean(lambda pair: pair.distance),
            facts=mean(lambda pair: pair.facts),
            parted=next((stage for stage in STAGES if stage in parted), None),
        )
