"""Names read off ids, for graphs whose ids are names: ``Ada_Byron``, ``http://dbpedia.org/resource/Ada_Lovelace``."""

from __future__ import annotations

import re
from contextlib import suppress
from urllib.parse import unquote

from kgstore.characters import character_fault
from kgstore.freebase_ids import is_mid
from kgstore.iris import is_iri, last_part
from kgstore.names import fold_name

_WITHOUT_NAME = re.compile(
    r"_:"
    r"|[a-z]+://[^/]+/\.well-known/genid/"
    r"|https?://www\.wikidata\.org/(?:entity/statement|reference|value)/"
)
"""Blank nodes, those that were given an address (RFC 7511), and Wikidata's inner nodes."""
_TITLE = re.compile(r"https?://[^/]+/(?:resource|wiki|page)/(?P<title>.+)")
"""Addresses of DBpedia and of wikis, in which all that follows is the title of an article: ``/resource/AC/DC``."""
_SPACES = re.compile(r"[_\s]+")


def name_from_id(mid: str) -> str | None:
    """What people call an entity, as its id says it; None where the id says nothing.

    Underscores are spaces, of an address the last part counts, and ``%C3%A9`` is *é*.
    """
    if is_mid(mid) or _WITHOUT_NAME.match(mid):
        return None
    title = _TITLE.fullmatch(mid)
    text = title["title"] if title else last_part(mid) if is_iri(mid) else mid
    with suppress(UnicodeDecodeError):
        # What is no text stays as it is written.
        plain = unquote(text, errors="strict")
        text = text if character_fault(plain) else plain
    name = _SPACES.sub(" ", text).strip()
    return name if fold_name(name) else None
