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
from kgstore.loading.formats import freebase_rdf
from kgstore.loading.formats import lines as lines_module
from kgstore.loading.formats.escapes import unescape
from kgstore.loading.formats.filters import TripleFilter, read_filter
from kgstore.loading.formats.freebase_rdf import FORMAT, FreebaseRdfReader
from kgstore.loading.formats.source import ReadOptions
from kgstore.terms import TermError, Text, parse_term

if TYPE_CHECKING:
    from kgstore.loading.formats.lines import TripleText

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


@pytest.mark.parametrize(
    "bad",
    [
        f"<{NS}m.1>\t<{NS}a.b.c>\t<{NS}m.2>\t",
        f"<{NS}m.1>\t<{NS}a.b.c>\t<{NS}m.2>\t..",
        f"<{NS}m.1>\t<{NS}a.b.c>\t\t.",
        f'<{NS}m.1\t<{NS}a.b.c>\t"One"@en\t.',
        f'<{NS}m.1>x\t<{NS}a.b.c>\t"One"@en\t.',
        f"<{NS}m.1>\t<{NS}a.b.c>\t<{NS}m.2>x\t.",
        f'<{NS}m.1>\t<{NS}a.b.c>\t2"^^<{XSD}integer>\t.',
        f'<{NS}m.1>\t<{NS}a.b.c>\t"12"^^<{XSD}intege\t.',
        f'<{NS}m.1>\t<{NS}a.b.c>\t"12"^^<{XSD}integer>.\t.',
    ],
)
def test_a_line_is_malformed_though_each_of_its_terms_was_met(path: Path, bad: str) -> None:
    integer = f'"12"^^<{XSD}integer>'
    good = [line("m.1", "a.b.c", obj) for obj in ("m.2", '"12"', integer)]
    good.append(good[-1].replace("\t.", "."))
    path.write_text("".join([*good, f"{bad}\n"]), encoding="utf-8")
    reader = FreebaseRdfReader(path)
    assert len(list(reader)) == len(good)
    assert [at.text for at in reader.lines.examples] == [bad]


def test_a_relation_is_an_object_too(path: Path) -> None:
    text = line("m.1", "a.b.c", "d.e.f") + line("m.1", "d.e.f", "a.b.c") + line("m.2", "a.b.c", "d.e.f")
    assert read(path, text) == [("m.1", "a.b.c", "d.e.f"), ("m.1", "d.e.f", "a.b.c"), ("m.2", "a.b.c", "d.e.f")]


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


@pytest.mark.slow
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


@pytest.mark.parametrize("separator", ["\t", " "], ids=["as the dump is", "with spaces"])
def test_the_lines_taken_are_counted_however_they_are_written(path: Path, separator: str) -> None:
    text = DUMP.replace("\t", separator)
    path.write_text(text, encoding="utf-8")
    reader = FreebaseRdfReader(path, chosen=TripleFilter(kept_domains=frozenset({"book"})), strict=True)
    assert list(reader.filters()) == ["facts of the domains book", "0 of 0 lines taken"]
    expected = [
        ("m.genre", "type.object.name", '"Drama"@en'),
        ("m.book", "type.object.name", '"A Book"@en'),
        ("m.book", "book.book.genre", "m.genre"),
    ]
    assert list(reader) == expected
    assert list(reader.filters()) == ["facts of the domains book", "3 of 12 lines taken"]
    assert list(FreebaseRdfReader(path).filters()) == []


