"""What must be there before the first question: the bundled sample graph."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kgstore.loading.sample import SAMPLE_GRAPH, sample_graph, sample_source
from kgstore.store import GraphStoreError
from webapp import engine

if TYPE_CHECKING:
    from collections.abc import Callable

    from kgstore.loading.reading import LoadProgress, LoadReport


def sample_graph_ensure(progress: Callable[[LoadProgress], None] = lambda _: None) -> LoadReport | None:
    """Load the sample graph where it is missing, damaged, or made from other files than the bundled ones.

    Returns None where it was there already. A graph is told from its files by the fingerprint in its source.

    Raises:
        GraphLoadError: it cannot be loaded.

    """
    try:
        if engine.graph(SAMPLE_GRAPH).info().source == sample_source():
            return None
    except GraphStoreError:
        pass
    return engine.graph_library().load(sample_graph(), progress)
