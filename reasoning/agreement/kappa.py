"""Cohen's κ of two people who sort the same questions."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence


def cohen_kappa(sorted_: Sequence[tuple[Hashable, Hashable]]) -> float | None:
    """κ = (p_o - p_e) / (1 - p_e), over questions with what either person says, from -1 to 1.

    J. Cohen, *A Coefficient of Agreement for Nominal Scales* (1960). p_o is the share of questions of which both say
    the same, p_e the share that chance would give two people who say each thing as often as these do. scikit-learn has
    it too; a web server would load all of that for this alone, and it is no dependency of the site without models.

    None where it is not defined: there is no question, or both say the same of all questions, so that chance alone
    would do as well.
    """
    count = len(sorted_)
    first, second = (Counter(pair[side] for pair in sorted_) for side in (0, 1))
    # In whole numbers, so that what is exactly 1 is seen to be.
    expected = sum(first[each] * second[each] for each in first)
    if expected == count * count:
        return None
    same = sum(one == other for one, other in sorted_)
    return (count * same - expected) / (count * count - expected)
