"""Names read off ids, for graphs whose ids are names: ``Ada_Byron``, ``http://dbpedia.org/resource/Ada_Lovelace``.

A number or an accession says what it is of only with what stands before it: ``HGNC:1``, ``Gene::2157``.
"""

from __future__ import annotations

import re
from contextlib import suppress
from typing import TYPE_CHECKING
from urllib.parse import unquote

from kgstore.characters import character_fault
from kgstore.freebase_ids import is_mid
from kgstore.iris import is_blank_node, is_iri, last_part
from kgstore.names import fold_name

if TYPE_CHECKING:
    from collections.abc import Sequence

_WITHOUT_NAME = re.compile(r"https?://www\.wikidata\.org/(?:entity/statement|reference|value)/")
"""Wikidata's inner nodes."""
_TITLE = re.compile(r"https?://[^/]+/(?:resource|wiki|page)/(?P<title>.+)")
"""Addresses of DBpedia and of wikis, in which all that follows is the title of an article: ``/resource/AC/DC``."""
_CONCEPT = re.compile(r"/c/[a-z_]+/(?P<title>[^/]+)(?:/.*)?")
"""Concepts of ConceptNet, which may have a part of speech and a sense after their words: ``/c/en/dog/n``."""
_SPACES = re.compile(r"[_\s]+")
_NUMBER = re.compile(r"[0-9]+")
_CODE = re.compile(r"(?=[^0-9]*[0-9])[A-Z0-9._-]+")
"""A number or an accession: ``2157``, ``DB00001``, ``UBERON_0000178``."""
_COLONS = re.compile(r":+")
_WITH_FOLDER = re.compile(r"[a-z]+://[^/]+/(?:.*/)?(?P<name>[^/#]+[/#][0-9]+)[/#]?")
"""An address that ends in a number, with the part before that."""


def name_from_id(mid: str) -> str | None:
    """What people call an entity, as its id says it; None where the id says nothing.

    Underscores are spaces, of an address the last part counts, and ``%C3%A9`` is *é*.
    """
    if is_mid(mid) or is_blank_node(mid) or _WITHOUT_NAME.match(mid):
        return None
    return _readable(_own_part(mid))


def aliases_from_id(mid: str) -> Sequence[str]:
    """What else people write for an accession: ``MESH:D001`` and ``D001`` for ``Disease::MESH:D001``; no number."""
    own = _own_part(mid)
    if not _is_code(own):
        return ()
    shorter = (own[colons.end() :] for colons in _COLONS.finditer(own))
    return [name for part in shorter if not _NUMBER.fullmatch(part) and (name := _readable(part))]


def _own_part(mid: str) -> str:
    """The part of an id that is its name."""
    if title := _TITLE.fullmatch(mid) or _CONCEPT.fullmatch(mid):
        return title["title"]
    if _is_code(mid):
        return mid.removeprefix("urn:")
    if numbered := _WITH_FOLDER.fullmatch(mid):
        return numbered["name"]
    return last_part(mid) if is_iri(mid) else mid


def _is_code(text: str) -> bool:
    """Whether colons stand in a text, and what follows the last of them is a number or an accession."""
    return "://" not in text and ":" in text and _CODE.fullmatch(text.rpartition(":")[2]) is not None


def _readable(text: str) -> str | None:
    with suppress(UnicodeDecodeError):
        # What is no text stays as it is written.
        plain = unquote(text, errors="strict")
        text = text if character_fault(plain) else plain
    name = _SPACES.sub(" ", text).strip()
    return name if fold_name(name) else None
