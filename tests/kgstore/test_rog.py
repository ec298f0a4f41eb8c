from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from kgstore.loading.errors import GraphLoadError
from kgstore.loading.formats.by_name import entity_id
from kgstore.loading.formats.rog import FORMAT, RogReader, row_terms
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


def test_literals_are_reported_by_their_looks(rows: Path) -> None:
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


def written(path: Path, *rows: object) -> Path:
    """A file of rows; a text is a line as it stands."""
    lines = (row if isinstance(row, str) else json.dumps(row) for row in rows)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def row(*triples: list[object], name: object = "1") -> dict[str, object]:
    return {"id": name, "graph": list(triples)}


def test_what_is_passed_over_is_reported_with_its_line_and_reason_and_the_rest_is_read(tmp_path: Path) -> None:
    path = written(
        tmp_path / "rows.jsonl",
        "",
        "no",
        row(["a", "r.s.t", "b"], name="half \ud800"),
        row(["a\0", "r.s.t", "b"], [" ", "r.s.t", "b"], ["a", "", "b"], ["a", "r.s.t", " "], ["a", "r.s.t", "c"]),
        '{"id": "2"}',
        '{"id": "3", "graph": {}}',
        row(["a", "r.s.t"], ["a", 1, "b"], ["a", "r.s.t", "\ud800"], ["a", "r.s.t", "d"]),
        "[]",
        row(["a", "/r/s/u", "e"], name="4"),
    )
    reader = RogReader(path)
    facts = [triple for triple in reader if triple[1] != "type.object.name"]
    assert facts == [("a", "r.s.t", "c"), ("a", "r.s.t", "d"), ("a", "r.s.u", "e")]
    no_graph, no_triple = 'not an object with a "graph"', "not a triple of three texts"
    half = "holds half a character (a lone surrogate)"
    assert [(line.number, line.text, line.reason) for line in reader.lines.examples] == [
        (2, "no", "not JSON: Expecting value"),
        (3, '"half \\ud800"', half),
        (4, '["a\\u0000", "r.s.t", "b"]', "holds a NUL character"),
        (4, '[" ", "r.s.t", "b"]', no_triple),
        (4, '["a", "", "b"]', no_triple),
        (4, '["a", "r.s.t", " "]', no_triple),
        (5, '{"id": "2"}', no_graph),
        (6, '{"id": "3", "graph": {}}', no_graph),
        (7, '["a", "r.s.t"]', no_triple),
        (7, '["a", 1, "b"]', no_triple),
    ]
    assert reader.lines.malformed == 12


def test_a_row_that_python_cannot_take_is_reported_too(tmp_path: Path) -> None:
    deep, long = "[" * 100_000, '{"id": ' + "1" * 5_000 + "}"
    reader = RogReader(written(tmp_path / "rows.jsonl", deep, long, row(["a", "r.s.t", "b"])))
    assert ("a", "r.s.t", "b") in list(reader)
    assert [(line.number, line.text, line.reason[:10]) for line in reader.lines.examples] == [
        (1, deep[:200], "not JSON: "),
        (2, long[:200], "not JSON: "),
    ]
    assert all(len(line.reason) > len("not JSON: None") for line in reader.lines.examples)


def test_the_file_is_read_twice_and_progress_says_so(rows: Path) -> None:
    reader = RogReader(rows)
    assert reader.lines.fraction == 0
    triples = iter(reader)
    next(triples)
    assert reader.lines.fraction == 1
    list(triples)
    assert reader.lines.fraction == 1
    assert list(reader)


def test_progress_is_half_after_the_first_of_the_two_readings(tmp_path: Path) -> None:
    path = written(tmp_path / "rows.jsonl", *(row(["a", "r.s.t", f"{n}" * 400], name=n) for n in range(1000)))
    reader = RogReader(path)
    triples = iter(reader)
    next(triples)
    assert 0.5 < reader.lines.fraction < 0.7


def test_names_that_a_row_says_are_kept_and_what_follows_them_is_read(tmp_path: Path) -> None:
    path = written(
        tmp_path / "rows.jsonl",
        row(
            ["a", "type.object.name", "Ay"],
            ["a", "common.topic.alias", "1984"],
            ["a", "r.s.t", "b"],
        ),
    )
    assert list(RogReader(path)) == [
        ("a", "type.object.name", '"Ay"'),
        ("a", "common.topic.alias", '"1984"'),
        ("a", "r.s.t", "b"),
        ("a", "type.object.name", '"a"'),
        ("b", "type.object.name", '"b"'),
    ]


def literal(tmp_path: Path, relation: str, *objects: str) -> list[str]:
    path = written(tmp_path / "rows.jsonl", row(*(["a", relation, obj] for obj in objects)))
    return [obj for _, predicate, obj in RogReader(path, strict=True) if predicate == relation]


