"""Graph files and name files with mistakes: every line loads, or is refused by its number."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kgstore.characters import character_fault
from kgstore.loading.errors import GraphLoadError
from kgstore.loading.formats import registry as formats
from kgstore.loading.formats.tsv import NameReader, TripleReader
from kgstore.sqlite.loader import load_graph
from kgstore.sqlite.store import SqliteStore
from kgstore.terms import Entity, parse_term

if TYPE_CHECKING:
    from pathlib import Path

    from kgstore.loading.formats.lines import LineReader

LINES = {
    "tsv": 'm.1\tr.s.t\tm.2\nm.1\ttype.object.name\t"One"@en\n',
    "metaqa": "Kismet|directed_by|William Dieterle\nKismet|release_year|1944\n",
    "pathquestion": "joan_crawford\tspouse\tphillip_terry\n",
    "freebase-rdf": (
        '<http://rdf.freebase.com/ns/m.1>\t<http://rdf.freebase.com/ns/type.object.name>\t"One"@en\t.\n'
        "<http://rdf.freebase.com/ns/m.1>\t<http://rdf.freebase.com/ns/r.s.t>\t<http://rdf.freebase.com/ns/m.2>\t.\n"
    ),
    "ntriples": (
        '<http://e.org/1> <http://www.w3.org/2000/01/rdf-schema#label> "One"@en .\n'
        "<http://e.org/1> <http://e.org/knows> _:b .\n"
    ),
    "turtle": '@prefix ex: <http://e.org/> .\nex:1 <http://schema.org/name> "One"@en ; ex:knows [ ex:of ex:2 ] .\n',
    "rog": json.dumps({"id": "Q-1", "graph": [["Abe", "people.person.spouse_s", "Mary"]]}) + "\n",
}
HOSTILE = {
    "tsv": [
        b"m.3\tr.s.t\tm.\x004\n",
        b"m.3\tr.s\x00.t\tm.4\n",
        b"m.3\tr.s.t\tm.\xed\xa0\x80\n",
        b'm.3\tr.s.t\t"' + b"9" * 5_000 + b'"^^xsd:gYear\n',
        b'm.3\tr.s.t\t"nan"^^xsd:double\n',
        b"/\tr.s.t\tm.4\n",
    ],
    "metaqa": [b"Kis\x00met|directed_by|X\n", b"\xed\xa0\x80|directed_by|X\n", b"Kismet|release_year|\x001944\n"],
    "pathquestion": [b"a\tspouse\tb\x00\n", b"a\tspouse\t\xff\n"],
    "freebase-rdf": [
        LINES["freebase-rdf"].replace("One", "\x00").splitlines(keepends=True)[0].encode(),
        LINES["freebase-rdf"].replace("One", "\\u0000").splitlines(keepends=True)[0].encode(),
        LINES["freebase-rdf"].replace("One", "\\uD800").splitlines(keepends=True)[0].encode(),
        LINES["freebase-rdf"].replace("ns/m.1", "ns/m.\\u0000").splitlines(keepends=True)[0].encode(),
    ],
    "ntriples": [
        b'<http://e.org/1> <http://e.org/p> "\x00" .\n',
        b'<http://e.org/1> <http://e.org/p> "\\u0000" .\n',
        b"<http://e.org/\\uD800> <http://e.org/p> _:b .\n",
        b'<http://e.org/1> <http://e.org/p> "nan"^^<http://www.w3.org/2001/XMLSchema#double> .\n',
        b"_:\xed\xa0\x80 <http://e.org/p> _:b .\n",
    ],
    "turtle": [
        b'ex:1 ex:p "\x00" .\n',
        b'ex:1 ex:p "\\u0000" .\n',
        b'ex:1 ex:p "nan"^^<http://www.w3.org/2001/XMLSchema#double> .\n',
        b"ex:1 ex:p nope:x .\n",
    ],
    "rog": [
        json.dumps({"id": "Q-2", "graph": [["A\x00", "r.s.t", "B"]]}).encode() + b"\n",
        json.dumps({"id": "Q-3", "graph": [["A", "r.s.t", "\ud800"]]}).encode() + b"\n",
        json.dumps({"id": "\ud800", "graph": [["A", "r.s.t", "B"]]}).encode() + b"\n",
        b"[" * 100_000 + b"\n",
        b'{"id": ' + b"1" * 5_000 + b', "graph": []}\n',
        b'{"id": 5, "graph": [["A", "r.s.t", null]]}\n',
    ],
}

ESCAPES = [b"\\u0000", b"\\ud800", b"\\"]


def load(path: Path, name: str) -> tuple[LineReader, SqliteStore]:
    triples = formats.FORMATS[name].read(path)
    target = path.with_suffix(".sqlite")
    load_graph(triples, target, name="hostile", title="Hostile", source="test")
    return triples.lines, SqliteStore(target)


@pytest.mark.parametrize(("name", "line"), [(name, line) for name, lines in HOSTILE.items() for line in lines])
def test_a_line_that_cannot_be_kept_is_refused_by_its_number_and_the_rest_loads(
    name: str, line: bytes, tmp_path: Path
) -> None:
    path = tmp_path / "graph"
    path.write_bytes(LINES[name].encode() + line)
    lines, store = load(path, name)
    assert [each.number for each in lines.examples] == [LINES[name].count("\n") + 1]
    assert lines.malformed == 1
    assert store.info().triples >= 1
    store.close()


@pytest.mark.slow
@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@pytest.mark.parametrize("name", sorted(LINES))
@given(data=st.data())
def test_a_graph_file_with_other_bytes_loads_or_is_refused(name: str, tmp_path: Path, data: st.DataObject) -> None:
    content = bytearray(LINES[name].encode() * 2)
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(content)))
        other = data.draw(
            st.binary(max_size=6) | st.text(max_size=6).map(str.encode) | st.sampled_from([b"\\u0000", b"\\"])
        )
        content[start : data.draw(st.integers(start, min(len(content), start + 12)))] = other
    path = tmp_path / "graph"
    path.write_bytes(bytes(content))
    try:
        _, store = load(path, name)
    except GraphLoadError:
        return
    for match in store.search("o", 50):
        assert not character_fault(f"{match.card.entity.mid}{match.card.name}{match.matched}")
        for count in store.relations([match.card.entity]):
            for triple in store.expand([match.card.entity], count.relation, 10).triples:
                assert parse_term(str(triple.object)) == triple.object
    store.close()


def test_names_are_refused_line_by_line(tmp_path: Path) -> None:
    triples = tmp_path / "graph.tsv"
    triples.write_text("".join(f"m.{n}\tr.s.t\tm.0\n" for n in range(1, 8)))
    names = tmp_path / "names.tsv"
    long = "Long " * 2_000 + "end"
    names.write_bytes(
        b"m.1\tN\x00UL\n/\tslash\nm.2\t\xed\xa0\x80\nm.3\t"
        + long.encode()
        + b"\nm.4\t\xe2\x80\xaeevil\n\tnobody\nm.5\tFive\n"
    )
    reader = NameReader(names)
    target = tmp_path / "graph.sqlite"
    load_graph(TripleReader(triples), target, name="n", title="N", source="test", names=reader)
    store = SqliteStore(target)
    cards = store.cards([Entity(f"m.{n}") for n in range(1, 6)])
    assert {entity.mid: card.name for entity, card in cards.items() if card.name} == {
        "m.3": long,
        "m.4": "\u202eevil",
        "m.5": "Five",
    }
    assert [each.number for each in reader.lines.examples] == [1, 2, 3, 6]
    store.close()
