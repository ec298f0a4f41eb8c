"""JSON-LD: RDF written as JSON. A context must be within the file: nothing is fetched from the web."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pyoxigraph import RdfFormat

from kgstore.loading.formats.rdf.stream import RdfReader
from kgstore.loading.formats.source import Format, ReadOptions

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_KEYWORD = re.compile(r'"@(?:context|id|graph|type|value)"\s*:')


def open_json_ld(path: Path, options: ReadOptions) -> RdfReader:
    """The triples of a file of JSON-LD.

    Raises:
        GraphLoadError: there is no such file, or it is not what its name says.

    """
    return RdfReader(path, RdfFormat.JSON_LD, strict=options.strict)


def _recognises(head: Sequence[str]) -> bool:
    """Whether it begins like JSON, and has a keyword of JSON-LD."""
    return head[0].lstrip()[:1] in {"{", "["} and any(map(_KEYWORD.search, head))


FORMAT = Format(
    name="json-ld",
    title="JSON-LD",
    looks='{"@context": {"@vocab": "http://example.org/"}, "@id": "http://example.org/ada", "wrote_to": "Charles"}',
    open=open_json_ld,
    recognises=_recognises,
    endings=frozenset({".jsonld"}),
)
