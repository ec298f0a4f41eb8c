"""How alike two sets are: F1, and MASI as a distance. Both are defined for empty sets."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable, Set

_SUBSET, _OVERLAP = 2 / 3, 1 / 3


def overlap_f1(first: Collection[Hashable], second: Collection[Hashable]) -> float:
    """F1 of either against the other, 2·|A ∩ B| / (|A| + |B|), from 0 to 1; what occurs twice counts twice.

    It is the harmonic mean of precision and recall, and is symmetric (Dice 1945; Sørensen 1948). Two empty ones are
    alike, 1; an empty and another one are not, 0.
    """
    if not first and not second:
        return 1.0
    return 2 * (Counter(first) & Counter(second)).total() / (len(first) + len(second))


def masi_likeness(first: Set[str], second: Set[str]) -> float:
    """J·M: the share in common, lessened where neither set holds the other; see `masi_distance`."""
    if first == second:
        return 1.0
    common = len(first & second)
    if not common:
        return 0.0
    return common / len(first | second) * (_SUBSET if common in (len(first), len(second)) else _OVERLAP)


def masi_distance(first: Set[str], second: Set[str]) -> float:
    """MASI as a distance, 1 - J·M, from 0 to 1 (Passonneau, *Measuring Agreement on Set-valued Items*, LREC 2006).

    J is the Jaccard coefficient: the share of the elements of either set that are in both. M, monotonicity, is 1 for
    equal sets, 2/3 where one holds the other, 1/3 where they overlap otherwise, 0 where they share nothing. So {1} and
    {1, 2} are 1 - 1/2 · 2/3 = 2/3 apart. nltk gives the same, but for versions that round 2/3 to 0.67 (0.665); DKPro
    gives 0.167, which is another measure. The paper leaves empty sets open, where J is 0/0: here ∅ is at distance 0
    from ∅ and at distance 1 from everything else.
    """
    return 1.0 - masi_likeness(first, second)
