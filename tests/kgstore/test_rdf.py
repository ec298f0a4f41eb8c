"""N-Triples and Turtle, in any vocabulary."""

from __future__ import annotations

import gzip
import re
from typing import TYPE_CHECKING

import pytest

from kgstore.loading.errors import GraphLoadError
from kgstore.loading.formats.lines import MalformedLine
from kgstore.loading.formats.registry import FORMATS, format_of
from kgstore.loading.formats.source import ReadOptions
from kgstore.sqlite.loader import load_graph
from kgstore.sqlite.store import SqliteStore
from kgstore.terms import Entity, Relation

if TYPE_CHECKING:
    from pathlib import Path

    from kgstore.loading.formats.lines import LineReader
    from kgstore.store import GraphStore

XSD = "http://www.w3.org/2001/XMLSchema#"
LABEL = "<http://www.w3.org/2000/01/rdf-schema#label>"
P = "<http://e.org/s#p>"


def read(tmp_path: Path, text: str, name: str = "ntriples") -> tuple[list[tuple[str, str, str]], list[tuple[int, str]]]:
    path = tmp_path / "file"
    path.write_text(text, encoding="utf-8")
    source = FORMATS[name].read(path)
    return list(source), [(line.number, line.reason) for line in source.lines.examples]


def load(tmp_path: Path, text: str, name: str = "ntriples") -> GraphStore:
    path = tmp_path / "file"
    path.write_text(text, encoding="utf-8")
    target = tmp_path / "g.sqlite"
    load_graph(FORMATS[name].read(path, ReadOptions(strict=True)), target, name="g", title="G", source="test")
    return SqliteStore(target)


@pytest.mark.parametrize(
    ("line", "triple"),
    [
        (f"<http://e.org/a> {P} <urn:isbn:0451> .", ("http://e.org/a", "urn:isbn:0451")),
        (f"<http://e.org/a>{P}<http://e.org/b>.", ("http://e.org/a", "http://e.org/b")),
        (f"_:b0\t{P}\t_:b.1-x .  # a comment", ("_:b0", "_:b.1-x")),
        (f"_:b0 {P} _:b1.", ("_:b0", "_:b1")),
        (f"<http://e.org/Ren\\u00E9> {P} <http://e.org/b> .", ("http://e.org/René", "http://e.org/b")),
        (f'<http://e.org/a> {P} "plain" .', ("http://e.org/a", '"plain"')),
        (f'<http://e.org/a> {P} "42" .', ("http://e.org/a", '"42"')),
        (f'<http://e.org/a> {P} "caf\\u00E9 \\"x\\"\\n"@fr-CA .', ("http://e.org/a", '"café \\"x\\"\\n"@fr-CA')),
        (f'<http://e.org/a> {P} "x"^^<{XSD}string> .', ("http://e.org/a", '"x"')),
        (f'<http://e.org/a> {P} "1969"^^<{XSD}gYear> .', ("http://e.org/a", '"1969"^^xsd:gYear')),
        (f'<http://e.org/a> {P} "1969-07"^^<{XSD}gYearMonth> .', ("http://e.org/a", '"1969-07"^^xsd:gYearMonth')),
        (
            f'<http://e.org/a> {P} "1969-07-16T13:32:00-04:00"^^<{XSD}dateTime> .',
            ("http://e.org/a", '"1969-07-16"^^xsd:date'),
        ),
        (f'<http://e.org/a> {P} "3.50"^^<{XSD}decimal> .', ("http://e.org/a", '"3.5"^^xsd:decimal')),
        (f'<http://e.org/a> {P} "1.2E-3"^^<{XSD}double> .', ("http://e.org/a", '"0.0012"^^xsd:decimal')),
        (f'<http://e.org/a> {P} "true"^^<{XSD}boolean> .', ("http://e.org/a", '"true"^^xsd:boolean')),
        (f'<http://e.org/a> {P} "http://x/"^^<{XSD}anyURI> .', ("http://e.org/a", '"http://x/"^^xsd:anyURI')),
        (f'<http://e.org/a> {P} "P1Y"^^<{XSD}duration> .', ("http://e.org/a", '"P1Y"^^xsd:duration')),
        (f'<http://e.org/a> {P} "5 kg"^^<http://e.org/unit> .', ("http://e.org/a", '"5 kg"^^<http://e.org/unit>')),
    ],
)
def test_terms_of_n_triples(tmp_path: Path, line: str, triple: tuple[str, str]) -> None:
    [(subject, predicate, obj)], malformed = read(tmp_path, line)
    assert ((subject, obj), predicate, malformed) == (triple, "http://e.org/s#p", [])


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (f"<a> {P} <http://e.org/b> .", "<a> is no address in full"),
        (f"<http://e.org/a> {P} <http://e.org/b>", "a full stop"),
        ("<http://e.org/a> _:p <http://e.org/b> .", "a full stop"),
        (f'"text" {P} <http://e.org/b> .', "a full stop"),
        (f"<http://e.org/a> {P} 42 .", "a full stop"),
        (f'<http://e.org/a> {P} "\\q" .', "no escape"),
        (f'<http://e.org/a> {P} "\\u0000" .', "NUL"),
        (f'<http://e.org/a> {P} "\\uD800" .', "surrogate"),
        (f'<http://e.org/a> {P} "many"^^<{XSD}int> .', "is not a number"),
        (f'<http://e.org/a> {P} "NaN"^^<{XSD}double> .', "is not a number"),
        (f'<http://e.org/a> {P} "2011-2-6"^^<{XSD}date> .', "is not a date"),
    ],
)
def test_malformed_n_triples_are_passed_over(tmp_path: Path, line: str, reason: str) -> None:
    good = f"<http://e.org/a> {P} <http://e.org/b> ."
    triples, malformed = read(tmp_path, f"# a note\n\n{good}\n{line}\n{good}\n")
    assert len(triples) == 2
    [(number, said)] = malformed
    assert number == 4
    assert reason in said


