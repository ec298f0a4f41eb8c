"""The SQLite file of a graph as `kgstore.sqlite.format` says it is, and how far its writing is told to be."""

from __future__ import annotations

import fcntl
import json
import re
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest

from kgstore.loading.errors import GraphIsLoadingError, GraphLoadError
from kgstore.loading.reading import GraphToLoad, LoadProgress
from kgstore.sqlite import loader
from kgstore.sqlite.format import APPLICATION_ID, FORMAT_VERSION
from kgstore.sqlite.loader import claimed, load_file, load_graph
from kgstore.store_parts.relation_codes import unpack

if TYPE_CHECKING:
    from pathlib import Path

    from kgstore.loading.formats.lines import TripleText

TRIPLES: list[TripleText] = [
    ("m.film", "type.object.name", '"A Film"@en'),
    ("m.film", "common.topic.alias", '"The Film"@en'),
    ("m.film", "type.object.type", "film.film"),
    ("m.film", "type.object.type", "common.topic"),
    ("m.film", "film.film.directed_by", "m.director"),
    ("m.director", "film.director.film", "m.film"),
    ("m.director", "type.object.name", '"Ann"@en'),
    ("m.film", "film.film.initial_release_date", '"1999"^^xsd:gYear'),
    ("m.film", "film.film.tagline", '"Once"@en'),
    ("m.film", "film.film.starring", "m.cvt"),
    ("m.cvt", "film.performance.actor", "m.actor"),
]


def rows(path: Path, query: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(query).fetchall()


@pytest.fixture
def heard() -> list[LoadProgress]:
    return []


@pytest.fixture
def target(tmp_path: Path, heard: list[LoadProgress]) -> Path:
    path = tmp_path / "deep" / "folder" / "g.sqlite"
    graph = GraphToLoad(TRIPLES, "g", "The graph", "a file", lambda: ["2 of 9", "films"])
    load_file(graph, path, progress=heard.append)
    return path


def test_the_file_is_marked_as_a_graph_of_this_format(target: Path) -> None:
    assert rows(target, "PRAGMA application_id") == [(APPLICATION_ID,)]
    assert rows(target, "PRAGMA user_version") == [(FORMAT_VERSION,)]
    assert rows(target, "PRAGMA integrity_check") == [("ok",)]


def test_what_the_graph_is_stands_in_it(target: Path) -> None:
    about = dict(rows(target, "SELECT key, value FROM about"))
    loaded_at, version = about.pop("loaded_at"), about.pop("version")
    assert loaded_at.endswith("+00:00")
    assert len(version) == 12
    assert json.loads(about.pop("filters")) == ["2 of 9", "films"]
    commonest = {row[0]: row[1:] for row in json.loads(about.pop("commonest"))}
    assert commonest["film.film.directed_by"] == [1, "m.film", "m.director", "entity", "entity", ""]
    assert commonest["film.film.initial_release_date"] == [1, "m.film", None, "entity", "date", ""]
    schema = json.loads(about.pop("schema"))
    assert ["film.film", 1, ["m.film"]] in schema["kinds"]
    assert ["film.film.starring", 1, "film.film", "film.performance", "mediator"] in schema["relations"]
    assert (schema["kinds_total"], schema["relations_total"], schema["kinds_unknown"]) == (5, 6, 0)
    assert about == {
        "name": "g", "title": "The graph", "source": "a file",
        "entities": "4", "named": "2", "predicates": "6", "triples": "11",
    }  # fmt: skip


def test_terms_are_numbered_from_one_entities_first(target: Path) -> None:
    terms = rows(target, "SELECT id, text, name, types, is_mediator, popularity FROM terms ORDER BY id")
    assert terms == [
        (1, "m.film", "A Film", "film.film\ncommon.topic", 0, 5),
        (2, "m.director", "Ann", "film.director", 0, 2),
        (3, "m.cvt", None, "film.performance", 1, 2),
        (4, "m.actor", None, "film.actor", 0, 1),
        (5, '"1999"^^xsd:gYear', None, "", 0, 0),
        (6, '"Once"@en', None, "", 0, 0),
    ]
    relations = rows(target, "SELECT relations FROM terms ORDER BY id")
    assert [len(unpack(packed)) for (packed,) in relations] == [5, 2, 2, 1, 0, 0]


def test_predicates_are_numbered_from_nought_in_the_order_of_their_names(target: Path) -> None:
    assert rows(target, "SELECT * FROM predicates ORDER BY id") == [
        (0, "film.director.film", 1, 1, "entity", "entity", 1, ""),
        (1, "film.film.directed_by", 1, 0, "entity", "entity", 1, ""),
        (2, "film.film.initial_release_date", 1, None, "entity", "date", 1, ""),
        (3, "film.film.starring", 1, None, "entity", "mediator", 1, ""),
        (4, "film.film.tagline", 1, None, "entity", "text", 1, ""),
        (5, "film.performance.actor", 1, None, "mediator", "entity", 1, ""),
    ]
    assert sorted(rows(target, "SELECT * FROM edges")) == [
        (1, 1, 2), (1, 2, 5), (1, 3, 3), (1, 4, 6), (2, 0, 1), (3, 5, 4),
    ]  # fmt: skip
    assert rows(target, "SELECT * FROM sources") == [(0, 2), (1, 1), (2, 1), (3, 1), (4, 1), (5, 3)]


def test_names_are_numbered_in_the_order_of_entities_and_found_by_their_words(target: Path) -> None:
    assert rows(target, "SELECT * FROM names ORDER BY id") == [
        (1, 1, "A Film", "a film"),
        (2, 1, "The Film", "the film"),
        (3, 2, "Ann", "ann"),
    ]
    assert rows(target, "SELECT rowid FROM words WHERE words MATCH 'fil*' ORDER BY rowid") == [(1,), (2,)]


def test_rows_are_counted_while_they_are_written(target: Path, heard: list[LoadProgress]) -> None:
    terms, edges = 6, 6
    assert heard[-3:] == [
        LoadProgress("writing", terms, terms + edges),
        LoadProgress("writing", terms + edges, terms + edges),
        LoadProgress("indexing", 0, None),
    ]
    assert target.exists()


def test_more_rows_than_are_written_at_once_are_all_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loader, "_BATCH_ROWS", 3)
    triples = [(f"s{n}", "r.s.t", f"o{n}") for n in range(7)]
    shown: list[LoadProgress] = []
    load_graph(
        triples, tmp_path / "g.sqlite", name="g", title="G", source="s", names=[("s1", "One")], progress=shown.append
    )
    assert rows(tmp_path / "g.sqlite", "SELECT count(*) FROM edges") == [(7,)]
    assert rows(tmp_path / "g.sqlite", "SELECT count(*), max(id) FROM terms") == [(14, 14)]
    assert rows(tmp_path / "g.sqlite", "SELECT text FROM names") == [("One",)]
    assert [each.done for each in shown if each.stage == "writing"] == [3, 6, 9, 12, 14, 17, 20, 21]


