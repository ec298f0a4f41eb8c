"""Reads of graphs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kgstore.freebase.labels import type_label
from kgstore.library import UnreadableGraph
from kgstore.store import GraphStoreError
from webapp import engine
from webapp.accounts.permissions import Action, may
from webapp.errors import graph_error
from webapp.graphs.schemas import EntityOut, GraphOut

if TYPE_CHECKING:
    from kgstore.store import GraphInfo
    from webapp.accounts.viewer import Viewer


def graph_list(*, viewer: Viewer) -> list[GraphOut]:
    """All graphs of this site, the default one first. One that cannot be read says why.

    Raises:
        GraphStoreError: it cannot even be said which there are.

    """
    infos = engine.graph_library().infos()
    in_full = may(viewer, Action.READ_FAULTS)
    listed = [_unreadable(info, in_full) if isinstance(info, UnreadableGraph) else _graph(info) for info in infos]
    return sorted(listed, key=lambda graph: (not graph.is_default, graph.title))


def _graph(info: GraphInfo) -> GraphOut:
    return GraphOut(
        name=info.name,
        title=info.title,
        version=info.version,
        entities=info.entities,
        triples=info.triples,
        predicates=info.predicates,
        source=info.source,
        filters=list(info.filters),
        loaded_at=info.loaded_at,
        named=info.named,
        advice=list(info.advice),
        is_default=info.name == engine.default_graph(),
        fault=None,
    )


def _unreadable(graph: UnreadableGraph, in_full: bool) -> GraphOut:  # noqa: FBT001 - of one call
    return GraphOut(
        name=graph.name,
        title=graph.name,
        version="",
        entities=0,
        triples=0,
        predicates=0,
        source="",
        filters=[],
        loaded_at="",
        named=None,
        advice=[],
        is_default=graph.name == engine.default_graph(),
        fault=graph.error.for_operators if in_full else graph.error.for_people,
    )


def entity_search(*, graph: str, text: str, limit: int) -> list[EntityOut]:
    """Entities of a graph by what was typed so far, best known first.

    Raises:
        ProductError: there is no such graph, or it cannot be read.

    """
    try:
        store = engine.graph(graph)
        matches = store.search(text, limit) if text.strip() else []
    except GraphStoreError as error:
        raise graph_error(error, status=404) from error
    return [
        EntityOut(
            id=match.card.entity.mid,
            name=match.card.name or match.card.entity.mid,
            matched=match.matched,
            hint=type_label(match.card.types[0]) if match.card.types else "",
            popularity=match.card.popularity,
        )
        for match in matches
    ]