TURTLE = f"""@prefix ex: <http://e.org/> .
PREFIX xsd: <{XSD}>
@base <http://base.org/> .
<one> a ex:Thing ; ex:p ex:two , "x"@en-GB, 3, -2.5, 1e3, true, "1969-07"^^xsd:gYearMonth .
<one> ex:q [ ex:r _:named ; ex:s \"\"\"long
"quoted" text\"\"\" ] .
"""


def test_terms_of_turtle(tmp_path: Path) -> None:
    triples, malformed = read(tmp_path, TURTLE, "turtle")
    assert malformed == []
    one = "http://base.org/one"
    assert triples[:8] == [
        (one, "http://www.w3.org/1999/02/22-rdf-syntax-ns#type", "http://e.org/Thing"),
        (one, "http://e.org/p", "http://e.org/two"),
        (one, "http://e.org/p", '"x"@en-gb'),
        (one, "http://e.org/p", '"3"^^xsd:integer'),
        (one, "http://e.org/p", '"-2.5"^^xsd:decimal'),
        (one, "http://e.org/p", '"1000"^^xsd:integer'),
        (one, "http://e.org/p", '"true"^^xsd:boolean'),
        (one, "http://e.org/p", '"1969-07"^^xsd:gYearMonth'),
    ]
    assert set(triples[8:]) == {
        (one, "http://e.org/q", "_:node-1"),
        ("_:node-1", "http://e.org/r", "_:named"),
        ("_:node-1", "http://e.org/s", '"long\\n\\"quoted\\" text"'),
    }


def test_every_node_without_a_label_is_numbered(tmp_path: Path) -> None:
    triples, _ = read(tmp_path, "@prefix e: <http://e.org/> .\n" + "e:a e:b [ e:c 1 ] .\n" * 500, "turtle")
    nodes = {term for subject, _, obj in triples for term in (subject, obj) if term.startswith("_:")}
    assert nodes == {f"_:node-{number}" for number in range(1, 501)}


def test_malformed_turtle_is_passed_over_up_to_a_full_stop(tmp_path: Path) -> None:
    wrong = 'ex:a ex:p "1969-13"^^<http://www.w3.org/2001/XMLSchema#gYearMonth> .\nex:a ex:p .\n'
    text = f"@prefix ex: <http://e.org/> .\nex:a ex:p ex:b .\n{wrong}ex:lost ex:p ex:b .\nex:c ex:p ex:d .\n"
    triples, malformed = read(tmp_path, text, "turtle")
    assert [subject for subject, _, _ in triples] == ["http://e.org/a", "http://e.org/c"]
    reasons = dict(malformed)
    assert "not a valid RDF object" in reasons[4]
    assert "passed over up to the next full stop" in reasons[4]
    assert any("is not a date" in reason for reason in reasons.values())
    path = tmp_path / "file"
    with pytest.raises(GraphLoadError, match="is not a date"):
        list(FORMATS["turtle"].read(path, ReadOptions(strict=True)))


