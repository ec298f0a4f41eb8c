"""Facts that a graph says in one direction only, said in the other too."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kgstore.freebase_ids import is_mid
from kgstore.loading.edges import Edges

if TYPE_CHECKING:
    from collections.abc import Sequence


def completed(edges: Edges, mids: Sequence[str], is_mediator: Sequence[bool], reverses: Sequence[int | None]) -> Edges:
    """The edges with what relations and their reverse relations say of each other, where both are in the graph.

    Freebase keeps both directions of a fact; a part of it often has one of them. And where things have a relation, the
    reverse reading of its reverse relation is not offered (`kgstore.store.GraphStore.relations`): each must have all.

    Only facts between things that Freebase's own ids name: a graph whose ids are names holds what its author chose, and
    a benchmark's answers count over exactly that. What mediators link stays too: there a step back leads to where it
    came from.
    """
    if all(reverse is None for reverse in reverses):
        return edges
    said = np.array([-1 if reverse is None else reverse for reverse in reverses])[edges.predicate]
    is_thing = np.array(
        [
            False,
            *(not mediates and is_mid(mid) for mid, mediates in zip(mids, is_mediator, strict=True)),
            False,
        ]
    )
    # Literals come after the entities.
    subject, obj = (np.minimum(end, len(mids) + 1) for end in (edges.subject, edges.object))
    is_said = (said >= 0) & is_thing[subject] & is_thing[obj]
    return Edges.distinct(
        np.concatenate((edges.subject, edges.object[is_said])),
        np.concatenate((edges.predicate, said[is_said])),
        np.concatenate((edges.object, edges.subject[is_said])),
    )
