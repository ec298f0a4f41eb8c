"""What depends on a graph, a dataset, an evaluation or a run that a user wants to delete.

A feature whose rows point at one of these adds a `Dependent` to the list in `webapp.extensions`. Then the page that
deletes the thing counts the rows, and deleting is refused if they are the work of a user.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from typing import TYPE_CHECKING, Any

from django.db.models import Q

if TYPE_CHECKING:
    from collections.abc import Collection
    from uuid import UUID

    from django.db.models import QuerySet


class Thing(Enum):
    """What can be deleted, and how a dependent row names it."""

    GRAPH = auto()
    """By its name."""
    DATASET = auto()
    EVALUATION = auto()
    RUN = auto()


@dataclass(frozen=True, slots=True)
class Dependent:
    """Rows of one kind that depend on a kind of thing."""

    on: Thing
    one: str
    """What one row is called: ``annotation project``."""
    many: str
    rows: QuerySet[Any]
    fields: tuple[str, ...]
    """The fields that point at the thing."""
    keeps: bool = True
    """Whether a row is the work of a user, so that the thing is kept; else it is deleted with the thing, or does not
    need it."""

    def count(self, key: UUID | str) -> int:
        """How many rows depend on a thing."""
        return self.rows.filter(Q(*[(field, key) for field in self.fields], _connector=Q.OR)).count()


_dependents: list[Dependent] = []


def dependent_add(dependent: Dependent) -> None:
    """Make a kind of dependent rows known."""
    _dependents.append(dependent)


def dependents_count(on: Thing, key: UUID | str, *, keeps: bool | None = None) -> list[tuple[str, int]]:
    """What depends on a thing: the name of each kind and how many there are, without kinds that have none.

    ``keeps`` leaves only the kinds that keep the thing, or only the others.
    """
    kinds = [each for each in _dependents if each.on is on and keeps in (None, each.keeps)]
    counted = [(each, each.count(key)) for each in kinds]
    return [(each.one if count == 1 else each.many, count) for each, count in counted if count]


def with_dependents(on: Thing, keys: Collection[UUID]) -> set[UUID]:
    """Those of some things on which something depends."""
    return {
        key
        for each in _dependents
        if each.on is on and keys
        for field in each.fields
        for key in each.rows.filter(**{f"{field}__in": keys}).values_list(field, flat=True)
    }
