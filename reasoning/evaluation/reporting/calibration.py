"""How far the confidence of answers is to be trusted: reliability, expected calibration error, and a correction.

The confidence of an answer is the product of the probabilities of its decisions. It is calibrated where, of all answers
that claim 70 %, 70 % are right (Guo et al., On Calibration of Modern Neural Networks, ICML 2017).
"""

from __future__ import annotations

import hashlib
from statistics import fmean
from typing import TYPE_CHECKING, Any

from reasoning.scorers.calibration import Calibration

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reasoning.evaluation.judging.outcome import Outcome

BINS = 10
FEWEST = 40
"""Of fewer answers, no correction is learned."""


def reliability(outcomes: Sequence[Outcome]) -> dict[str, Any] | None:
    """Confidence compared with what was right, over questions with a confidence; None without any.

    ``bins`` make the reliability diagram. ``ece`` is the expected calibration error: the mean distance of confidence
    and share of right answers, bins weighed by their answers. ``corrected_ece`` is the same after a correction that
    each half of the questions learned from the other half; ``correction`` is learned from all.
    """
    rated = [(o.confidence, o.hit_first, _half(o.id)) for o in outcomes if o.confidence is not None and o.predicted]
    if not rated:
        return None
    confidences, right = [c for c, _, _ in rated], [r for _, r, _ in rated]
    found: dict[str, Any] = {
        "questions": len(rated),
        "confidence": fmean(confidences),
        "right": fmean(right),
        "ece": _ece(confidences, right),
        "bins": _bins(confidences, right),
        "corrected_ece": None,
        "correction": None,
    }
    halves = [[(c, r) for c, r, half in rated if half is side] for side in (False, True)]
    if len(rated) >= FEWEST and all(halves):
        of_others = [Calibration.fitted(*_columns(half)) for half in reversed(halves)]
        corrected = [of_others[half](c) for c, _, half in rated]
        found["corrected_ece"] = _ece(corrected, right)
        found["correction"] = Calibration.fitted(confidences, right).to_json()
    return found


def _columns(pairs: Sequence[tuple[float, bool]]) -> tuple[list[float], list[bool]]:
    return [c for c, _ in pairs], [r for _, r in pairs]


def _half(identity: str) -> bool:
    """Which half a question belongs to, by its id alone, and independent of the split that it is in."""
    return hashlib.sha256(f"half {identity}".encode()).digest()[0] % 2 == 1


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
