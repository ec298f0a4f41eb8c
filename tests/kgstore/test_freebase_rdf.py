from __future__ import annotations

import gzip
import tracemalloc
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

import kgstore.loading
from kgstore.loading.errors import GraphLoadError
from kgstore.loading.escapes import unescape
from kgstore.loading.filters import TripleFilter, read_filter
from kgstore.loading.freebase_rdf import FreebaseRdfReader
from kgstore.terms import TermError, Text, parse_term

if TYPE_CHECKING:
    from kgstore.loading.lines import TripleText

NS = "http://rdf.freebase.com/ns/"
XSD = "http://www.w3.org/2001/XMLSchema#"
LABEL = "http://www.w3.org/2000/01/rdf-schema#label"


def line(subject: str, predicate: str, obj: str) -> str:
    """A line as the dump writes it: tabs between, Freebase's terms by their short names."""
    terms = [f"<{term if ':' in term else NS + term}>" for term in (subject, predicate)]
    return "\t".join([*terms, obj if obj[:1] in '"<' or " " in obj else f"<{NS}{obj}>", "."]) + "\n"


def read(path: Path, text: str, chosen: TripleFilter | None = None) -> list[TripleText]:
    path.write_text(text, encoding="utf-8")
    return list(FreebaseRdfReader(path, chosen=chosen, strict=True))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "dump.nt"


def test_terms_become_those_of_the_graph(path: Path) -> None:
    text = (
        line("m.01", "film.film.genre", "m.02")
        + line("g.11b", "http://rdf.freebase.com/key/wikipedia.en", '"Nancy$0027s_Pizza$D83D$DE00"')
        + line("m.01", LABEL, '"One"@en')
        + line("m.01", "http://www.w3.org/1999/02/22-rdf-syntax-ns#type", "film.film")
        + line("film.film.genre", "http://www.w3.org/2002/07/owl#inverseOf", "film.film_genre.films_in_this_genre")
        + line("m.01", "common.topic.topic_equivalent_webpage", "<http://en.wikipedia.org/wiki/One>")
    )
    assert read(path, text) == [
        ("m.01", "film.film.genre", "m.02"),
        ("g.11b", "key.wikipedia.en", '"Nancy\'s_Pizza😀"'),
        ("m.01", "rdf-schema#label", '"One"@en'),
        ("m.01", "rdf:type", "film.film"),
        ("film.film.genre", "owl#inverseOf", "film.film_genre.films_in_this_genre"),
        ("m.01", "common.topic.topic_equivalent_webpage", "http://en.wikipedia.org/wiki/One"),
    ]


@pytest.mark.parametrize(
    ("written", "read_as"),
    [
        ('"Jamaica"@en', '"Jamaica"@en'),
        ('"Jamaika"@zh-Hant', '"Jamaika"@zh-Hant'),
        (r'"a \"b\" \\ c\td\ne"@en', r'"a \"b\" \\ c\td\ne"@en'),
        (r'"K\u00F6ln \U0001F600 \uD83D\uDE00"@de', '"Köln 😀 😀"@de'),
        ('"plain"', '"plain"'),
        ('""@en', '""@en'),
        (f'"2011-02-06"^^<{XSD}date>', '"2011-02-06"^^xsd:date'),
        (f'"2011-02"^^<{XSD}gYearMonth>', '"2011-02"^^xsd:gYearMonth'),
        (f'"-0044"^^<{XSD}gYear>', '"-0044"^^xsd:gYear'),
        (f'"2011-02-06T18:30:00Z"^^<{XSD}dateTime>', '"2011-02-06"^^xsd:date'),
        (f'"4.50"^^<{XSD}float>', '"4.5"^^xsd:decimal'),
        (f'"true"^^<{XSD}boolean>', '"true"'),
        ('"x"^^<http://example.org/type>', '"x"'),
        ('"115.0"', '"115"^^xsd:integer'),
        ('"1.5E7"', '"15000000"^^xsd:integer'),
        ('"02134"', '"02134"'),
        ('"12345678901234567"', '"12345678901234567"'),
        ('"1984"@en', '"1984"@en'),
        ("4.5 ", '"4.5"^^xsd:decimal'),
        ("true ", '"true"'),
    ],
)
def test_literals(path: Path, written: str, read_as: str) -> None:
    # Twice: what a first reading of a relation or a literal learns must not change the second.
    triples = read(path, line("m.01", "some.type.relation", written) * 2)
    assert triples == [("m.01", "some.type.relation", read_as)] * 2
    assert str(parse_term(read_as)) == read_as


