"""What RDF says in other forms: collections, containers, named graphs, RDF/XML, JSON-LD, and errors in them."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from kgstore.loading.errors import GraphLoadError
from kgstore.loading.formats.rdf import collections
from kgstore.loading.formats.rdf.collections import MEMBER, with_members
from kgstore.loading.formats.registry import FORMATS, format_of

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from kgstore.loading.formats.lines import TripleText

EX = "http://e.org/"
PREFIXES = f"@prefix ex: <{EX}> .\n"
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
XML = f'<rdf:RDF xmlns:rdf="{RDF}" xmlns:ex="{EX}">\n'


def read(tmp_path: Path, text: str, name: str) -> tuple[list[TripleText], list[str]]:
    path = tmp_path / "file"
    path.write_text(text, encoding="utf-8")
    source = FORMATS[name].read(path)
    return list(source), [line.reason for line in source.lines.examples]


def short(triples: Iterable[TripleText]) -> list[tuple[str, ...]]:
    return [tuple(term.removeprefix(EX) for term in triple) for triple in triples]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("turtle", f"{PREFIXES}ex:paper ex:authors (ex:ada ex:charles ex:mary) ."),
        ("trig", f"{PREFIXES}ex:graph {{ ex:paper ex:authors (ex:ada ex:charles ex:mary) . }}"),
        (
            "rdf-xml",
            (
                f'{XML}<rdf:Description rdf:about="{EX}paper"><ex:authors rdf:parseType="Collection">'
                f'<rdf:Description rdf:about="{EX}ada"/><rdf:Description rdf:about="{EX}charles"/>'
                f'<rdf:Description rdf:about="{EX}mary"/></ex:authors></rdf:Description></rdf:RDF>'
            ),
        ),
        (
            "json-ld",
            (
                f'{{"@context": {{"@vocab": "{EX}", "authors": {{"@container": "@list", "@type": "@id"}}}},'
                f'"@id": "{EX}paper", "authors": ["{EX}ada", "{EX}charles", "{EX}mary"]}}'
            ),
        ),
        (
            "ntriples",
            "".join(
                f"{line} .\n"
                for line in (
                    f"<{EX}paper> <{EX}authors> _:one",
                    f"_:one <{RDF}rest> _:two",
                    f"_:one <{RDF}first> <{EX}ada>",
                    f"_:three <{RDF}first> <{EX}mary>",
                    f"_:three <{RDF}rest> <{RDF}nil>",
                    f"_:two <{RDF}first> <{EX}charles>",
                    f"_:two <{RDF}rest> _:three",
                )
            ),
        ),
    ],
)
def test_a_collection_is_all_its_members_in_order(name: str, text: str, tmp_path: Path) -> None:
    triples, malformed = read(tmp_path, text, name)
    assert malformed == []
    assert short(triples) == [("paper", "authors", author) for author in ("ada", "charles", "mary")]


def test_collections_within_collections_and_as_subjects(tmp_path: Path) -> None:
    text = f'{PREFIXES}ex:a ex:has ((ex:x ex:y) ex:z) .\n(ex:p ex:q) ex:says "b" .\nex:none ex:has () .\n'
    triples, _ = read(tmp_path, text, "turtle")
    inner = next(obj for subject, _, obj in triples if subject == f"{EX}a" and obj.startswith("_:"))
    pair = next(subject for subject, predicate, _ in triples if predicate == f"{EX}says")
    assert Counter(triples) == Counter(
        [
            (f"{EX}a", f"{EX}has", inner),
            (f"{EX}a", f"{EX}has", f"{EX}z"),
            (inner, MEMBER, f"{EX}x"),
            (inner, MEMBER, f"{EX}y"),
            (pair, f"{EX}says", '"b"'),
            (pair, MEMBER, f"{EX}p"),
            (pair, MEMBER, f"{EX}q"),
        ]
    )


def test_a_collection_that_comes_late_loses_no_member(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(collections, "_HELD", 3)
    some = [("a", "has", "_:list"), *(("a", "job", f"_:job{i}") for i in range(10))]
    late = [
        ("_:list", collections.FIRST, "x"),
        ("_:list", collections.REST, "_:rest"),
        ("_:rest", collections.FIRST, "y"),
    ]
    found = list(with_members([*some, *late]))
    assert Counter(found) == Counter([*some, ("_:list", MEMBER, "x"), ("_:list", MEMBER, "y")])


def test_a_collection_that_bites_its_tail_ends() -> None:
    ring = [("a", "has", "_:b"), ("_:b", collections.FIRST, "x"), ("_:b", collections.REST, "_:b")]
    assert list(with_members(ring)) == [("a", "has", "x")]


def test_members_of_a_container_have_one_relation(tmp_path: Path) -> None:
    text = f'{XML}<rdf:Seq rdf:about="{EX}top"><rdf:li>one</rdf:li><rdf:li rdf:resource="{EX}b"/></rdf:Seq></rdf:RDF>'
    triples, _ = read(tmp_path, text, "rdf-xml")
    assert [triple for triple in triples if triple[1] == MEMBER] == [
        (f"{EX}top", MEMBER, '"one"'),
        (f"{EX}top", MEMBER, f"{EX}b"),
    ]


def test_graphs_within_a_file_are_read_as_one_and_counted(tmp_path: Path) -> None:
    path = tmp_path / "file.nq"
    path.write_text(
        f"<{EX}a> <{EX}p> <{EX}b> <{EX}one> .\n<{EX}a> <{EX}p> <{EX}c> _:two .\n<{EX}a> <{EX}p> <{EX}d> .\n"
        f'<{EX}a> <{EX}p> "x" <relative> .\n'
    )
    assert format_of(path).name == "nquads"
    source = FORMATS["nquads"].read(path)
    assert [obj for _, _, obj in source] == [f"{EX}b", f"{EX}c", f"{EX}d"]
    assert list(source.filters()) == ["2 named graphs, read as one"]
    assert "is no address in full" in source.lines.examples[0].reason


def test_a_wrong_address_costs_its_own_fact_alone(tmp_path: Path) -> None:
    text = f"{PREFIXES}ex:a ex:p ex:b ; ex:q <http://e.org/no good> ; ex:r ex:c , ex:d .\nex:e ex:p ex:f .\n"
    triples, malformed = read(tmp_path, text, "turtle")
    assert short(triples) == [("a", "p", "b"), ("a", "r", "c"), ("a", "r", "d"), ("e", "p", "f")]
    assert len(malformed) == 1
    assert "is no address: it holds ' '" in malformed[0]


@pytest.mark.parametrize(
    ("rest", "said"),
    [
        ('ex:q "x"@en_US ; ex:r ex:c , ex:d .', "with 2 more facts"),
        ('ex:q none:x ; ex:r "a; b, c" .', "with 1 more fact"),
        ('ex:q "bad \\q escape" .', "passed over up to the next full stop"),
    ],
)
def test_what_is_passed_over_with_an_error_is_counted(rest: str, said: str, tmp_path: Path) -> None:
    triples, malformed = read(tmp_path, f"{PREFIXES}ex:a ex:p ex:b ; {rest}\nex:e ex:p ex:f .\n", "turtle")
    assert ("e", "p", "f") in short(triples)
    assert len(malformed) == 1
    assert malformed[0].endswith(said)


def test_well_known_prefixes_need_no_declaration(tmp_path: Path) -> None:
    triples, malformed = read(tmp_path, f'{PREFIXES}ex:a rdfs:label "Ada" ; skos:altLabel "A" .', "turtle")
    assert malformed == []
    assert [predicate for _, predicate, _ in triples] == [
        "http://www.w3.org/2000/01/rdf-schema#label",
        "http://www.w3.org/2004/02/skos/core#altLabel",
    ]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("rdf-xml", f'{XML}<rdf:Description rdf:about="{EX}a"><ex:p>x</ex:q></rdf:Description></rdf:RDF>'),
        ("rdf-xml", f'{XML}<rdf:Description rdf:about="{EX}a"><ex:p>x</ex:p>'),
        ("json-ld", f'{{"@id": "{EX}a", "{EX}p": ['),
        ("json-ld", f'{{"@context": "http://e.org/context.jsonld", "@id": "{EX}a", "p": 1}}'),
    ],
)
def test_xml_and_json_with_an_error_are_refused_as_a_whole(name: str, text: str, tmp_path: Path) -> None:
    with pytest.raises(GraphLoadError, match=r"cannot be read after about line \d+: .*Correct it, or convert it"):
        read(tmp_path, text, name)


_BLANK = re.compile(r"^_:.*")


def _alike(triples: Iterable[TripleText], base: str) -> Counter[tuple[str, ...]]:
    """Triples whose nodes without a label are all alike, and whose relative addresses have no base."""
    return Counter(tuple(_BLANK.sub("_:", term).replace(base, "file:///") for term in triple) for triple in triples)


@pytest.mark.real_data
def test_the_suite_of_rdf_xml_of_w3c(real_data: Path) -> None:
    folder = real_data / "w3c_rdf_tests" / "rdf-xml"
    if not folder.is_dir():
        pytest.skip(f"no test suite in {folder}")
    wrong = []
    for expected in sorted(folder.glob("**/*.nt")):
        file = expected.with_suffix(".rdf")
        if not file.exists() or not expected.read_text().strip():
            continue
        base = f"https://w3c.github.io/rdf-tests/rdf/rdf11/rdf-xml/{file.relative_to(folder).as_posix()}"
        try:
            found = _alike(FORMATS["rdf-xml"].read(file), "file:///")
        except GraphLoadError:
            found = Counter()
        wanted = _alike(FORMATS["ntriples"].read(expected), base)
        if found != wanted:
            wrong.append(file.relative_to(folder).as_posix())
    # The library writes the namespaces of XML literals in another way, and refuses two that are empty.
    assert [name for name in wrong if "xml-literal" not in name and "xml-canon" not in name] == [
        "rdfms-empty-property-elements/test003.rdf",
        "rdfms-empty-property-elements/test009.rdf",
    ]
