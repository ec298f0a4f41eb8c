"""Which facts and texts of a dump are taken, and how that is said in a file."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from kgstore.loading.errors import GraphLoadError
from kgstore.loading.formats.filters import TripleFilter, read_filter

if TYPE_CHECKING:
    from pathlib import Path

ALL = """
[keep]
domains = ["tv", "film"]
relations = ["book.book.genre"]
languages = ["en", "de"]
[drop]
domains = ["key", "base"]
relations = ["film.film.starring"]
"""
NOTHING: frozenset[str] = frozenset()


def of(**sets: set[str]) -> TripleFilter:
    return TripleFilter(**{name: frozenset(values) for name, values in sets.items()})


def read(path: Path, text: str | bytes) -> TripleFilter:
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return read_filter(path)


@pytest.mark.parametrize(
    ("chosen", "taken", "left"),
    [
        (of(), ["film.film.genre", "anything"], []),
        (of(kept_domains={"film"}), ["film.film.genre", "film"], ["films.film.genre", "tv.film.genre", "a.film"]),
        (of(kept_relations={"film.film.genre"}), ["film.film.genre"], ["film.film.starring", "film"]),
        (of(kept_domains={"tv"}, kept_relations={"film.film.genre"}), ["tv.a.b", "film.film.genre"], ["film.film.x"]),
        (of(dropped_domains={"film"}), ["tv.a.b"], ["film.film.genre"]),
        (of(dropped_relations={"film.film.genre"}), ["film.film.starring"], ["film.film.genre"]),
        (of(kept_domains={"film"}, dropped_relations={"film.a.b"}), ["film.a.c"], ["film.a.b", "tv.a.b"]),
        (of(kept_relations={"film.a.b"}, dropped_domains={"film"}), [], ["film.a.b"]),
        (of(languages={"en"}), ["film.a.b"], []),
    ],
)
def test_facts_are_taken_by_domain_or_relation_and_dropping_goes_before(
    chosen: TripleFilter, taken: list[str], left: list[str]
) -> None:
    assert [name for name in (*taken, *left) if chosen.takes(name)] == taken


@pytest.mark.parametrize(
    ("languages", "taken", "left"),
    [
        (NOTHING, ["", "en", "de"], []),
        ({"en"}, ["", "en", "EN", "en-GB", "en-GB-oed"], ["de", "e", "eng"]),
        ({"en-gb"}, ["", "en-GB", "EN-gb"], ["en", "en-US"]),
        ({"de", "zh-hant"}, ["de-AT", "zh-Hant"], ["zh", "en"]),
    ],
)
def test_texts_are_taken_by_language_and_always_where_they_have_none(
    languages: set[str], taken: list[str], left: list[str]
) -> None:
    chosen = of(languages=set(languages))
    assert [language for language in (*taken, *left) if chosen.takes_language(language)] == taken


@pytest.mark.parametrize(
    ("chosen", "is_selective"),
    [
        (of(), False),
        (of(languages={"en"}), False),
        (of(kept_domains={"a"}), True),
        (of(kept_relations={"a"}), True),
        (of(dropped_domains={"a"}), True),
        (of(dropped_relations={"a"}), True),
    ],
)
def test_a_filter_that_leaves_relations_out_is_selective(chosen: TripleFilter, *, is_selective: bool) -> None:
    assert chosen.is_selective is is_selective


def test_a_file_says_all_that_a_filter_holds(tmp_path: Path) -> None:
    chosen = read(tmp_path / "f.toml", ALL)
    assert chosen == of(
        kept_domains={"tv", "film"},
        kept_relations={"book.book.genre"},
        languages={"en", "de"},
        dropped_domains={"key", "base"},
        dropped_relations={"film.film.starring"},
    )
    assert chosen.words() == [
        "facts of the domains film, tv",
        "facts of the relations book.book.genre",
        "texts in the languages de, en",
        "without the domains base, key",
        "without the relations film.film.starring",
    ]


@pytest.mark.parametrize("text", ["", "[keep]\n", "[drop]\n", "[keep]\ndomains = []\n", "# ä note\n"])
def test_a_file_that_says_nothing_takes_everything(tmp_path: Path, text: str) -> None:
    assert read(tmp_path / "f.toml", text) == TripleFilter()
    assert TripleFilter().words() == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("keep = 1", "{path}: keep is not known; write tables named keep and drop."),
        ("[take]\n", "{path}: take is not known; write tables named keep and drop."),
        ("[keep]\ndomain = ['a']", "{path}: [keep] domain is not known; known: domains, relations, languages."),
        ("[drop]\nlanguages = ['de']", "{path}: [drop] languages is not known; known: domains, relations."),
        *(
            (
                f"[keep]\nrelations = {value}",
                '{path}: [keep] relations must be a list of texts, such as ["film", "tv"].',
            )
            for value in ("'film'", "3", "[1]", "['film', 1]", "['film', '']", "{film = 1}")
        ),
    ],
)
def test_what_is_not_known_is_refused_with_what_is(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "f.toml"
    with pytest.raises(GraphLoadError, match=f"^{re.escape(said.format(path=path))}$"):
        read(path, text)


@pytest.mark.parametrize("text", ["[keep", b"[keep]\ndomains = ['\xff']"])
def test_what_is_no_toml_is_refused(tmp_path: Path, text: str | bytes) -> None:
    path = tmp_path / "f.toml"
    with pytest.raises(GraphLoadError, match=f"^{re.escape(str(path))} is not TOML: .+"):
        read(path, text)


def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "f.toml"
    with pytest.raises(GraphLoadError, match=f"^{re.escape(str(path))} cannot be read: No such file or directory\\.$"):
        read_filter(path)
