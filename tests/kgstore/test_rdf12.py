"""RDF 1.2: statements as terms and what reifies them, tags with a direction, versions; and labels of blank nodes."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest
from pyoxigraph import BlankNode, CanonicalizationAlgorithm, Dataset, Literal, NamedNode, Quad

from kgstore.loading.formats.registry import FORMATS, format_of
from kgstore.loading.reading import GraphToLoad
from kgstore.sqlite.library import SqliteLibrary
from kgstore.terms import Entity, Relation

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from kgstore.loading.formats.lines import TripleText
    from kgstore.store import GraphStore

EX = "http://e.org/"
PREFIX = f"PREFIX : <{EX}>\n"
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
LABEL = "<http://www.w3.org/2000/01/rdf-schema#label>"


def read(tmp_path: Path, text: str, name: str) -> tuple[list[TripleText], list[str]]:
    path = tmp_path / "file"
    path.write_text(text, encoding="utf-8")
    source = FORMATS[name].read(path)
    return list(source), [line.reason for line in source.lines.examples]


def short(triples: list[TripleText]) -> list[tuple[str, ...]]:
    return [tuple(term.removeprefix(EX).removeprefix(RDF) for term in triple) for triple in triples]


@pytest.fixture
def load(tmp_path: Path) -> Iterator[Loader]:
    loader = Loader(tmp_path)
    yield loader
    loader.close()


class Loader:
    """Loads a file as a person does: by its name alone."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._library = SqliteLibrary(folder / "graphs")
        self._opened: list[GraphStore] = []

    def __call__(self, text: str, file: str) -> GraphStore:
        path = self._folder / file
        path.write_text(text, encoding="utf-8")
        source = format_of(path).read(path)
        self._library.load(GraphToLoad(source, "g", "G", "made up", names_from_ids=True))
        self._opened.append(self._library.open("g"))
        return self._opened[-1]

    def close(self) -> None:
        for store in self._opened:
            store.close()
        self._library.close()


TURTLE = f'{PREFIX}:sue {LABEL} "Sue" ; :employer :acme ~ :r {{| :since 1999 |}} .\n'
N_TRIPLES = (
    f'<{EX}sue> {LABEL} "Sue" .\n'
    f"<{EX}sue> <{EX}employer> <{EX}acme> .\n"
    f"<{EX}r> <{RDF}reifies> <<( <{EX}sue> <{EX}employer> <{EX}acme> )>> .\n"
    f'<{EX}r> <{EX}since> "1999"^^<http://www.w3.org/2001/XMLSchema#integer> .\n'
)


@pytest.mark.parametrize(("text", "file"), [(TURTLE, "x.ttl"), (N_TRIPLES, "x.nt"), (N_TRIPLES, "x.nq")])
def test_a_reifier_leads_from_the_subject_to_what_is_said_of_the_statement(text: str, file: str, load: Loader) -> None:
    store = load(text, file)
    sue, reifier = Entity(f"{EX}sue"), Entity(f"{EX}r")
    [to_statement] = store.expand([sue], Relation(f"{EX}employer-statement"), 9).triples
    assert to_statement.object == reifier
    assert store.cards([reifier])[reifier].is_mediator
    facts = {str(count.relation) for count in store.relations([reifier])}
    assert facts == {f"{EX}since", f"{EX}employer-value", f"^{EX}employer-statement"}
    assert [str(each.object) for each in store.expand([reifier], Relation(f"{EX}since"), 9).triples] == [
        '"1999"^^xsd:integer'
    ]
    assert [str(each.object) for each in store.expand([sue], Relation(f"{EX}employer"), 9).triples] == [f"{EX}acme"]


def test_a_statement_is_a_fact_only_where_the_file_says_so(tmp_path: Path) -> None:
    triples, reasons = read(tmp_path, f"{PREFIX}<< :a :p :b ~ :r >> :q :c .\n", "turtle")
    assert reasons == []
    assert short(triples) == [
        ("r", "type", "Statement"),
        ("a", "p-statement", "r"),
        ("r", "p-value", "b"),
        ("r", "q", "c"),
    ]


