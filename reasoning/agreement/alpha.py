"""Krippendorff's alpha of sets of answers, with MASI as the distance.

Written here after K. Krippendorff, *Computing Krippendorff's Alpha-Reliability* (2011), since no library fits: the one
that is called krippendorff is under GPL-3; nltk's compares every two different values, 13 seconds for 2,000 questions,
calls it 1 where all labels say the same, and divides by zero where no question has two labels.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import combinations
from math import fsum
from typing import TYPE_CHECKING, TypeAlias

from reasoning.agreement.sets import masi_distance, masi_likeness

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Answers: TypeAlias = frozenset[str]


def krippendorff_alpha(questions: Iterable[Sequence[Answers]]) -> float | None:
    """Alpha, 1 - D_o / D_e, over questions with the answers that each of their labels gives.

    D_o is the mean distance of labels of one question, D_e that of all labels with each other. 1 is perfect, 0 what
    chance would give, below 0 worse than chance. Each question may be labelled by other people, and by as many as may
    be; those with one label are passed over.

    None where it is not defined: no question has two labels, or all labels say the same, so that no disagreement is to
    be expected.
    """
    paired = [labels for labels in questions if len(labels) > 1]
    values = Counter(value for labels in paired for value in labels)
    total = values.total()
    expected = _all_distances(values)
    if not expected:
        return None
    observed = fsum(
        2 * masi_distance(one, other) / (len(labels) - 1) for labels in paired for one, other in combinations(labels, 2)
    )
    return 1.0 - (total - 1) * observed / expected


def _all_distances(values: Counter[Answers]) -> float:
    """The distances of all ordered pairs of values, summed; sets that share nothing are 1 apart and not looked at."""
    total = values.total()
    apart = total * total - sum(count * count for count in values.values())
    holding: defaultdict[str, list[Answers]] = defaultdict(list)
    for value in values:
        for element in value:
            holding[element].append(value)
    sharing = {frozenset(pair) for sets in holding.values() for pair in combinations(sets, 2)}
    return apart - 2 * fsum(values[one] * values[other] * masi_likeness(one, other) for one, other in sharing)
