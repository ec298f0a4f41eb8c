"""The order of a project's tasks by how unsure the suggesting model was, updated as it decides more."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db.models import Q

from reasoning.core.derivation import derivation_read
from reasoning.labels.worth_labelling import Candidate, in_order, kind_of
from webapp.labelling.projects.models import Order, Task

if TYPE_CHECKING:
    from collections.abc import Sequence

    from webapp.labelling.projects.models import Project

_FIRST = 20
"""Number of decisions after which the first order is made."""
_MORE = 1.25
"""A new order is made when the decisions grew by this factor, so that a question moves only a few times."""
_ROWS_AT_ONCE = 1_000


def doubts_rank(project: Project, *, decided: int, last: bool) -> None:
    """Rank the tasks, where the order is by doubt and enough was decided since, or ``last``: nothing more is decided.

    Tasks that are blind are not decided; they lie among the others in even distances, so that they come in their share.
    """
    if project.order != Order.DOUBT:
        return
    ranked = Task.objects.filter(project=project, rank__isnull=False, blind=False).count()
    if not last and decided < max(_FIRST, _MORE * ranked):
        return
    rows = Task.objects.filter(project=project, round=0).order_by("position")
    known = rows.filter(Q(doubt__isnull=False) | Q(suggestion__isnull=False), blind=False)
    ordered = [
        each.key
        for each in in_order(
            Candidate(pk, 0.0 if doubt is None else doubt, _kind(suggestion))
            for pk, doubt, suggestion in known.values_list("pk", "doubt", "suggestion")
        )
    ]
    ranks = _among(ordered, list(rows.filter(blind=True).values_list("pk", flat=True)))
    before = dict(rows.values_list("pk", "rank"))
    moved = [Task(pk=pk, rank=rank) for rank, pk in enumerate(ranks, start=1) if before.get(pk) != rank]
    Task.objects.bulk_update(moved, ["rank"], batch_size=_ROWS_AT_ONCE)


def _kind(suggestion: dict[str, object] | None) -> str:
    derivation = None if suggestion is None else suggestion["derivation"]
    return kind_of(derivation_read(derivation).steps) if isinstance(derivation, dict) else ""


def _among(ordered: Sequence[int], blind: Sequence[int]) -> list[int]:
    """The blind tasks among the others, evenly spread."""
    places = [((number + 0.5) / len(some), pk) for some in (ordered, blind) for number, pk in enumerate(some)]
    return [pk for _, pk in sorted(places, key=lambda one: one[0])]
