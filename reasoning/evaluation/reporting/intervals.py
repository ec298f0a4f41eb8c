"""How far a mean over questions could be otherwise by the chance of which questions were asked."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_DRAWS = 1_000
_SEED = 15
_OUTSIDE = 0.025
"""The share of the draws on either side of the interval."""
_DRAWN_AT_ONCE = 2_000_000
"""Maximum of values in memory at a time."""
_KEPT = 256
"""The number of intervals that a process keeps, with the numbers that they are of."""


def interval(values: Sequence[float]) -> tuple[float, float]:
    """The 95 % bootstrap interval of a mean, by percentiles (Efron 1979): the same each time for the same values.

    Raises:
        ValueError: there are no values.

    """
    if not values:
        raise ValueError("nothing to draw from")
    return _drawn_interval(np.asarray(values, dtype=np.float64).tobytes())


@lru_cache(maxsize=_KEPT)
def _drawn_interval(values: bytes) -> tuple[float, float]:
    """The interval of some numbers, as bytes; kept, because drawing takes up to 50 ms and gives the same each time."""
    each = np.frombuffer(values, dtype=np.float64)
    chance = np.random.RandomState([_SEED])
    means: list[float] = []
    while len(means) < _DRAWS:
        rows = min(_DRAWS - len(means), max(1, _DRAWN_AT_ONCE // len(each)))
        drawn = each[(chance.random_sample((rows, len(each))) * len(each)).astype(np.intp)]
        means += drawn.mean(axis=1).tolist()
    return _middle(means)


def paired_interval(first: Sequence[float], second: Sequence[float]) -> tuple[float, float]:
    """The same of the mean of ``second`` less that of ``first``, of the same questions in the same order.

    Questions are drawn, each with both of its values: that a question is hard for both makes the difference no less
    certain.

    Raises:
        ValueError: there are no values, or not as many of the one as of the other.

    """
    return interval([after - before for before, after in zip(first, second, strict=True)])


def with_interval(figure: float, bounds: Sequence[float]) -> str:
    """A figure and its interval in words: *0.950 (0.920 to 0.973)*."""
    low, high = bounds
    return f"{figure:.3f} ({low:.3f} to {high:.3f})"


def difference_interval(first: Sequence[float], second: Sequence[float]) -> tuple[float, float]:
    """The same of the mean of ``second`` less that of ``first``, of different questions each, drawn apart.

    Raises:
        ValueError: one of them has no values.

    """
    if not first or not second:
        raise ValueError("nothing to draw from")
    chance = np.random.RandomState([_SEED])
    firsts, seconds = _drawn_means(first, chance), _drawn_means(second, chance)
    return _middle([next(seconds) - next(firsts) for _ in range(_DRAWS)])


def _drawn_means(values: Sequence[float], chance: np.random.RandomState) -> Iterator[float]:
    """Means of as many values as there are, drawn with replacement, without an end; `interval` draws the same at once.

    The generator, seeded with a list, draws what Python's own draws with that seed, and thirty times as fast: the means
    are those of ``random.Random(seed).choices(values, k=len(values))`` but for the rounding of the last digit.
    """
    each = np.asarray(values, dtype=np.float64)
    while True:
        drawn = each[(chance.random_sample(len(each)) * len(each)).astype(np.intp)]
        yield float(drawn.mean())


def _middle(drawn: list[float]) -> tuple[float, float]:
    """What the middle 95 % of draws lie between."""
    drawn.sort()
    cut = int(_DRAWS * _OUTSIDE)
    return drawn[cut], drawn[-1 - cut]