@pytest.mark.parametrize("separator", ["\t", " "], ids=["as the dump is", "with spaces"])
def test_what_follows_a_line_that_is_left_out_is_read(path: Path, separator: str) -> None:
    """Each line twice, so that what the first teaches of a relation, a language or a literal is used."""
    year = f'"1999"^^<{XSD}gYear>'
    lines = [
        line("m.1", "tv.tv_program.genre", "m.2"),
        line("m.1", "film.film.tagline", '"Ein Spruch"@de'),
        line("m.3", "type.object.name", '"Three"@en'),
        line("m.1", "type.object.name", '"One"@en'),
        line("m.1", "type.object.name", '"Eins"@de'),
        line("m.1", "film.film.year", year),
        line("m.1", "film.film.genre", "m.4"),
    ]
    text = "".join(each * 2 for each in lines).replace("\t", separator)
    chosen = TripleFilter(kept_domains=frozenset({"film"}), languages=frozenset({"en"}))
    taken = [
        ("m.1", "type.object.name", '"One"@en'),
        ("m.1", "film.film.year", '"1999"^^xsd:gYear'),
        ("m.1", "film.film.genre", "m.4"),
    ]
    assert read(path, text, chosen) == [each for each in taken for _ in range(2)]


def test_names_are_taken_of_subjects_and_objects_but_not_of_literals(path: Path) -> None:
    text = (
        line("m.1", "film.film.genre", "m.2")
        + line("m.1", "film.film.tagline", '"m.3"@en')
        + line("m.1", "film.film.genre", "m")
        + "".join(line(subject, "type.object.name", '"A name"@en') for subject in ("m.1", "m.2", "m.3", "m"))
    )
    chosen = TripleFilter(kept_domains=frozenset({"film"}))
    assert [subject for subject, predicate, _ in read(path, text, chosen) if predicate == "type.object.name"] == [
        "m.1",
        "m.2",
        "m",
    ]


def test_a_filter_reads_the_file_twice_and_progress_says_so(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path.write_text(DUMP, encoding="utf-8")
    once, twice = FreebaseRdfReader(path), FreebaseRdfReader(path, chosen=TripleFilter(kept_domains=frozenset({"a"})))
    assert not list(twice)
    assert (once.lines.fraction, twice.lines.fraction) == (0, 1)
    iterator = iter(once)
    next(iterator)
    assert once.lines.fraction == 1
    monkeypatch.setattr(lines_module, "_BLOCK_BYTES", 100)
    selective = FreebaseRdfReader(path, chosen=TripleFilter(kept_domains=frozenset({"film"})))
    assert all(0.5 < selective.lines.fraction <= 1 for _ in selective), "what is taken is read the second time"


@pytest.mark.parametrize(
    ("written", "read_as"),
    [
        (f'"{year}"^^<{XSD}gYear>', f'"{year}"^^xsd:gYear') for year in ("1984", "-0044")
    ]
    + [
        ('"1.50"', '"1.5"^^xsd:decimal'),
        ('"-2e3"', '"-2000"^^xsd:integer'),
        ('"0.5e-01"', '"0.05"^^xsd:decimal'),
        ('"1e100"', '"1e100"'),
        ('"123456789012345"', '"123456789012345"^^xsd:integer'),
        ('"1234567890123456"', '"1234567890123456"'),
        ('"true"', '"true"'),
        ("false ", '"false"'),
        ("-7 ", '"-7"^^xsd:integer'),
        ("9007199254740993 ", '"9007199254740993"^^xsd:integer'),
        ("1E5 ", '"100000"^^xsd:integer'),
        ('"1E5"', '"1E5"'),
        ('"a\\rb"@en', '"a\\rb"@en'),
        ('"a\\fb"@en', '"a\fb"@en'),
        ('"12"^^<http://example.org/type>', '"12"'),
        (f'"12"^^<{XSD}string>', '"12"'),
    ],
)  # fmt: skip
def test_more_literals(path: Path, written: str, read_as: str) -> None:
    assert read(path, line("m.01", "some.type.relation", written) * 2) == [("m.01", "some.type.relation", read_as)] * 2


@pytest.mark.parametrize(
    ("address", "name"),
    [
        (NS + "m.0x", "m.0x"),
        ("http://rdf.freebase.com/key/en", "key.en"),
        ("http://www.w3.org/1999/02/22-rdf-syntax-ns#type", "rdf:type"),
        ("http://www.w3.org/2000/01/rdf-schema#domain", "rdf-schema#domain"),
        ("http://www.w3.org/2002/07/owl#inverseOf", "owl#inverseOf"),
        ("http://example.org/" + NS, "http://example.org/" + NS),
        (NS + "m.\\u00e9", "m.é"),
        ("http://rdf.freebase.com/other/m.0x", "http://rdf.freebase.com/other/m.0x"),
    ],
)
def test_addresses_are_shortened_as_data_sets_made_from_the_dump_do(path: Path, address: str, name: str) -> None:
    text = f"<{address}>\t<{address}>\t<{address}>\t.\n"
    assert read(path, text * 2) == [(name, name, name)] * 2


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        ("nonsense", "not a subject, a predicate, an object and a full stop"),
        (f"<{NS}>\t<{NS}a.b.c>\t<{NS}m.2>\t.", f"<{NS}> names nothing"),
        (f"<{NS}m.1>\t<{NS}a.b.c>\t<{NS}>\t.", f"<{NS}> names nothing"),
        (f"<{NS}m.1>\t<{NS}>\t<{NS}m.2>\t.", f"<{NS}> names nothing"),
        (f"<{NS}m.\\u00091>\t<{NS}a.b.c>\t<{NS}m.2>\t.", f"<{NS}m.\\u00091> names nothing"),
        (f"<{NS}\\u0022m>\t<{NS}a.b.c>\t<{NS}m.2>\t.", f"<{NS}\\u0022m> names nothing"),
        (f"<{NS}m.1>\t<{NS}a.b.c>\tmany\t.", "many is neither a number nor true nor false"),
        (f"<{NS}m.1>\t<{NS}a.b.c>\t007\t.", "007 is neither a number nor true nor false"),
    ],
)
def test_why_a_line_was_passed_over_is_reported(path: Path, bad: str, reason: str) -> None:
    good = line("m.3", "d.e.f", "m.4")
    path.write_text(f"{good}{bad}\n#{bad}\n \n  # {bad}\n{good}", encoding="utf-8")
    reader = FreebaseRdfReader(path)
    assert list(reader) == [("m.3", "d.e.f", "m.4")] * 2
    assert [(at.number, at.text, at.reason) for at in reader.lines.examples] == [(2, bad, reason)]


