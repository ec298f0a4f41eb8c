"""READS' data efficiency: how often each stage decides rightly, against the share of the training data.

Shares are of questions, and nested: what a smaller share teaches, a larger one does too.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from statistics import fmean
from typing import TYPE_CHECKING, Any

from reasoning.core.options import Stage
from reasoning.evaluation.reporting.intervals import interval

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from reasoning.scorers.base import Scorer
    from reasoning.training.lessons.samples import TrainingSample

COLUMNS = ("share", "questions", "samples", "stage", "decisions", "accuracy", "low", "high")


def shared(samples: Iterable[TrainingSample], share: float) -> Iterator[TrainingSample]:
    """The lessons of a share of the questions, chosen by a hash; wordings of one question stay together."""
    for sample in samples:
        drawn = hashlib.sha256(f"share {sample.group or sample.question_id}".encode()).digest()
        if int.from_bytes(drawn[:4], "big") < share * 2**32:
            yield sample


def decisions_asked(samples: Iterable[TrainingSample], most: int) -> list[TrainingSample]:
    """Up to ``most`` decisions of each stage that have a choice, chosen by a hash: the same ones each time."""
    by_stage: defaultdict[Stage, list[tuple[bytes, TrainingSample]]] = defaultdict(list)
    for number, sample in enumerate(samples):
        if len(sample.pool) > 1:
            drawn = hashlib.sha256(f"tested {sample.question_id} {number}".encode()).digest()
            by_stage[sample.state.stage].append((drawn, sample))
    return [sample for stage in Stage for _, sample in sorted(by_stage.get(stage, ()), key=lambda one: one[0])[:most]]


def accuracies(
    scorer: Scorer, samples: Sequence[TrainingSample], progress: Callable[[int, int], None] = lambda *_: None
) -> list[dict[str, Any]]:
    """By stage, and for ``all`` of them, the share of decisions whose likeliest option is right, with 95 % intervals.

    Raises:
        ScorerUnavailableError: the model cannot be asked.

    """
    hits: defaultdict[str, list[float]] = defaultdict(list)
    for number, sample in enumerate(samples, start=1):
        found = scorer.score(sample.state, sample.pool).probabilities
        hit = float(max(found, key=lambda index: (found[index], -index)) in sample.right)
        hits[sample.state.stage.value].append(hit)
        progress(number, len(samples))
    shares = [(stage.value, hits[stage.value]) for stage in Stage if stage.value in hits]
    shares.append(("all", [hit for _, each in shares for hit in each]))
    return [
        {"stage": stage, "decisions": len(each), "accuracy": fmean(each), "low": low, "high": high}
        for stage, each in shares
        for low, high in (interval(each),)
    ]
