"""Reads of graphs."""

from __future__ import annotations

from kgstore.freebase.labels import type_label
from kgstore.store import GraphStoreError
from webapp import engine
from webapp.errors import graph_error
from webapp.graphs.schemas import EntityOut, GraphOut


def graph_list() -> list[GraphOut]:
    """All graphs of this site, the default one first."""
    default = engine.default_graph()
    infos = sorted(engine.graph_library().infos(), key=lambda info: (info.name != default, info.title))
    return [
        GraphOut(
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
            is_default=info.name == default,
        )
        for info in infos
    ]


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
