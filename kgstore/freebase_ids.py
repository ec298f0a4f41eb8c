"""How Freebase's own ids are written: mids, ``m.0d3k14``, and names of relations and types, ``film.film.genre``."""

from __future__ import annotations

import re

MID_PATTERN = "[mg][.][0-9a-z_]+"
"""A regular expression for mids, in the syntax of Python and of SPARQL."""
_MID = re.compile(MID_PATTERN)
FREEBASE = "http://rdf.freebase.com/ns/"
_NAMESPACES = (FREEBASE, "https://rdf.freebase.com/ns/", "ns:", "fb:", "freebase:")
"""What stands before them in RDF and in queries."""
_AT_FIRST = tuple(namespace.encode() for namespace in _NAMESPACES)
_IN_CELLS = tuple(before + namespace for before in (b"\t", b"\n") for namespace in _AT_FIRST)
_OWN = re.compile(r"[a-z][a-z0-9_]*(?:\.[a-zA-Z0-9_$|]+)+", re.ASCII)


def is_mid(text: str) -> bool:
    """Whether a text is written as Freebase's mids are: ``m.0d3k14``, ``g.11b66kdx2p``."""
    return _MID.fullmatch(text) is not None


def plain_id(text: str) -> str:
    """An id without Freebase's namespace: ``m.01`` for ``ns:m.01`` and ``fb:m.01``; any other text as it is."""
    if not text.startswith(_NAMESPACES):
        return text
    own = next(text.removeprefix(namespace) for namespace in _NAMESPACES if text.startswith(namespace))
    return own if _OWN.fullmatch(own) else text


def may_be_written_otherwise(block: bytes) -> bool:
    """Whether a cell of a table with tabs may begin with a namespace; far cheaper than to look at each of them."""
    return block.startswith(_AT_FIRST) or any(each in block for each in _IN_CELLS)
