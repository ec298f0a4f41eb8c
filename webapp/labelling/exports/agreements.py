"""How far the labels of a question agree, as the lines of an export have it, without names."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from kgstore.store import GraphStoreError
from webapp.labelling.agreement.comparing import compare_labels, graph_of

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from webapp.labelling.projects.models import Project

_TWO = 2


def agreements_of(project: Project, tasks: Collection[int]) -> Mapping[int, dict[str, Any]]:
    """The agreement of the labels of some tasks, by the ids of the tasks; those of qualification rounds have none.

    ``labels`` is how many were handed in; all else is null where that is one. Where the graph is not what it was, so
    is ``facts`` of derivations that differ.

    Raises:
        GraphStoreError: the graph, which could be read, cannot be read any more.

    """
    try:
        store, _ = graph_of(project)
    except GraphStoreError:
        store = None
    return {
        each.task: {
            "labels": len(each.agreement.labels),
            "agreed": each.agreement.agreed if len(each.agreement.labels) >= _TWO else None,
            **asdict(each.agreement.means),
        }
        for each in compare_labels(project, store, tasks=tasks)
    }
