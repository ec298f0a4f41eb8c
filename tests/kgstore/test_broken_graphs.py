"""Each way in which a graph file can be broken, for real: the cause is told, and where the file lies is not."""

from __future__ import annotations

import os
import random
import sqlite3
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

import pytest

from kgstore.sqlite.causes import SqliteCause, sqlite_cause
from kgstore.sqlite.library import SqliteLibrary
from kgstore.sqlite.loader import load_graph
from kgstore.sqlite.store import SqliteStore
from kgstore.store import GraphStoreError
from kgstore.store_parts.errors import (
    GraphClosedError,
    GraphDamagedError,
    GraphForbiddenError,
    GraphMissingError,
    GraphVersionError,
    StoreFaultError,
)
from kgstore.terms import Direction, Entity, Relation

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from kgstore.store import GraphStore

FILMS = 600


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A graph file of some hundred pages."""
    folder = tmp_path / "some folder"
    folder.mkdir()
    triples = [(f"en.film_{n % 100}", f"film.film.part_{n % 30}", f"en.part_{n}") for n in range(FILMS)]
    names = [(f"en.part_{n}", f"Part the {n}th of the {n % 9}th film") for n in range(FILMS)]
    load_graph(triples, folder / "films.sqlite", name="films", title="Films", source="made up", names=names)
    return folder / "films.sqlite"


def ask_everything(store: GraphStore) -> None:
    films = [Entity(f"en.film_{n}") for n in range(100)]
    store.info()
    for counted in store.relations(films):
        triples = store.expand(films, counted.relation, 5_000).triples
        store.labels([triple.object for triple in triples])
    store.expand(films, Relation("film.film.part_1", Direction.FORWARD), 20)
    store.links(films[:50], [Entity(f"en.part_{n}") for n in range(50)])
    store.cards([Entity(f"en.part_{n}") for n in range(FILMS)])
    store.search("part the 1", 50)
    store.named(["Part the 1th of the 1th film"])
    store.containing(["part film"], 20)
    store.similar(["Prat the 1th of the 1th film"])


def cut_short(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def no_database(path: Path) -> None:
    path.write_bytes(b"this is no database at all, only some text" * 500)


def emptied(path: Path) -> None:
    path.write_bytes(b"")


def a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def another_database(path: Path) -> None:
    path.unlink()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE about (key TEXT)")


def another_version(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 99")


def removed(path: Path) -> None:
    path.unlink()


def dangling(path: Path) -> None:
    path.unlink()
    path.symlink_to(path.with_name("nowhere"))


def without_its_tables(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript("DROP TABLE edges; DROP TABLE terms;")


def with_other_numbers(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript("UPDATE about SET value = 'many' WHERE key = 'triples'")


def with_relations_that_are_none(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript("UPDATE terms SET relations = x'FFFFFFFFFFFFFFFF'")


def with_relations_cut_short(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript("UPDATE terms SET relations = x'010203'")


@pytest.mark.parametrize(
    ("broken", "kind", "told"),
    [
        (cut_short, GraphDamagedError, "Load the graph again"),
        (no_database, GraphDamagedError, "Load the graph again"),
        (emptied, GraphDamagedError, "Load the graph again"),
        (a_folder, GraphDamagedError, "is not a file"),
        (another_database, GraphDamagedError, "Load the graph again"),
        (another_version, GraphVersionError, "Load the graph again"),
        (removed, GraphMissingError, "There is no graph in"),
        (dangling, GraphMissingError, "There is no graph in"),
        (without_its_tables, GraphDamagedError, "no such table"),
        (with_other_numbers, GraphDamagedError, "many"),
        (with_relations_that_are_none, GraphDamagedError, "code"),
        (with_relations_cut_short, GraphDamagedError, "Load the graph again"),
    ],
)
def test_a_broken_file_is_reported_by_its_cause(
    path: Path, broken: Callable[[Path], None], kind: type[StoreFaultError], told: str
) -> None:
    broken(path)
    with pytest.raises(GraphStoreError) as raised, closing(SqliteStore(path)) as store:
        ask_everything(store)
    check(raised.value, kind, path)
    assert told in raised.value.for_operators


def check(error: GraphStoreError, kind: type[StoreFaultError], path: Path) -> None:
    assert type(error) is kind, error.for_operators
    assert error.retryable is kind.passes
    assert str(path) in error.for_operators
    for part in (*path.parts, "sqlite", "SQLite"):
        assert part not in error.for_people.split()
    assert "/" not in error.for_people


@contextmanager
def nobody() -> Iterator[None]:
    """The rights of a user that owns nothing, where the tests run as one who may do everything."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65_534)
    try:
        yield
    finally:
        os.seteuid(0)


