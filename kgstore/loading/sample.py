"""The bundled sample graph: facts written by hand, in Freebase's schema, one file a domain."""

from __future__ import annotations

import hashlib
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import kgstore
from kgstore.loading.sqlite_loader import load_graph
from kgstore.loading.tsv import TripleReader
from kgstore.sqlite_format import FORMAT_VERSION

if TYPE_CHECKING:
    from collections.abc import Callable

    from kgstore.loading.sqlite_loader import LoadProgress, LoadReport

SAMPLE_GRAPH = "sample"
"""The name it is loaded under."""

_PACKAGE = Path(kgstore.__file__).parent


def sample_files() -> list[Path]:
    """Its triples, one file a domain."""
    return sorted((_PACKAGE / "sample").glob("*.tsv"))


def sample_source() -> str:
    """What the loaded graph names as its source.

    Changes with the triples, with what is known of the schema, and with the format of graphs.
    """
    digest = hashlib.sha256(str(FORMAT_VERSION).encode())
    for path in (*sample_files(), *sorted((_PACKAGE / "freebase").glob("*.tsv"))):
        digest.update(path.name.encode() + path.read_bytes())
    return f"bundled with Discern, {digest.hexdigest()[:12]}"


def load_sample(target: Path, progress: Callable[[LoadProgress], None] = lambda _: None) -> LoadReport:
    """Write the sample graph to the file ``target``.

    Raises:
        GraphLoadError: the file cannot be written.

    """
    return load_graph(
        chain.from_iterable(TripleReader(path, strict=True) for path in sample_files()),
        target,
        name=SAMPLE_GRAPH,
        title="Sample",
        source=sample_source(),
        progress=progress,
    )