def test_more_typed_literals_than_are_remembered_are_all_read(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(freebase_rdf, "_LITERALS_KEPT", 2)
    years = [*range(2000, 2005), 2000, 2004]
    text = "".join(line("m.1", "a.b.c", f'"{year}"^^<{XSD}gYear>') for year in years)
    assert [obj for _, _, obj in read(path, text)] == [f'"{year}"^^xsd:gYear' for year in years]


def test_filters_are_an_option_of_the_format(path: Path, tmp_path: Path) -> None:
    path.write_text(DUMP + "nonsense\n", encoding="utf-8")
    (tmp_path / "f.toml").write_text('[keep]\nrelations = ["book.book.genre"]\n', encoding="utf-8")
    options = ReadOptions(filters=tmp_path / "f.toml")
    assert len(list(FORMAT.read(path, options))) == 3
    assert len(list(FORMAT.read(path))) == 12
    with pytest.raises(GraphLoadError, match="line 13"):
        list(FORMAT.read(path, ReadOptions(strict=True, filters=tmp_path / "f.toml")))
    with pytest.raises(GraphLoadError, match="line 13"):
        list(FORMAT.read(path, ReadOptions(strict=True)))
    with pytest.raises(GraphLoadError, match="No such file"):
        FORMAT.read(path, ReadOptions(filters=tmp_path / "missing.toml"))


@pytest.mark.parametrize(
    ("head", "is_it"),
    [
        ([line("m.1", "a.b.c", "m.2").strip()], True),
        (["<http://e.org/a> <http://e.org/b> <http://e.org/c> .", line("m.1", "a.b.c", "m.2").strip()], True),
        (["<http://e.org/a> <http://e.org/b> <http://e.org/c> ."], False),
        ([line("m.1", "a.b.c", "m.2").strip(), "nonsense"], False),
    ],
)
def test_the_dump_is_known_by_freebase_s_addresses(head: list[str], *, is_it: bool) -> None:
    assert FORMAT.recognises(head) is is_it
