"""Which edges a layer keeps: of every head the K with the largest attention (arXiv 2406.01145, section 3.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from reasoning.strategies.etd.edges import Numbers


ATTENTION_DIGITS = 5
"""Beyond these digits, attention differs with what was read together before: equals would come in any order."""


def without_noise(attention: NDArray[np.floating]) -> NDArray[np.floating]:
    """Attention, rounded so that equal values stay equal."""
    return np.round(attention, ATTENTION_DIGITS)


def kept_of_groups(head: Numbers, total: Numbers, attention: NDArray[np.floating], keep: int) -> Numbers:
    """How many edges of each group are kept, ``keep`` a head at most.

    ``head`` (groups) ascends. Attention is the same within a group, so groups are taken whole, the largest attention
    first, of equals the first in order; the last one is cut, and its first edges stay.
    """
    order = np.lexsort((np.arange(len(head)), -attention, head))
    sizes = total[order]
    through = np.cumsum(sizes)
    begins = np.searchsorted(head[order], head[order])
    before = through - sizes - (through - sizes)[begins]
    kept = np.empty_like(total)
    kept[order] = np.clip(keep - before, 0, sizes)
    return kept
