"""The bundled sample graph: facts written by hand, in Freebase's schema, one file a domain."""

from __future__ import annotations

import hashlib
from itertools import chain
from pathlib import Path

import kgstore
from kgstore.loading.formats.tsv import TripleReader
from kgstore.loading.reading import GraphToLoad

SAMPLE_GRAPH = "sample"
"""The name it is loaded under."""

_PACKAGE = Path(kgstore.__file__).parent


def sample_files() -> list[Path]:
    """Its triples, one file a domain."""
    return sorted((_PACKAGE / "sample").glob("*.tsv"))


def sample_source() -> str:
    """What the loaded graph names as its source.

    Changes with the triples and with what is known of the schema.
    """
    digest = hashlib.sha256()
    for path in (*sample_files(), *sorted((_PACKAGE / "freebase").glob("*.tsv"))):
        digest.update(path.name.encode() + path.read_bytes())
    return f"bundled with Discern, {digest.hexdigest()[:12]}"


def sample_graph() -> GraphToLoad:
    """The sample graph, to be loaded into any library."""
    return GraphToLoad(
        triples=chain.from_iterable(TripleReader(path, strict=True) for path in sample_files()),
        name=SAMPLE_GRAPH,
        title="Sample",
        source=sample_source(),
    )
