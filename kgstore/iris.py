"""RDF addresses (IRIs) as ids: how to recognise one, and the readable part of it."""

from __future__ import annotations

import re

BLANK_NODE = "_:"
"""What the id of a blank node begins with."""
_GENERATED = "/.well-known/genid/"
"""Stands in the addresses that blank nodes are given (RFC 8615), such as Wikidata's unknown values."""
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:(?=[^\s_])")

_CONCEPTNET = re.compile(r"/(?:c/[a-z]{2,3}(?:_[a-z]+)?/|r/(?:[A-Z]|dbpedia/)|a/\[)")


def is_iri(text: str) -> bool:
    """Whether an id is an address, in full or shortened: ``http://example.org/knows``, ``urn:isbn:0451``, ``ex:knows``.

    *Alien: Covenant* and ``Batman:_Year_One`` are none, as nothing but a title goes on so after its colon.
    """
    return _SCHEME.match(text) is not None


def is_blank_node(text: str) -> bool:
    """Whether an id is that of a blank node: ``_:b0``, ``http://www.wikidata.org/.well-known/genid/17``."""
    return text.startswith(BLANK_NODE) or (_GENERATED in text and is_iri(text))


def is_conceptnet(text: str) -> bool:
    """Whether an id is one of ConceptNet's, which begin as Freebase's do: ``/c/en/dog``, ``/r/IsA``."""
    return text.startswith("/") and _CONCEPTNET.match(text) is not None


def last_part(iri: str) -> str:
    """What stands after the last ``/`` or ``#`` of an address, or the last colon of one without slashes."""
    rest = iri.rstrip("/#:?")
    separators = "/#" if "://" in iri else "/#:"
    return rest[max(rest.rfind(separator) for separator in separators) + 1 :]