def test_spaces_and_comments_are_as_n_triples_allows(path: Path) -> None:
    text = f'# a comment\n\n<{NS}m.1>   <{NS}a.b.c> <{NS}m.2>.\n <{NS}m.1> <{NS}a.b.c> "x"@en . # said\n'
    assert read(path, text) == [("m.1", "a.b.c", "m.2"), ("m.1", "a.b.c", '"x"@en')]


@pytest.mark.parametrize(
    "bad",
    [
        f"<{NS}m.1>\t<{NS}a.b.c>\t<{NS}m.2>",
        f"<{NS}m.1>\t<{NS}a.b.c>\t.",
        f"_:b0\t<{NS}a.b.c>\t<{NS}m.2>\t.",
        f'"m.1"\t<{NS}a.b.c>\t<{NS}m.2>\t.',
        f"<{NS}m.1\t<{NS}a.b.c>\t<{NS}m.2>\t.",
        f"<{NS}m.1>\t<{NS}a.b.c>\t<{NS}m.2\t.",
        f'<{NS}m.1>\t<{NS}a.b.c>\t"open@en\t.',
        f'<{NS}m.1>\t<{NS}a.b.c>\t"bad \\x escape"@en\t.',
        f'<{NS}m.1>\t<{NS}a.b.c>\t"half \\uD83D a character"@en\t.',
        f'<{NS}m.1>\t<{NS}a.b.c>\t"\\U00110000"@en\t.',
        f'<{NS}m.1>\t<{NS}a.b.c>\t"2011-02-30"^^<{XSD}date>\t.',
        f'<{NS}m.1>\t<{NS}a.b.c>\t"many"^^<{XSD}integer>\t.',
        f"<{NS}m.1>\t<{NS}a.b.c>\tmany\t.",
        f"<{NS}>\t<{NS}a.b.c>\t<{NS}m.2>\t.",
        f"<{NS}m.\\u00091>\t<{NS}a.b.c>\t<{NS}m.2>\t.",
    ],
)
@pytest.mark.parametrize("is_known", [False, True], ids=["a new relation", "a known relation"])
def test_malformed_lines_are_counted(path: Path, bad: str, *, is_known: bool) -> None:
    good = line("m.1", "a.b.c", "m.2")
    path.write_text((good if is_known else "") + f"{bad}\n" + line("m.3", "d.e.f", "m.4"), encoding="utf-8")
    reader = FreebaseRdfReader(path)
    assert len(list(reader)) == 1 + is_known
    assert [(at.number, at.text) for at in reader.lines.examples] == [(1 + is_known, bad)]


def escaped(character: str, how: int) -> str:
    """A character in one of the ways in which N-Triples may write it."""
    short = {"\t": r"\t", "\b": r"\b", "\n": r"\n", "\r": r"\r", "\f": r"\f", '"': r"\"", "'": r"\'", "\\": r"\\"}
    code = ord(character)
    if how == 0 or (how == 1 and character in '"\\\n\r'):
        return short.get(character, character)
    if how == 1:
        return character
    if how == 2 and code <= 0xFFFF:
        return f"\\u{code:04X}"
    if how == 3 and code > 0xFFFF:
        high, low = divmod(code - 0x10000, 0x400)
        return f"\\u{0xD800 + high:04x}\\u{0xDC00 + low:04x}"
    return f"\\U{code:08X}"


characters = st.characters(exclude_categories=["Cs"], exclude_characters="\0")


@given(st.lists(st.tuples(characters, st.integers(0, 4))))
def test_every_text_is_read_back_however_it_is_escaped(parts: list[tuple[str, int]]) -> None:
    written = "".join(escaped(character, how) for character, how in parts)
    assert unescape(written) == "".join(character for character, _ in parts)


@given(st.text(characters), st.integers(0, 4))
def test_every_text_comes_through_a_file(tmp_path_factory: pytest.TempPathFactory, text: str, how: int) -> None:
    path = tmp_path_factory.getbasetemp() / "escapes.nt"
    written = "".join(escaped(character, how) for character in text)
    triples = read(path, line("m.1", "a.b.c", f'"{written}"@en'))
    assert [parse_term(obj) for _, _, obj in triples] == [Text(text, "en")]


def test_what_is_no_escape() -> None:
    for text in ("\\", r"\u12", r"\q", r"\uDE00\uD83D"):
        with pytest.raises(TermError):
            unescape(text)