def test_a_report_says_how_long_it_took(tmp_path: Path) -> None:
    report = load_file(GraphToLoad(TRIPLES, "g", "G", "s"), tmp_path / "g.sqlite")
    assert 0 < report.seconds < 60
    assert (report.name, report.triples_read, report.edges) == ("g", 11, 6)


def test_only_one_process_loads_a_file_and_says_so(tmp_path: Path) -> None:
    target = tmp_path / "new" / "g.sqlite"
    said = f"^{re.escape(str(target))} is being loaded by another process; wait until it ends\\.$"
    with claimed(target), pytest.raises(GraphIsLoadingError, match=said), claimed(target):
        pass
    with claimed(target), (target.parent / ".g.sqlite.lock").open() as lock, pytest.raises(BlockingIOError):
        fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    with claimed(target), claimed(target.with_name("other.sqlite")):
        pass


def test_where_nothing_can_be_written_the_reason_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    target = tmp_path / "file" / "g.sqlite"
    with pytest.raises(GraphLoadError, match=f"^{re.escape(str(target))} cannot be written: File exists\\.$"):
        load_file(GraphToLoad(TRIPLES, "g", "G", "s"), target)
    folder = tmp_path / "g.sqlite"
    (folder / "not empty").mkdir(parents=True)
    with pytest.raises(GraphLoadError, match=f"^{re.escape(str(folder))} cannot be written: Is a directory\\.$"):
        load_file(GraphToLoad(TRIPLES, "g", "G", "s"), folder)
    assert sorted(path.name for path in tmp_path.iterdir()) == [".g.sqlite.lock", "file", "g.sqlite"]


def test_a_graph_may_be_loaded_without_hearing_how_far_it_is(tmp_path: Path) -> None:
    load_graph(TRIPLES, tmp_path / "g.sqlite", name="g", title="G", source="s")
    assert json.loads(rows(tmp_path / "g.sqlite", "SELECT value FROM about WHERE key = 'filters'")[0][0]) == []
