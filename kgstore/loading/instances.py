"""The instances of every type of a graph that is being loaded; see `kgstore.store_parts.types_as_entities`."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from kgstore.freebase.knowledge import load_knowledge

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


def instance_lists(types: Iterable[Iterable[str]]) -> Mapping[str, Sequence[int]]:
    """By type, the numbers of the entities that are of it, in their order, given the types of each entity.

    Types of the database itself, and those that everything has, are left out.
    """
    everywhere = load_knowledge().telling_little.prefixes
    found: defaultdict[str, list[int]] = defaultdict(list)
    for number, own in enumerate(types, start=1):
        for name in dict.fromkeys(own):
            if not name.startswith(everywhere):
                found[name].append(number)
    return {name: found[name] for name in sorted(found)}