DUMP = (
    line("m.film", "film.film.genre", "m.genre")
    + line("m.film", "film.film.starring", "m.cvt")
    + line("m.film", "type.object.name", '"A Film"@en')
    + line("m.film", "type.object.name", '"Ein Film"@de')
    + line("m.film", "type.object.type", "film.film")
    + line("m.film", "film.film.tagline", '"Ein Spruch"@de')
    + line("m.film", "film.film.tagline", '"An adage"@en-GB')
    + line("m.film", "common.topic.image", "m.image")
    + line("m.genre", "type.object.name", '"Drama"@en')
    + line("m.book", "type.object.name", '"A Book"@en')
    + line("m.book", "book.book.genre", "m.genre")
    + line("m.book", "type.object.key", '"/wikipedia/en/A_Book"')
)


def test_a_filter_takes_facts_and_the_names_of_what_stands_in_them(path: Path) -> None:
    chosen = TripleFilter(
        kept_domains=frozenset({"film"}),
        dropped_relations=frozenset({"film.film.starring"}),
        languages=frozenset({"en"}),
    )
    path.write_text(DUMP, encoding="utf-8")
    reader = FreebaseRdfReader(path, chosen=chosen, strict=True)
    expected = [
        ("m.film", "film.film.genre", "m.genre"),
        ("m.film", "type.object.name", '"A Film"@en'),
        ("m.film", "type.object.type", "film.film"),
        ("m.film", "film.film.tagline", '"An adage"@en-GB'),
        ("m.genre", "type.object.name", '"Drama"@en'),
    ]
    assert list(reader) == list(reader) == expected
    assert list(reader.filters()) == [
        "facts of the domains film",
        "texts in the languages en",
        "without the relations film.film.starring",
        "5 of 12 lines taken",
    ]
    assert reader.lines.fraction == 1


def test_kept_relations_and_dropped_domains(path: Path) -> None:
    relations = {"book.book.genre", "common.topic.image"}
    kept = read(path, DUMP, TripleFilter(kept_relations=frozenset(relations)))
    assert {predicate for _, predicate, _ in kept} - {"type.object.name", "type.object.type"} == relations
    dropped = read(path, DUMP, TripleFilter(dropped_domains=frozenset({"film", "type"})))
    assert {predicate.partition(".")[0] for _, predicate, _ in dropped} == {"common", "book", "type"}
    assert not [triple for triple in dropped if triple[1] == "type.object.key"]
    assert len(read(path, DUMP, TripleFilter(languages=frozenset({"en"})))) == 10


def test_the_example_of_filters_is_one() -> None:
    chosen = read_filter(Path(next(iter(kgstore.loading.__path__))) / "freebase_filters.example.toml")
    assert chosen.takes("film.film.genre")
    assert chosen.takes("common.topic.notable_types")
    assert not chosen.takes("common.topic.image")
    assert not chosen.takes("key.wikipedia.en")
    assert chosen.takes_language("en-GB")
    assert not chosen.takes_language("de")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("keep = 1", "tables named keep and drop"),
        ("[take]\n", "take is not known"),
        ("[keep]\ndomain = ['film']", "domain is not known; known: domains, relations, languages"),
        ("[drop]\nlanguages = ['de']", "languages is not known; known: domains, relations"),
        ("[keep]\ndomains = 'film'", "must be a list of texts"),
        ("[keep", "is not TOML"),
    ],
)
def test_wrong_filters_say_what_is_known(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "f.toml").write_text(text, encoding="utf-8")
    with pytest.raises(GraphLoadError, match=said):
        read_filter(tmp_path / "f.toml")
    with pytest.raises(GraphLoadError, match="No such file"):
        read_filter(tmp_path / "missing.toml")


def test_memory_does_not_grow_with_the_dump(tmp_path: Path) -> None:
    def peak(lines: int) -> int:
        path = tmp_path / f"{lines}.nt.gz"
        with gzip.open(path, "wt", encoding="utf-8", compresslevel=1) as file:
            for number in range(lines):
                file.write(line(f"m.{number:07x}", f"a.b.c{number % 50}", f'"text {number}"@en'))
                file.write(line(f"m.{number:07x}", "a.b.number", f'"{number}.5"'))
        tracemalloc.start()
        for _ in FreebaseRdfReader(path):
            pass
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return most

    assert peak(60_000) < 1.5 * peak(20_000)