@pytest.mark.parametrize("text", ["\\u0000", "\0"])
def test_a_text_with_nul_is_passed_over(tmp_path: Path, text: str) -> None:
    content = f'@prefix ex: <http://e.org/> .\nex:a ex:p "{text}" .\nex:b ex:p "kept\\\\u0000" .\n'
    triples, malformed = read(tmp_path, content, "turtle")
    assert [subject for subject, _, _ in triples] == ["http://e.org/b"]
    assert ["NUL" in reason for _, reason in malformed] == [True]


def test_a_statement_without_an_end_is_not_read_for_ever(tmp_path: Path) -> None:
    path = tmp_path / "endless.ttl.gz"
    with gzip.open(path, "wt") as file:
        file.write('@prefix ex: <http://e.org/> .\nex:a ex:p """')
        for _ in range(300):
            file.write("no end in sight " * 4096 + "\n")
    said = (
        f"^{re.escape(str(path))} holds a statement of more than 16 MiB near line \\d+, which is too long\\. "
        "Is a quotation mark or a full stop missing\\?$"
    )
    with pytest.raises(GraphLoadError, match=said):
        list(FORMATS["turtle"].read(path))


@pytest.mark.parametrize("name", ["ntriples", "turtle"])
def test_gzipped_and_damaged_files(tmp_path: Path, name: str) -> None:
    lines = "".join(f"<http://e.org/{i}> {P} <http://e.org/{i * 7919 % 10007}> .\n" for i in range(20_000))
    whole = gzip.compress(("@prefix ex: <http://e.org/> .\n" * (name == "turtle") + lines).encode())
    path = tmp_path / "file.gz"
    path.write_bytes(whole)
    assert format_of(path).name == name
    source = FORMATS[name].read(path)
    assert len(list(source)) == 20_000
    assert source.lines.fraction == 1
    path.write_bytes(whole[:-1000])
    with pytest.raises(GraphLoadError, match="is damaged after line"):
        list(FORMATS[name].read(path))


@pytest.mark.parametrize(
    ("lines", "name", "aliases"),
    [
        (['"German"@de', '"untagged"', '"English"@en', '"Also"@en'], "English", ("untagged", "Also")),
        (['"British"@en-GB', '"untagged"'], "British", ("untagged",)),
        (['"German"@de', '"untagged"', '"French"@fr'], "untagged", ()),
        (['"German"@de', '"French"@fr'], "German", ()),
    ],
)
def test_english_names_go_before_untagged_ones_and_these_before_others(
    tmp_path: Path, lines: list[str], name: str, aliases: tuple[str, ...]
) -> None:
    text = "".join(f"<http://e.org/a> {LABEL} {line} .\n" for line in lines)
    store = load(tmp_path, f"{text}<http://e.org/a> {P} <http://e.org/b> .\n")
    card = store.cards([Entity("http://e.org/a")])[Entity("http://e.org/a")]
    assert (card.name, card.aliases) == (name, aliases)


@pytest.mark.parametrize(
    "address",
    [
        "http://www.w3.org/2000/01/rdf-schema#label",
        "http://www.w3.org/2004/02/skos/core#prefLabel",
        "http://www.w3.org/2004/02/skos/core#altLabel",
        "http://schema.org/name",
        "https://schema.org/name",
        "http://xmlns.com/foaf/0.1/name",
    ],
)
def test_names_of_every_vocabulary(tmp_path: Path, address: str) -> None:
    store = load(tmp_path, f'<http://e.org/a> <{address}> "Ada" .\n<http://e.org/a> {P} <http://e.org/b> .\n')
    assert [match.matched for match in store.search("ada", 5)] == ["Ada"]


