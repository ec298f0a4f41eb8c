"""How far a mean over questions could be otherwise by the chance of which questions were asked."""

from __future__ import annotations

import random
from statistics import fmean
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_DRAWS = 1_000
_SEED = 15
_OUTSIDE = 0.025
"""The share of the draws on either side of the interval."""


def interval(values: Sequence[float]) -> tuple[float, float]:
    """The 95 % bootstrap interval of a mean, by percentiles (Efron 1979): the same each time for the same values.

    Raises:
        ValueError: there are no values.

    """
    if not values:
        raise ValueError("nothing to draw from")
    chance = random.Random(_SEED)  # noqa: S311 - no secret
    means = sorted(fmean(chance.choices(values, k=len(values))) for _ in range(_DRAWS))
    cut = int(_DRAWS * _OUTSIDE)
    return means[cut], means[-1 - cut]


def with_interval(figure: float, bounds: Sequence[float]) -> str:
    """A figure and its interval in words: *0.950 (0.920 to 0.973)*."""
    low, high = bounds
    return f"{figure:.3f} ({low:.3f} to {high:.3f})"
