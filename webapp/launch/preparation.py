"""What must be there before the first question: the bundled sample graph."""

from __future__ import annotations

import hashlib
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from django.conf import settings

import kgstore
from kgstore.loading.sqlite_loader import LoadReport, load_graph
from kgstore.loading.tsv import TripleReader
from kgstore.sqlite_format import FORMAT_VERSION
from kgstore.store import GraphStoreError
from webapp import engine
from webapp.questions.examples import SAMPLE_GRAPH

if TYPE_CHECKING:
    from collections.abc import Callable

    from kgstore.loading.sqlite_loader import LoadProgress

_PACKAGE = Path(kgstore.__file__).parent


def sample_files() -> list[Path]:
    """The triples of the bundled sample, one file a domain."""
    return sorted((_PACKAGE / "sample").glob("*.tsv"))


def sample_graph_ensure(progress: Callable[[LoadProgress], None] = lambda _: None) -> LoadReport | None:
    """Load the sample graph where it is missing, damaged, or made from other files than the bundled ones.

    Returns None where it was there already. A graph is told from its files by the fingerprint in its source.

    Raises:
        GraphLoadError: it cannot be loaded.

    """
    source = f"bundled with Discern, {_fingerprint()}"
    try:
        if engine.graph(SAMPLE_GRAPH).info().source == source:
            return None
    except GraphStoreError:
        pass
    return load_graph(
        chain.from_iterable(TripleReader(path, strict=True) for path in sample_files()),
        settings.ENVIRONMENT.graphs / f"{SAMPLE_GRAPH}.sqlite",
        name=SAMPLE_GRAPH,
        title="Sample",
        source=source,
        progress=progress,
    )


def _fingerprint() -> str:
    """Changes with the sample, with what is known of the schema, and with the format of graphs."""
    digest = hashlib.sha256(str(FORMAT_VERSION).encode())
    for path in (*sample_files(), *sorted((_PACKAGE / "freebase").glob("*.tsv"))):
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()[:12]
