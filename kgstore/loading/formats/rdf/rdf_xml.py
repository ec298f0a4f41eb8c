"""RDF/XML: RDF written as XML. An error in the XML ends the load, as nothing after it can be read."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pyoxigraph import RdfFormat

from kgstore.loading.formats.rdf.stream import RdfReader
from kgstore.loading.formats.source import Format, ReadOptions

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


_NAMESPACE = re.compile(r"""["']http://www\.w3\.org/1999/02/22-rdf-syntax-ns#["']""")


def open_rdf_xml(path: Path, options: ReadOptions) -> RdfReader:
    """The triples of a file of RDF/XML.

    Raises:
        GraphLoadError: there is no such file, or it is not what its name says.

    """
    return RdfReader(path, RdfFormat.RDF_XML, strict=options.strict)


def _recognises(head: Sequence[str]) -> bool:
    """Whether it begins like XML, and declares the namespace of RDF."""
    return head[0].lstrip().startswith("<") and any(map(_NAMESPACE.search, head))


FORMAT = Format(
    name="rdf-xml",
    title="RDF/XML",
    looks='<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"> … </rdf:RDF>',
    open=open_rdf_xml,
    recognises=_recognises,
    endings=frozenset({".rdf", ".owl", ".xml"}),
)
