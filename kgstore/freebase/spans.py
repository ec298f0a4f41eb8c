"""Which relations lead to the beginning of a time, or to its end, by the last part of their names."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Literal, TypeAlias

from kgstore.freebase.knowledge import table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kgstore.terms import Relation

Bound: TypeAlias = Literal["begin", "end"]
BOUNDS: tuple[Bound, Bound] = ("begin", "end")
"""The two ends of a time."""

_LAST_PART = re.compile(r"[./#]")
"""What comes before the last part of a relation's name, or of an address."""


def bound_of(relation: Relation) -> Bound | None:
    """Which end of a time a relation leads to, followed so; None where it leads to neither."""
    return None if relation.is_reverse else _bounds().get(last_name_part(relation))


def last_name_part(relation: Relation) -> str:
    """The last part of a relation's name: *from* of ``sports.sports_team_roster.from``."""
    return _LAST_PART.split(relation.predicate)[-1]


def bound_names(bound: Bound) -> list[str]:
    """The last parts of the names of all relations that lead to this end of a time, sorted."""
    return sorted(name for name, each in _bounds().items() if each == bound)


@cache
def _bounds() -> Mapping[str, Bound]:
    return {name: BOUNDS[bound == BOUNDS[1]] for name, bound, _ in table("span_relations.tsv")}