def test_blank_nodes_are_mediators_without_a_name(tmp_path: Path) -> None:
    text = f"""<http://e.org/a> {LABEL} "Ada" .
<http://e.org/a> {P} _:job .
_:job {P} <http://e.org/b> .
_:root {P} <http://e.org/a> .
_:named {LABEL} "Named" .
_:named {P} <http://e.org/a> .
"""
    store = load(tmp_path, text)
    cards = store.cards([Entity("_:job"), Entity("_:root"), Entity("_:named")])
    assert {entity.mid: (card.is_mediator, card.name) for entity, card in cards.items()} == {
        "_:job": (True, None),
        "_:root": (True, None),
        "_:named": (False, "Named"),
    }


def test_types_and_what_is_said_of_the_vocabulary(tmp_path: Path) -> None:
    text = """@prefix ex: <http://e.org/s#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
ex:knows a owl:ObjectProperty ; rdfs:label "knows" .
ex:ada a owl:Thing , ex:SoccerPlayer ; rdfs:label "Ada" ; ex:knows ex:bob ; owl:sameAs ex:ada2 ; rdfs:comment "c" .
"""
    store = load(tmp_path, text, "turtle")
    ada = Entity("http://e.org/s#ada")
    assert store.cards([ada])[ada].types == ("http://e.org/s#SoccerPlayer", "http://www.w3.org/2002/07/owl#Thing")
    assert [count.relation for count in store.relations([ada])] == [Relation("http://e.org/s#knows")]
    assert store.search("knows", 5) == []


def test_where_a_line_is_no_triple_the_whole_reason_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text(f"no\n  # a note {P}\n \n<http://e.org/a> {P} <b> .\n", encoding="utf-8")
    reader = FORMATS["ntriples"].read(path)
    assert list(reader) == []
    address = "<b> is no address in full, such as <http://example.org/knows>"
    assert reader.lines.examples == [
        MalformedLine(1, "no", "not a subject, a predicate, an object and a full stop"),
        MalformedLine(4, f"<http://e.org/a> {P} <b> .", address),
    ]


@pytest.mark.parametrize("written", ["a b", "a\\u0020b", "http://e.org/a\\u0020b", "\\u0061"])
def test_an_address_without_a_scheme_or_with_a_space_is_none(tmp_path: Path, written: str) -> None:
    triples, malformed = read(tmp_path, f"<http://e.org/a> {P} <{written}> .\n")
    assert (triples, len(malformed)) == ([], 1)


def test_datatypes_may_be_escaped(tmp_path: Path) -> None:
    [(_, _, obj)], _ = read(tmp_path, f'<http://e.org/a> {P} "7"^^<{XSD}\\u0069nteger> .\n')
    assert obj == '"7"^^xsd:integer'


FITS = f"<http://e.org/a> {P} <http://e.org/b> ."


@pytest.mark.parametrize(
    ("head", "is_it"),
    [
        ([FITS], True),
        ([FITS, FITS, "no"], True),
        ([FITS, "no"], False),
        ([FITS, "no", "no"], False),
        ([FITS, "#no space", "no"], True),
        ([FITS, FITS, "@prefix e: <http://e.org/> ."], False),
        ([FITS, FITS, "@BASE <http://e.org/> ."], False),
        ([FITS, FITS, "PREFIX e: <http://e.org/>"], False),
        ([FITS, FITS, "base <http://e.org/>"], False),
        ([FITS, FITS, "<http://rdf.freebase.com/ns/m.1> <a> ."], False),
    ],
)
def test_n_triples_are_known_by_most_lines_and_nothing_of_turtle(head: list[str], *, is_it: bool) -> None:
    assert FORMATS["ntriples"].recognises(head) is is_it


@pytest.mark.parametrize(
    ("line", "is_it"),
    [
        ("@prefix e: <http://e.org/> .", True),
        ("  @BASE <http://e.org/> .", True),
        ("Prefix e:<http://e.org/>", True),
        ("base <http://e.org/>", True),
        ("prefixes e: <http://e.org/>", False),
        (FITS, False),
    ],
)
def test_turtle_is_known_by_a_prefix_or_a_base(line: str, *, is_it: bool) -> None:
    assert FORMATS["turtle"].recognises([FITS, line]) is is_it


def turtle(tmp_path: Path, text: str) -> LineReader:
    path = tmp_path / "file"
    path.write_text(text, encoding="utf-8")
    source = FORMATS["turtle"].read(path)
    list(source)
    return source.lines


