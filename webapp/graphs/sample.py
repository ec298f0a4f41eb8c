"""Loads the bundled sample graph before the first question."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kgstore.loading.sample import SAMPLE_GRAPH, sample_graph, sample_source
from kgstore.store import GraphStoreError
from webapp import engine

if TYPE_CHECKING:
    from collections.abc import Callable

    from kgstore.loading.reading import LoadProgress, LoadReport
    from kgstore.store import GraphStore


def graph_prepared(name: str) -> GraphStore:
    """A graph of this site; the sample is loaded first where it is not there.

    Raises:
        GraphLoadError: the sample cannot be loaded.
        GraphStoreError: there is none of that name, or it cannot be read.

    """
    if name == SAMPLE_GRAPH:
        sample_graph_ensure()
    return engine.graph(name)


def sample_graph_ensure(progress: Callable[[LoadProgress], None] = lambda _: None) -> LoadReport | None:
    """Load the sample graph where it is missing, damaged, outdated, or made from other files than the bundled ones.

    Returns None where it was there already. The fingerprint in a graph's source identifies its files.

    Raises:
        GraphLoadError: it cannot be loaded.

    """
    try:
        info = engine.graph(SAMPLE_GRAPH).info()
        if info.source == sample_source() and not info.is_outdated:
            return None
    except GraphStoreError:
        pass
    return engine.graph_library().load(sample_graph(), progress)
