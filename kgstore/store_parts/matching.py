"""How entities that were found by name are chosen and ordered; the same in every store."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kgstore.store import EntityMatch


def holds_part(name: Sequence[str], part: Sequence[str]) -> bool:
    """Whether a name of more words holds the words of a part in their order, perhaps with others between them."""
    rest = iter(name)
    return len(name) > len(part) and all(word in rest for word in part)


def best_known_first(matches: Iterable[EntityMatch]) -> list[EntityMatch]:
    """Each entity once, the best known first."""
    once = {match.card.entity: match for match in reversed(list(matches))}
    return sorted(once.values(), key=lambda match: (-match.card.popularity, match.card.entity))