def test_malformed_turtle_is_reported_with_its_line_its_text_and_the_reason_alone(tmp_path: Path) -> None:
    text = "@prefix ex: <http://e.org/> .\nex:a ex:p ex:b .\n\n  ex:a ex:p ; .\nex:a none:p ex:b .\n"
    [first, second] = turtle(tmp_path, text).examples
    assert (first.number, first.text) == (4, "ex:a ex:p ; .")
    assert first.reason == "; is not a valid RDF object; passed over up to the next full stop"
    assert (second.number, second.text) == (5, "ex:a none:p ex:b .")
    assert second.reason == "The prefix none: has not been declared; passed over up to the next full stop"


@pytest.mark.parametrize("before", [3_000, 20_000])
def test_a_malformed_line_is_shown_wherever_it_stands_in_the_file(tmp_path: Path, before: int) -> None:
    good = "ex:a ex:p ex:b .\n"
    bad = "ex:bad ex:p ; .\n"
    lines = turtle(tmp_path, "@prefix ex: <http://e.org/> .\n" + good * before + bad + good * before)
    [malformed] = lines.examples
    assert (malformed.number, malformed.text) == (before + 2, bad.strip())


def test_a_term_that_will_not_do_is_reported_near_its_line(tmp_path: Path) -> None:
    typed = '"1969-13"^^<http://www.w3.org/2001/XMLSchema#gYearMonth>'
    [malformed] = turtle(tmp_path, f"@prefix ex: <http://e.org/> .\nex:a ex:p {typed} .\n").examples
    assert malformed.number == 2
    assert malformed.text == f"<http://e.org/a> <http://e.org/p> {typed}"
    assert malformed.reason == "'1969-13' is not a date: month must be in 1..12 (at this line or before)"


def test_the_same_file_makes_the_same_nodes_and_labels_are_kept(tmp_path: Path) -> None:
    text = "@prefix e: <http://e.org/> .\n_:a1 e:b [ e:c ( 1 2 ) ] .\n_:face e:b _:abcdef0123456789 .\n"
    triples, _ = read(tmp_path, text, "turtle")
    again = list(FORMATS["turtle"].read(tmp_path / "file"))
    assert triples == again
    nodes = {term for subject, _, obj in triples for term in (subject, obj) if term.startswith("_:")}
    assert {"_:a1", "_:face", "_:abcdef0123456789"} < nodes
    assert len(nodes) == 4


def test_relative_addresses_without_a_base_are_of_a_file(tmp_path: Path) -> None:
    triples, malformed = read(tmp_path, "<a> <b> <c> .\n", "turtle")
    assert (triples, malformed) == ([("file:///a", "file:///b", "file:///c")], [])


def test_a_file_of_nothing_is_said_to_be_empty(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"")
    with pytest.raises(GraphLoadError, match="is empty"):
        list(FORMATS["turtle"].read(path))


def test_a_file_that_ends_within_a_statement_shows_where_that_begins(tmp_path: Path) -> None:
    [malformed] = turtle(tmp_path, '@prefix ex: <http://e.org/> .\nex:a ex:p """no end\nin sight\n').examples
    assert (malformed.number, malformed.text) == (2, 'ex:a ex:p """no end')
    assert malformed.reason == "Unexpected end of file; passed over up to the next full stop"


def test_of_a_statement_that_began_long_before_no_line_is_shown(tmp_path: Path) -> None:
    text = '@prefix ex: <http://e.org/> .\nex:a ex:p """no end\n' + "in sight\n" * 60_000
    [malformed] = turtle(tmp_path, text).examples
    assert (malformed.number, malformed.text) == (2, "")


def test_a_line_that_is_not_utf_8_is_shown_as_far_as_it_can_be(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b'<http://e.org/a> <http://e.org/p> "caf\xc3\xa9 \xff" .\n')
    source = FORMATS["turtle"].read(path)
    assert list(source) == []
    first = source.lines.examples[0]
    assert (first.number, first.text) == (1, '<http://e.org/a> <http://e.org/p> "café \ufffd" .')
    assert first.reason.startswith("Invalid UTF-8")


def test_the_first_and_the_last_line_may_be_malformed(tmp_path: Path) -> None:
    examples = turtle(tmp_path, "ex:a ex:p ex:b .\n@prefix ex: <http://e.org/> .\nex:a ex:p ; .").examples
    assert [(line.number, line.text) for line in examples] == [(1, "ex:a ex:p ex:b ."), (3, "ex:a ex:p ; .")]
