"""How far the confidence of answers is to be trusted: reliability, expected calibration error, and a correction.

The confidence of an answer is the product of the probabilities of its decisions. It is calibrated where, of all answers
that claim 70 %, 70 % are right (Guo et al., On Calibration of Modern Neural Networks, ICML 2017).
"""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from reasoning.evaluation.outcome import Outcome

BINS = 10
FEWEST = 40
"""Of fewer answers, no correction is learned."""
_NEAREST = 1e-6
_ROUNDS = 50
_PRIOR = 1.0
"""How strongly a correction is drawn towards none, in answers."""
_SMALLEST_STEP = 1e-9


@dataclass(frozen=True, slots=True)
class Calibration:
    """A correction of confidences (Platt 1999): the log-odds are stretched by ``slope`` and moved by ``intercept``."""

    slope: float
    intercept: float

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

    @classmethod
    def from_json(cls, document: Mapping[str, float]) -> Calibration:
        """Read what `to_json` gives."""
        return cls(document["slope"], document["intercept"])

    def to_json(self) -> dict[str, float]:
        """Both numbers by name."""
        return {"slope": self.slope, "intercept": self.intercept}


def reliability(outcomes: Sequence[Outcome]) -> dict[str, Any] | None:
    """Confidence beside what was right, over the questions that were answered with a confidence; None without any.

    ``bins`` make the reliability diagram. ``ece`` is the expected calibration error: the mean distance of confidence
    and share of right answers, bins weighed by their answers. ``corrected_ece`` is the same after a correction that
    each half of the questions learned from the other half; ``correction`` is learned from all.
    """
    told = [(o.confidence, o.hit_first, _half(o.id)) for o in outcomes if o.confidence is not None and o.predicted]
    if not told:
        return None
    confidences, right = [c for c, _, _ in told], [r for _, r, _ in told]
    found: dict[str, Any] = {
        "questions": len(told),
        "confidence": fmean(confidences),
        "right": fmean(right),
        "ece": _ece(confidences, right),
        "bins": _bins(confidences, right),
        "corrected_ece": None,
        "correction": None,
    }
    halves = [[(c, r) for c, r, half in told if half is side] for side in (False, True)]
    if len(told) >= FEWEST and all(halves):
        of_others = [Calibration.fitted(*_columns(half)) for half in reversed(halves)]
        corrected = [of_others[half](c) for c, _, half in told]
        found["corrected_ece"] = _ece(corrected, right)
        found["correction"] = Calibration.fitted(confidences, right).to_json()
    return found


def _columns(pairs: Sequence[tuple[float, bool]]) -> tuple[list[float], list[bool]]:
    return [c for c, _ in pairs], [r for _, r in pairs]


def _half(identity: str) -> bool:
    """Which half a question belongs to, by its id alone."""
    return hashlib.sha256(identity.encode()).digest()[0] % 2 == 1


def _bin(confidence: float) -> int:
    return min(int(confidence * BINS), BINS - 1)


def _bins(confidences: Sequence[float], right: Sequence[bool]) -> list[dict[str, Any]]:
    pairs = list(zip(confidences, right, strict=True))
    return [
        {
            "low": place / BINS,
            "high": (place + 1) / BINS,
            "questions": len(held),
            "confidence": fmean(c for c, _ in held),
            "right": fmean(r for _, r in held),
        }
        for place in range(BINS)
        if (held := [(c, r) for c, r in pairs if _bin(c) == place])
    ]


def _ece(confidences: Sequence[float], right: Sequence[bool]) -> float:
    held = _bins(confidences, right)
    return float(sum(each["questions"] * abs(each["confidence"] - each["right"]) for each in held) / len(confidences))


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