@pytest.mark.parametrize(
    ("relation", "objects", "read_as"),
    [
        # Written so by most of a relation's objects: two of three are, one of two is not.
        ("r.s.t", ["1", "2", "x"], ['"1"^^xsd:integer', '"2"^^xsd:integer', "x"]),
        ("r.s.t", ["1", "x"], ["1", "x"]),
        ("r.s.t", ["1.50", "-3", "0"], ['"1.5"^^xsd:decimal', '"-3"^^xsd:integer', '"0"^^xsd:integer']),
        ("r.s.t", ["02134", "1", "2"], ["02134", '"1"^^xsd:integer', '"2"^^xsd:integer']),
        # Four digits are a year among dates, or where the relation is called so.
        ("r.s.t", ["1984", "1985"], ['"1984"^^xsd:integer', '"1985"^^xsd:integer']),
        ("r.s.t", ["1984", "1985-02"], ['"1984"^^xsd:gYear', '"1985-02"^^xsd:gYearMonth']),
        ("r.s.year", ["1984"], ['"1984"^^xsd:gYear']),
        ("r.s.year_of_birth", ["1984"], ['"1984"^^xsd:gYear']),
        ("r.s.yearly", ["1984"], ['"1984"^^xsd:integer']),
        ("r.year.s", ["1984"], ['"1984"^^xsd:integer']),
        ("sports.pro_athlete.career_start", ["1990"], ['"1990"^^xsd:gYear']),
        ("aviation.aircraft_model.introduced", ["1990"], ['"1990"^^xsd:gYear']),
        ("aviation.airport_runway.end_elevation", ["1990"], ['"1990"^^xsd:integer']),
        ("book.periodical_frequency.years_per_issue", ["1990"], ['"1990"^^xsd:integer']),
        ("r.s.date", ["12345", "1984-02-03"], ['"12345"^^xsd:integer', '"1984-02-03"^^xsd:date']),
        ("r.s.t", ["1984-02-03T10:00:00"], ['"1984-02-03"^^xsd:date']),
        ("r.s.t", ["-0044-03"], ['"-0044-03"^^xsd:gYearMonth']),
        # No date after all.
        ("r.s.t", ["1984-02-30", "1984-02-03"], ["1984-02-30", '"1984-02-03"^^xsd:date']),
    ],
)
def test_a_bare_text_is_a_literal_where_its_relation_leads_to_such(
    tmp_path: Path, relation: str, objects: list[str], read_as: list[str]
) -> None:
    assert literal(tmp_path, relation, *objects) == read_as


@pytest.mark.parametrize(
    ("names", "terms"),
    [
        (["Abe", "/x"], ["Abe", "name:/x"]),
        (["1834-11-10"], ['"1834-11-10"^^xsd:date']),
        (["1.93", "Abe"], ['"1.93"^^xsd:decimal', "Abe"]),
        (["1989"], ["1989"]),
        (["1860", "62701"], ['"1860"^^xsd:gYear', '"62701"^^xsd:integer']),
        (["nowhere", "5"], ["nowhere", "5"]),
        ([], []),
    ],
)
def test_names_of_questions_stand_for_the_terms_that_their_row_loads(names: list[str], terms: list[str]) -> None:
    graph = ROWS[0]["graph"]
    assert isinstance(graph, list)
    assert row_terms(graph, iter(names)) == terms


def test_relations_of_a_row_have_one_spelling_for_its_questions_too() -> None:
    graph = [["a", "/r/s/year", "1984"], ["a", "r.s.year", "1985"]]
    assert row_terms(graph, ["1984", "1985"]) == ['"1984"^^xsd:gYear', '"1985"^^xsd:gYear']


def test_rows_that_are_chosen_are_reported_with_how_many_there_are(rows: Path) -> None:
    assert list(RogReader(rows).filters()) == []
    reader = RogReader(rows, rows=["Q-2", "Q-1"])
    assert list(reader.filters()) == ["2 of 0 rows: Q-1, Q-2"]
    list(reader)
    assert list(reader.filters()) == ["2 of 2 rows: Q-1, Q-2"]


@pytest.mark.parametrize(
    ("count", "has"),
    [
        (0, "none"),
        (2, "0, 1"),
        (10, "0, 1, 2, 3, 4, 5, 6, 7, 8, 9"),
        (11, "0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 1 more"),
        (13, "0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 3 more"),
    ],
)
def test_of_many_rows_the_first_ten_are_named(tmp_path: Path, count: int, has: str) -> None:
    path = written(tmp_path / "rows.jsonl", "", *(row(name=n) for n in range(count)))
    with pytest.raises(GraphLoadError) as raised:
        list(RogReader(path, rows=["x"]))
    assert str(raised.value) == f"{path} has no row x; it has {has}."


@pytest.mark.parametrize(
    ("head", "is_it"),
    [
        (['{"id": 1, "graph": []}'], True),
        (['{"id": 1, "q_entity": []'], True),
        (['{"id": 1}'], False),
        (['["graph"]'], False),
        (['{"graph": []}', "no"], False),
    ],
)
def test_rows_are_known_by_their_first_keys(head: list[str], *, is_it: bool) -> None:
    assert FORMAT.recognises(head) is is_it
