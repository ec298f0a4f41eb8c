"""Entities whose names are spelt nearly as one that was typed; the same in every store."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kgstore.names import MAX_ERRORS, fold_name, typing_errors
from kgstore.store_parts.matching import best_known_first

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from kgstore.store import EntityMatch


def nearest(
    names: Collection[str], find: Callable[[Collection[str], int], Iterable[tuple[str, EntityMatch]]]
) -> Mapping[str, Sequence[EntityMatch]]:
    """What `GraphStore.similar` gives.

    ``find`` gives entities with a folded name that may be this number of typing errors from one of some folded names.
    """
    folded = {name: fold_name(name) for name in names}
    found: dict[str, list[EntityMatch]] = {}
    for errors in range(1, MAX_ERRORS + 1):
        left = {text for text in folded.values() if text and text not in found}
        matches = list(find(left, errors)) if left else []
        for text in left:
            near = [match for name, match in matches if typing_errors(text, name) == errors]
            if near:
                found[text] = best_known_first(near)
    return {name: found[text] for name, text in folded.items() if text in found}
