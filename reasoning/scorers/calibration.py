"""A correction of how sure a model is, learned from questions that it was not trained on (Platt 1999)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from reasoning.core.plain import PlainRecord

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kgstore.store import GraphStore

_NEAREST = 1e-6
_ROUNDS = 50
_PRIOR = 1.0
"""How strongly a correction is drawn towards none, in answers."""
_SMALLEST_STEP = 1e-9


@dataclass(frozen=True, slots=True)
class Calibration(PlainRecord):
    """A correction of confidences (Platt 1999): the log-odds are stretched by ``slope`` and moved by ``intercept``."""

    slope: float
    intercept: float

    @classmethod
    def of_card(cls, card: Mapping[str, Any]) -> Calibration | None:
        """What a model card says; None where nothing was learned."""
        learned = card.get("calibration")
        return None if learned is None else cls.from_json(learned)

    def __call__(self, confidence: float) -> float:
        """The share of answers of such a confidence that are right."""
        return self.of_log_odds(_log_odds(confidence))

    def of_log_odds(self, log_odds: float) -> float:
        """The same from the log-odds of the confidence."""
        return 0.5 * (1 + math.tanh(0.5 * (self.slope * log_odds + self.intercept)))

    @classmethod
    def fitted(cls, confidences: Sequence[float], right: Sequence[bool]) -> Calibration:
        """The correction under which the answers are likeliest, by Newton's method, drawn a little towards none."""
        points = [(_log_odds(confidence), one) for confidence, one in zip(confidences, right, strict=True)]
        found, loss = cls(1.0, 0.0), _loss(cls(1.0, 0.0), points)
        for _ in range(_ROUNDS):
            slope, intercept = _newton_step(found, points)
            share, one = 1.0, cls(found.slope - slope, found.intercept - intercept)
            while (tried := _loss(one, points)) > loss:
                share /= 2
                if share < _SMALLEST_STEP:
                    return found
                one = cls(found.slope - share * slope, found.intercept - share * intercept)
            if loss - tried < _SMALLEST_STEP:
                return one
            found, loss = one, tried
        return found


@runtime_checkable
class Calibrated(Protocol):
    """A scorer for which it was learned how far the confidence of its answers is to be trusted."""

    def calibration_over(self, store: GraphStore) -> Calibration | None:
        """The correction for answers from a graph; None where none was learned."""


def _loss(one: Calibration, points: Sequence[tuple[float, bool]]) -> float:
    """How unlikely the answers are under a correction: minus the log-likelihood, and what the prior adds."""
    missed = [one.of_log_odds(x) if not r else 1 - one.of_log_odds(x) for x, r in points]
    unlikely = sum(-math.log(max(1 - m, _NEAREST)) for m in missed)
    return unlikely + _PRIOR / 2 * ((one.slope - 1) ** 2 + one.intercept**2)


def _newton_step(one: Calibration, points: Sequence[tuple[float, bool]]) -> tuple[float, float]:
    by_slope, by_intercept = _PRIOR * (one.slope - 1), _PRIOR * one.intercept
    ss, si, ii = _PRIOR, 0.0, _PRIOR
    for x, r in points:
        claimed = one.of_log_odds(x)
        by_slope += (claimed - r) * x
        by_intercept += claimed - r
        spread = claimed * (1 - claimed)
        ss += spread * x * x
        si += spread * x
        ii += spread
    scale = ss * ii - si * si
    return (ii * by_slope - si * by_intercept) / scale, (ss * by_intercept - si * by_slope) / scale


def _log_odds(confidence: float) -> float:
    inside = min(max(confidence, _NEAREST), 1 - _NEAREST)
    return math.log(inside / (1 - inside))