def test_a_file_that_may_not_be_read(path: Path) -> None:
    path.chmod(0)
    with nobody(), pytest.raises(GraphStoreError) as raised:
        SqliteStore(path)
    check(raised.value, GraphForbiddenError, path)


def test_a_folder_that_may_not_be_read(path: Path) -> None:
    path.parent.chmod(0)
    library = SqliteLibrary(path.parent)
    try:
        with nobody(), pytest.raises(GraphForbiddenError) as raised:
            library.names()
    finally:
        path.parent.chmod(0o700)
    assert str(path.parent) in raised.value.for_operators
    assert "/" not in raised.value.for_people


def test_a_library_tells_of_a_file_that_is_no_more_what_it_was(path: Path) -> None:
    library = SqliteLibrary(path.parent)
    assert library.open("films").info().triples == FILMS
    a_folder(path)
    with pytest.raises(GraphDamagedError):
        library.open("films")
    path.rmdir()
    path.symlink_to(path.with_name("nowhere"))
    with pytest.raises(GraphMissingError):
        library.open("films")


@pytest.mark.parametrize("text", ["part " * 3_000, "(" * 20_000, '"' * 20_000, "a* OR b NEAR c", "\x01\ufffe"])
def test_no_text_is_taken_for_a_damaged_graph(path: Path, text: str) -> None:
    with closing(SqliteStore(path)) as store:
        assert len(store.search(text, 10)) <= 10
        assert len(store.containing([text], 10)) <= 1
        assert store.named([text]) == {}


def test_a_closed_graph_is_shown_so(path: Path) -> None:
    store = SqliteStore(path)
    store.close()
    with pytest.raises(GraphClosedError) as raised:
        ask_everything(store)
    check(raised.value, GraphClosedError, path)


def test_garbage_anywhere_ends_in_answers_or_in_a_graph_that_cannot_be_read(path: Path) -> None:
    whole = path.read_bytes()
    faults: list[GraphStoreError] = []
    for seed in range(30):
        drawn = random.Random(seed)
        garbled = bytearray(whole)
        for _ in range(drawn.choice((1, 10, 200))):
            place = drawn.randrange(100, len(garbled))
            length = drawn.choice((1, 8, 64, 4_096))
            garbled[place : place + length] = drawn.randbytes(len(garbled[place : place + length]))
        path.write_bytes(garbled)
        try:
            with closing(SqliteStore(path)) as store:
                ask_everything(store)
        except GraphStoreError as error:
            faults.append(error)
    assert GraphDamagedError in map(type, faults)
    assert not [fault for fault in faults if "/" in fault.for_people]


def test_the_causes_that_a_database_that_is_written_meets(tmp_path: Path) -> None:
    file = tmp_path / "site.sqlite"
    with closing(sqlite3.connect(file, timeout=0, isolation_level=None)) as one:
        one.execute("CREATE TABLE t (x)")
        with closing(sqlite3.connect(file, timeout=0, isolation_level=None)) as other:
            other.execute("BEGIN EXCLUSIVE")
            assert cause_of(one, "INSERT INTO t VALUES (1)") is SqliteCause.BUSY
        one.execute("PRAGMA max_page_count = 2")
        assert cause_of(one, "INSERT INTO t VALUES (randomblob(20000))") is SqliteCause.FULL
        one.execute("PRAGMA query_only = ON")
        assert cause_of(one, "INSERT INTO t VALUES (1)") is SqliteCause.READ_ONLY
        assert cause_of(one, "SELECT zeroblob(2000000000)") is SqliteCause.TOO_LARGE
        assert cause_of(one, f"SELECT {'(' * 5_000}1{')' * 5_000}") is SqliteCause.TOO_LARGE
        assert cause_of(one, "SELECT of nothing") is SqliteCause.REFUSED
    with pytest.raises(sqlite3.Error) as raised:
        one.execute("SELECT 1")
    assert sqlite_cause(raised.value) is SqliteCause.CLOSED
    with pytest.raises(sqlite3.Error) as raised:
        sqlite3.connect(tmp_path / "nowhere" / "site.sqlite3")
    assert sqlite_cause(raised.value) is SqliteCause.NOT_OPENED


def cause_of(connection: sqlite3.Connection, statement: str) -> SqliteCause:
    with pytest.raises(sqlite3.Error) as raised:
        connection.execute(statement)
    return sqlite_cause(raised.value)
