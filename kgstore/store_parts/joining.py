"""How the triples between two sets of entities are looked for without reading a hub; the same in every store.

Entities are the numbers of terms, relation codes those of `kgstore.store_parts.relation_codes`.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kgstore.store_parts.relation_codes import unpack

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

Having = dict[int, dict[int, int]]
"""By relation code the entities that have the relation, each with how many triples it has along it."""


@dataclass(frozen=True, slots=True)
class Look:
    """Where to look for the triples of one relation between some entities of one set and the other set."""

    code: int
    """The relation as it is read from the entities."""
    scanned: Sequence[int]
    """Entities whose triples along the relation are all read: they have no more of them than there are others."""
    probed: Sequence[int]
    """Entities that are asked for each of the others, as they have more triples than there are others."""
    others: Sequence[int]
    cost: int
    """The number of triples that are read or asked for."""


@dataclass(frozen=True, slots=True)
class Plan:
    """All that is to be looked at."""

    looks: Sequence[Look]
    cost: int
    is_complete: bool
    """Whether nothing was left out for its cost."""


def having(packed: Mapping[int, bytes], is_offered: Callable[[int], bool]) -> Having:
    """Which entities have which relations that people are offered, by their packed relations."""
    found: defaultdict[int, dict[int, int]] = defaultdict(dict)
    for number, pairs in packed.items():
        for code, triples in unpack(pairs).tolist():
            if is_offered(code):
                found[code][number] = triples
    return dict(found)


def plan(entities: Having, others: Having, most: int) -> Plan:
    """Look at no more than ``most`` triples, the relations that cost least first.

    A triple between the sets is found from either end, so each relation is looked at from the end where that costs
    less. It never costs more than the smaller set has triples, nor, by relation, more than there are pairs. Where both
    are one set, and so the very same object, each triple is looked for once.
    """
    looks = [
        min((_look(code, own, far), _look(code ^ 1, far, own)), key=lambda look: look.cost)
        for code, own in entities.items()
        if (far := others.get(code ^ 1)) and not (entities is others and code % 2)
    ]
    looks.sort(key=lambda look: (look.cost, look.code))
    kept: list[Look] = []
    cost = 0
    for look in looks:
        if cost + look.cost > most:
            break
        kept.append(look)
        cost += look.cost
    return Plan(kept, cost, len(kept) == len(looks))


def _look(code: int, own: Mapping[int, int], others: Mapping[int, int]) -> Look:
    scanned = sorted(number for number, triples in own.items() if triples <= len(others))
    probed = sorted(own.keys() - set(scanned))
    cost = sum(own[number] for number in scanned) + len(probed) * len(others)
    return Look(code, scanned, probed, sorted(others), cost)
