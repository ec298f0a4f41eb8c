"""The suites of the W3C for N-Triples, N-Quads, Turtle and RDF/XML: what is right loads, what is wrong is reported."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest
from pyoxigraph import BlankNode, CanonicalizationAlgorithm, Dataset, Literal, NamedNode, Quad, RdfFormat, Store
from pyoxigraph import Triple as RdfTriple

from kgstore.loading.errors import GraphLoadError
from kgstore.loading.formats.registry import FORMATS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from kgstore.loading.formats.lines import TripleText

SUITES = {"ntriples": "rdf-n-triples", "nquads": "rdf-n-quads", "turtle": "rdf-turtle", "rdf-xml": "rdf-xml"}
WHERE = "https://w3c.github.io/rdf-tests/rdf/rdf11/"
MANIFEST = "http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#"
TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
BASE = "file:///"

NUL = "a text with NUL, which no database keeps, is reported"
EXCEPTIONS = {
    "ntriples": {
        "literal_all_controls": NUL,
        "literal_ascii_boundaries": NUL,
        "nt-syntax-file-01": "an empty file is no graph",
    },
    "nquads": {
        "literal_all_controls": NUL,
        "literal_ascii_boundaries": NUL,
        "nt-syntax-file-01": "an empty file is no graph",
    },
    "turtle": {
        "LITERAL1_all_controls": NUL,
        "LITERAL1_ascii_boundaries": NUL,
        "LITERAL2_ascii_boundaries": NUL,
        "LITERAL_LONG1_ascii_boundaries": NUL,
        "LITERAL_LONG2_ascii_boundaries": NUL,
        "langtagged_LONG_with_subtag": "pyoxigraph writes language tags in small letters",
        "turtle-syntax-bad-pname-03": "pyoxigraph reads the escape of a character in a name where it is lenient",
        "turtle-syntax-bad-struct-01": "a graph in a file of Turtle is read, as TriG has it",
        "turtle-syntax-file-01": "an empty file is no graph",
    },
    "rdf-xml": {
        "datatypes-test002": "a text that is no number, with the datatype of one, is reported",
        "xml-canon-test001": "pyoxigraph writes the namespaces of XML literals in another way",
        "xml-canon-test002": "pyoxigraph writes the namespaces of XML literals in another way",
    },
}
"""Tests with another outcome, by format and name, and why."""


@dataclass(frozen=True, slots=True)
class Case:
    name: str
    is_negative: bool
    action: str
    result: str | None


def cases(manifest: Path) -> Iterator[Case]:
    store = Store()
    store.load(path=str(manifest), format=RdfFormat.TURTLE, base_iri="http://e.org/manifest.ttl")

    def one(subject: NamedNode | BlankNode | RdfTriple, relation: str) -> str | None:
        found = next(store.quads_for_pattern(subject, NamedNode(relation), None), None)
        if found is None or isinstance(found.object, RdfTriple):
            return None
        return found.object.value.removeprefix("http://e.org/")

    for quad in store.quads_for_pattern(None, NamedNode(f"{MANIFEST}action"), None):
        name, kind = one(quad.subject, f"{MANIFEST}name"), one(quad.subject, TYPE)
        yield Case(
            name or "",
            "Negative" in (kind or ""),
            one(quad.subject, f"{MANIFEST}action") or "",
            one(quad.subject, f"{MANIFEST}result"),
        )


def read(path: Path, name: str) -> tuple[list[TripleText], list[str]]:
    source = FORMATS[name].read(path)
    try:
        triples = list(source)
    except GraphLoadError as error:
        return [], [str(error)]
    return triples, [line.reason for line in source.lines.examples]


def canonical(triples: Iterable[TripleText], action: str, folder: str) -> set[str]:
    """Triples whose blank nodes have the same names wherever they stand alike, and whose base is that of no file."""
    file = action.rpartition("/")[2]
    bases = (f"{WHERE}{folder}/{action}".rpartition("/")[0] + "/", BASE)

    def address(text: str) -> NamedNode:
        for base in bases:
            if text.startswith(base):
                rest = text.removeprefix(base)
                return NamedNode(f"base:{rest.removeprefix(file) if rest.partition('#')[0] == file else rest}")
        return NamedNode(f"id:{text}")

    def node(text: str) -> NamedNode | BlankNode:
        return BlankNode(text.removeprefix("_:")) if text.startswith("_:") else address(text)

    dataset = Dataset(
        Quad(node(subject), address(predicate), Literal(obj) if obj.startswith('"') else node(obj))
        for subject, predicate, obj in triples
    )
    dataset.canonicalize(CanonicalizationAlgorithm.UNSTABLE)
    return {str(quad) for quad in dataset}


def fault(case: Case, folder: Path, name: str) -> str:
    """What is wrong with how a test ends; empty where nothing is."""
    triples, reasons = read(folder / case.action, name)
    if case.is_negative:
        return "" if reasons else "accepted"
    if reasons:
        return f"reported: {reasons[0]}"
    if case.result is None:
        return ""
    wanted, _ = read(folder / case.result, "ntriples")
    is_same = canonical(triples, case.action, folder.name) == canonical(wanted, case.action, folder.name)
    return "" if is_same else "other triples"


@pytest.mark.real_data
@pytest.mark.parametrize("name", SUITES)
def test_the_suite_of_w3c(name: str, real_data: Path) -> None:
    folder = real_data / "w3c_rdf_tests" / SUITES[name]
    if not folder.is_dir():
        pytest.skip(f"no test suite in {folder}")
    found = list(cases(folder / "manifest.ttl"))
    assert len(found) > 50
    faults = {case.name: wrong for case in found if (wrong := fault(case, folder, name))}
    assert {each: why for each, why in faults.items() if each not in EXCEPTIONS[name]} == {}
    assert EXCEPTIONS[name].keys() - faults.keys() == set()