def test_the_same_statement_as_a_term_is_one_node(tmp_path: Path) -> None:
    text = f"{PREFIX}:ann :says <<( :earth :shape :flat )>> .\n:bob :denies <<( :earth :shape :flat )>> .\n"
    triples, reasons = read(tmp_path, text, "turtle")
    assert reasons == []
    nodes = {subject: obj for subject, predicate, obj in triples if predicate in (f"{EX}says", f"{EX}denies")}
    assert nodes[f"{EX}ann"] == nodes[f"{EX}bob"]
    assert (f"{EX}earth", f"{EX}shape-statement", nodes[f"{EX}ann"]) in triples
    assert (f"{EX}earth", f"{EX}shape", f"{EX}flat") not in triples


def test_statements_within_statements_and_without_a_name(tmp_path: Path) -> None:
    text = f'{PREFIX}:a :p :b {{| :by [ :at "x" ] |}} .\n<<:c :p <<( :d :q 1 )>> >> :r 2 .\n'
    triples, reasons = read(tmp_path, text, "turtle")
    assert reasons == []
    found = Counter(predicate for _, predicate, _ in short(triples))
    statements = {"p-statement": 2, "p-value": 2, "q-statement": 1, "q-value": 1, "type": 3}
    assert found == Counter({"p": 1, "by": 1, "at": 1, "r": 1, **statements})


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("turtle", f'{PREFIX}:a :p "x"@ar--rtl .\n'),
        ("trig", f'{PREFIX}:a :p "x"@ar--rtl .\n'),
        ("ntriples", f'<{EX}a> <{EX}p> "x"@ar--rtl .\n'),
        ("nquads", f'<{EX}a> <{EX}p> "x"@ar--rtl <{EX}g> .\n'),
    ],
)
def test_tags_with_a_direction(name: str, text: str, tmp_path: Path) -> None:
    triples, reasons = read(tmp_path, text, name)
    assert (short(triples), reasons) == ([("a", "p", '"x"@ar--rtl')], [])


@pytest.mark.parametrize("name", ["ntriples", "nquads", "turtle"])
@pytest.mark.parametrize("tag", ["ar--RTL", "ar--down", "ar--", "--ltr"])
def test_other_directions_are_reported(name: str, tag: str, tmp_path: Path) -> None:
    triples, reasons = read(tmp_path, f'<{EX}a> <{EX}p> "x"@{tag} .\n', name)
    assert triples == []
    assert reasons != []


@pytest.mark.parametrize("name", ["ntriples", "nquads", "turtle", "trig"])
@pytest.mark.parametrize("version", ['VERSION "1.2"', "VERSION '1.2-basic'"])
def test_versions_are_read(name: str, version: str, tmp_path: Path) -> None:
    triples, reasons = read(tmp_path, f"{version}\n<{EX}a> <{EX}p> <{EX}b> .\n", name)
    assert (short(triples), reasons) == ([("a", "p", "b")], [])


@pytest.mark.parametrize("version", ["VERSION 1.2", 'VERSION """1.2"""', "VERSION", 'VERSION "1.2" .'])
def test_a_malformed_version_is_reported(version: str, tmp_path: Path) -> None:
    triples, reasons = read(tmp_path, f"{version}\n<{EX}a> <{EX}p> <{EX}b> .\n", "ntriples")
    assert short(triples) == [("a", "p", "b")]
    assert len(reasons) == 1


