"""How entities that were found by name are chosen and ordered; the same in every store."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kgstore.store import EntityMatch

_NOT_A_WORD = re.compile(r"\W")


def holding_pattern(part: Sequence[str]) -> str:
    """A regular expression, for Python and Java alike: folded names with the words of a part, whole and in their order.

    Other words may stand before, between and behind them, or none.
    """
    words = " (.* )?".join(_NOT_A_WORD.sub(r"\\\g<0>", word) for word in part)
    return f"(.* )?{words}( .*)?"


def best_known_first(matches: Iterable[EntityMatch]) -> list[EntityMatch]:
    """Each entity once, the best known first."""
    once = {match.card.entity: match for match in reversed(list(matches))}
    return sorted(once.values(), key=lambda match: (-match.card.popularity, match.card.entity))
