"""MetaQA's graph of films (Zhang et al., arXiv 1709.04071), from WikiMovies: ``kb.txt``, ``subject|relation|object``.

Its relations become those of Freebase's schema that say the same, so that their words, types and reverse readings are
known; the three that Freebase lacks are named in the same manner. Years are dates; how a film is rated is a text.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from kgstore.loading.formats.by_name import NamedTriples, recognises
from kgstore.loading.formats.source import Format, ReadOptions
from kgstore.terms import Text, parse_date

if TYPE_CHECKING:
    from pathlib import Path

    from kgstore.loading.formats.source import TripleSource

RELATIONS = {
    "directed_by": "film.film.directed_by",
    "written_by": "film.film.written_by",
    "starred_actors": "film.film.starring|film.performance.actor",
    "release_year": "film.film.initial_release_date",
    "in_language": "film.film.language",
    "has_genre": "film.film.genre",
    "has_tags": "film.film.tags",
    "has_imdb_rating": "film.film.imdb_rating",
    "has_imdb_votes": "film.film.imdb_votes",
}
"""For a relation of the file the predicate of the graph."""

_SEPARATOR = "|"


def _year(text: str) -> str:
    return str(parse_date(text))


def _text(text: str) -> str:
    return str(Text(text, "en"))


def _predicate_of(relation: str) -> str:
    if relation not in RELATIONS:
        raise ValueError(f"unknown relation {relation}; known: {', '.join(RELATIONS)}")
    return RELATIONS[relation]


def open_metaqa(path: Path, options: ReadOptions) -> TripleSource:
    """The triples of a ``kb.txt``.

    Raises:
        GraphLoadError: there is no such file, or it is not what its name says.

    """
    return NamedTriples(
        path,
        separator=_SEPARATOR,
        predicate_of=_predicate_of,
        literals={"release_year": _year, "has_imdb_rating": _text, "has_imdb_votes": _text},
        display=str,
        strict=options.strict,
    )


FORMAT = Format(
    name="metaqa",
    title="MetaQA",
    looks="Kismet|directed_by|William Dieterle",
    open=open_metaqa,
    recognises=partial(recognises, _SEPARATOR, RELATIONS.__contains__),
)