@pytest.mark.parametrize(
    "line",
    [
        f"<{EX}a> <{EX}p> <<( <{EX}a> <{EX}p> )>> .",
        f"<<( <{EX}a> <{EX}p> <{EX}b> )>> <{EX}p> <{EX}c> .",
        f"<{EX}a> <<( <{EX}a> <{EX}p> <{EX}b> )>> <{EX}c> .",
        f"<{EX}a> <{EX}p> << <{EX}a> <{EX}p> <{EX}b> >> .",
        f"<{EX}a> <{EX}p> <<( <{EX}a> <{EX}p> <no space> )>> .",
    ],
)
def test_malformed_statements_as_terms_are_reported_with_their_line(line: str, tmp_path: Path) -> None:
    path = tmp_path / "file.nt"
    path.write_text(f"<{EX}a> <{EX}p> <{EX}b> .\n{line}\n", encoding="utf-8")
    source = FORMATS["ntriples"].read(path)
    assert short(list(source)) == [("a", "p", "b")]
    assert [(each.number, each.text) for each in source.lines.examples] == [(2, line)]


@pytest.mark.parametrize("address", ["urn:_:x", "http://e.org/\u00a0x", "http://e.org/\u3000", "tag:_x", "a:b"])
@pytest.mark.parametrize("name", ["ntriples", "nquads", "turtle"])
def test_legal_addresses_are_read_in_every_format(name: str, address: str, tmp_path: Path) -> None:
    triples, reasons = read(tmp_path, f"<{address}> <{EX}p> <{address}> .\n", name)
    assert (triples, reasons) == ([(address, f"{EX}p", address)], [])


XML = (
    f'<rdf:RDF xmlns:rdf="{RDF}" xmlns:ex="{EX}" rdf:version="1.2"><rdf:Description rdf:about="{EX}sue">'
    f'<ex:employer rdf:resource="{EX}acme" rdf:annotation="{EX}r"/></rdf:Description></rdf:RDF>'
)


def test_a_statement_of_rdf_xml_can_be_reified(tmp_path: Path) -> None:
    triples, _ = read(tmp_path, XML, "rdf-xml")
    assert (f"{EX}sue", f"{EX}employer-statement", f"{EX}r") in triples


def test_a_label_is_never_the_number_of_a_node_without_one(tmp_path: Path) -> None:
    text = f"{PREFIX}:a :p _:node-1 , _:node--1 , [ :q 1 ] .\n_:node-1 :q 2 .\n_:node--1 :q 3 .\n"
    triples, _ = read(tmp_path, text, "turtle")
    assert len({obj for _, predicate, obj in triples if predicate == f"{EX}p"}) == 3
    values = {subject: obj for subject, predicate, obj in triples if predicate == f"{EX}q"}
    assert len(values) == 3


def test_a_label_is_never_a_statement(tmp_path: Path) -> None:
    first, _ = read(tmp_path, f"{PREFIX}:a :says <<( :b :c :d )>> .\n", "turtle")
    node = next(obj for _, predicate, obj in first if predicate == f"{EX}says")
    for name in ("turtle", "ntriples"):
        second, _ = read(tmp_path, f"<{EX}a> <{EX}says> {node} .\n", name)
        assert second[0][2] != node


@pytest.mark.parametrize("file", ["x.ttl", "x.nt"])
def test_a_statement_that_is_taken_apart_is_reached_from_its_subject(file: str, load: Loader) -> None:
    said = [
        ("type", f"<{RDF}Statement>"),
        ("object", f"<{EX}acme>"),
        ("subject", f"<{EX}sue>"),
        ("predicate", f"<{EX}job>"),
    ]
    parts = "".join(f"_:s <{RDF}{relation}> {obj} .\n" for relation, obj in said)
    store = load(f'<{EX}sue> {LABEL} "Sue" .\n_:s <{EX}since> "1999" .\n{parts}', file)
    assert [str(count.relation) for count in store.relations([Entity(f"{EX}sue")])] == [f"{EX}job-statement"]
    assert {str(count.relation) for count in store.relations([Entity("_:s")])} == {
        f"{EX}since",
        f"{EX}job-value",
        f"^{EX}job-statement",
    }


