from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from kgstore.loading.errors import GraphLoadError
from kgstore.loading.rog import RogReader, entity_id
from kgstore.sqlite.loader import load_graph
from kgstore.sqlite.store import SqliteStore
from kgstore.terms import Entity, Relation, TermKind, parse_term

if TYPE_CHECKING:
    from pathlib import Path

ROWS = [
    {
        "id": "Q-1",
        "question": "when was abe born",
        "q_entity": ["Abe"],
        "a_entity": ["1834-11-10"],
        "graph": [
            ["Abe", "people.person.date_of_birth", "1834-11-10"],
            ["Abe", "people.person.spouse_s", "m.0abc"],
            ["m.0abc", "people.marriage.spouse", "Mary"],
            ["m.0abc", "people.marriage.from", "1860"],
            ["Abe", "people.person.children", "Bob"],
            ["Bob", "people.person.parents", "Abe"],
            ["Abe", "people.person.height_meters", "1.93"],
            ["Abe", "music.artist.album", "1989"],
            ["Abe", "music.artist.album", "Greatest Hits"],
            ["Springfield", "location.citytown.postal_codes", "62701"],
            ["Abe", "people.person.nickname", '"Honest" Abe'],
        ],
    },
    {
        "id": "Q-2",
        "graph": [
            ["Abe", "people.person.children", "Bob"],
            ["Abe", "people.person.lucky_number", "7"],
            ["7", "numbers.number.next", "8"],
        ],
    },
]


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS), encoding="utf-8")
    return path


def read(path: Path, *rows: str) -> SqliteStore:
    target = path.with_suffix(".sqlite")
    load_graph(RogReader(path, rows=rows, strict=True), target, name="rog", title="RoG", source="test")
    return SqliteStore(target)


def objects(store: SqliteStore, subject: str, predicate: str) -> set[str]:
    return {str(triple.object) for triple in store.expand([Entity(subject)], Relation(predicate), 99).triples}


def test_names_are_ids_and_mids_are_mediators(rows: Path) -> None:
    store = read(rows)
    cards = store.cards([Entity("Abe"), Entity("m.0abc")])
    assert (cards[Entity("Abe")].name, cards[Entity("Abe")].is_mediator) == ("Abe", False)
    assert (cards[Entity("m.0abc")].name, cards[Entity("m.0abc")].is_mediator) == (None, True)
    assert [match.card.entity.mid for match in store.search("spring", 5)] == ["Springfield"]
    assert store.search("0abc", 5) == []


def test_direction_and_parallel_relations_are_kept(rows: Path) -> None:
    store = read(rows)
    assert objects(store, "Abe", "people.person.children") == {"Bob"}
    assert objects(store, "Bob", "people.person.parents") == {"Abe"}
    assert objects(store, "Bob", "people.person.children") == set()


def test_literals_are_told_by_their_looks(rows: Path) -> None:
    store = read(rows)
    assert objects(store, "Abe", "people.person.date_of_birth") == {'"1834-11-10"^^xsd:date'}
    assert objects(store, "m.0abc", "people.marriage.from") == {'"1860"^^xsd:gYear'}
    assert objects(store, "Abe", "people.person.height_meters") == {'"1.93"^^xsd:decimal'}
    assert objects(store, "Springfield", "location.citytown.postal_codes") == {'"62701"^^xsd:integer'}
    kinds = {str(r.relation): r.kind for r in store.relations([Entity("Abe")])}
    assert kinds["people.person.date_of_birth"] is TermKind.DATE
    assert kinds["people.person.height_meters"] is TermKind.NUMBER


def test_what_is_a_subject_or_stands_among_names_is_an_entity(rows: Path) -> None:
    store = read(rows)
    assert objects(store, "Abe", "people.person.lucky_number") == {"7"}
    assert objects(store, "Abe", "music.artist.album") == {"1989", "Greatest Hits"}


def test_any_name_makes_an_id(rows: Path) -> None:
    store = read(rows)
    assert objects(store, "Abe", "people.person.nickname") == {'name:"Honest" Abe'}
    assert store.labels([Entity('name:"Honest" Abe')]) == {Entity('name:"Honest" Abe'): '"Honest" Abe'}
    for name in ('"', "/film", "a\tb\nc", "plain", "Männer & Co."):
        assert parse_term(entity_id(name)) == Entity(entity_id(name))


def test_one_row_is_loaded_alone(rows: Path) -> None:
    store = read(rows, "Q-2")
    assert store.cards([Entity("Springfield")]) == {}
    assert objects(store, "Abe", "people.person.children") == {"Bob"}


def test_a_row_that_is_not_there(rows: Path) -> None:
    with pytest.raises(GraphLoadError, match=r"has no row Q-3, Q-4; it has Q-1, Q-2\."):
        list(RogReader(rows, rows=["Q-4", "Q-1", "Q-3"]))


def test_malformed_rows_and_triples_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"id": "1", "graph": [["a", "r.s.t", "b"], ["a", "r.s.t"], ["a", 1, "b"]]}\nno\n{"id": "2"}\n[]\n')
    reader = RogReader(path)
    assert next(iter(reader)) == ("a", "r.s.t", "b")
    assert [line.number for line in reader.lines.examples] == [1, 1, 2, 3, 4][: reader.lines.malformed]
    list(reader)
    assert reader.lines.malformed == 5
    with pytest.raises(GraphLoadError, match="not a triple of three texts"):
        list(RogReader(path, strict=True))