def test_a_statement_without_one_of_its_parts_stays_as_it_is(tmp_path: Path) -> None:
    text = f"<{EX}s> <{RDF}subject> <{EX}a> .\n<{EX}s> <{RDF}object> <{EX}b> .\n<{EX}s> <{RDF}object> <{EX}c> .\n"
    triples, reasons = read(tmp_path, text, "ntriples")
    assert reasons == []
    assert sorted(short(triples)) == [("s", "object", "b"), ("s", "object", "c"), ("s", "subject", "a")]


def canonical(triples: list[TripleText]) -> set[str]:
    def node(text: str) -> NamedNode | BlankNode:
        return BlankNode(text.removeprefix("_:")) if text.startswith("_:") else NamedNode(text)

    dataset = Dataset(
        Quad(node(subject), NamedNode(predicate), Literal(obj) if obj.startswith('"') else node(obj))
        for subject, predicate, obj in triples
    )
    dataset.canonicalize(CanonicalizationAlgorithm.UNSTABLE)
    return {str(quad) for quad in dataset}


SUBJECT, P, OBJECT, R, Q, Z = (f"<{EX}{name}>" for name in "sporqz")
REIFIES = f"<{RDF}reifies>"


@pytest.mark.parametrize(
    ("turtle", "lines"),
    [
        ("<<:s :p :o>> :q :z .", [f"_:x {REIFIES} <<( {SUBJECT} {P} {OBJECT} )>>", f"_:x {Q} {Z}"]),
        ("<<:s :p :o ~ :r>> :q :z .", [f"{R} {REIFIES} <<( {SUBJECT} {P} {OBJECT} )>>", f"{R} {Q} {Z}"]),
        (":q :z <<:s :p :o ~ :r>> .", [f"{R} {REIFIES} <<( {SUBJECT} {P} {OBJECT} )>>", f"{Q} {Z} {R}"]),
        ("<<:s :p :o>> .", [f"_:x {REIFIES} <<( {SUBJECT} {P} {OBJECT} )>>"]),
        (":s :p :o ~ .", [f"{SUBJECT} {P} {OBJECT}", f"_:x {REIFIES} <<( {SUBJECT} {P} {OBJECT} )>>"]),
        (
            ":s :p :o ~ :r ~ :q .",
            [f"{SUBJECT} {P} {OBJECT}", *(f"{each} {REIFIES} <<( {SUBJECT} {P} {OBJECT} )>>" for each in (R, Q))],
        ),
        (
            ":s :p :o {| :q :z |} {| :q 1 |} .",
            [
                f"{SUBJECT} {P} {OBJECT}",
                *(f"{each} {REIFIES} <<( {SUBJECT} {P} {OBJECT} )>>" for each in ("_:x", "_:y")),
                f"_:x {Q} {Z}",
                f'_:y {Q} "1"^^<http://www.w3.org/2001/XMLSchema#integer>',
            ],
        ),
        (":r :q <<( :s :p <<( :o :q _:b )>> )>> .", [f"{R} {Q} <<( {SUBJECT} {P} <<( {OBJECT} {Q} _:b )>> )>>"]),
        (":r :q <<( _:b :p [] )>> .", [f"{R} {Q} <<( _:b {P} _:c )>>"]),
        (
            ":r :q (<<( :s :p :o )>> :z) .",
            [
                f"{R} {Q} _:l",
                f"_:l <{RDF}first> <<( {SUBJECT} {P} {OBJECT} )>>",
                f"_:l <{RDF}rest> _:m",
                f"_:m <{RDF}first> {Z}",
                f"_:m <{RDF}rest> <{RDF}nil>",
            ],
        ),
    ],
)
def test_turtle_and_n_triples_say_the_same(turtle: str, lines: list[str], tmp_path: Path) -> None:
    short_form, reasons = read(tmp_path, f"{PREFIX}{turtle}\n", "turtle")
    long_form, more = read(tmp_path, "".join(f"{line} .\n" for line in lines), "ntriples")
    assert reasons + more == []
    assert canonical(short_form) == canonical(long_form)
