"""What is Neo4j's own: loading in batches, several graphs in a database, what a query costs, and outages."""

from __future__ import annotations

import operator
import socket
import subprocess
import time
from typing import TYPE_CHECKING, Any

import pytest

from kgstore.library import UnknownGraphError
from kgstore.loading.errors import GraphLoadError
from kgstore.loading.reading import GraphToLoad, LoadProgress
from kgstore.loading.sample import sample_graph
from kgstore.neo4j import loader as neo4j_loader
from kgstore.neo4j.bulk_import import import_arguments, write_import_files
from kgstore.neo4j.connection import Neo4jConnection
from kgstore.neo4j.library import Neo4jLibrary
from kgstore.neo4j.store import Neo4jStore
from kgstore.open import open_library
from kgstore.sqlite.library import SqliteLibrary
from kgstore.store import GraphStoreError
from kgstore.terms import Date, Direction, Entity, Number, Relation
from tests.neo4j_server.server import Neo4jServer
from webapp.launch.setup import NO_NEO4J, neo4j_missing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from neo4j import Result

    from kgstore.loading.formats.lines import TripleText
    from kgstore.loading.reading import LoadReport
    from kgstore.store import GraphStore

LITTLE_MEMORY = {"dbms.memory.transaction.total.max": "12m"}
AS_DELIVERED = {"db.tx_log.preallocate": "true", "db.tx_log.rotation.size": "4m"}
"""Neo4j reserves room for its log ahead, so that a full disk leaves no half-written entry there."""
RELATION = Relation("r.s.t")


def star(leaves: int, hub: str = "hub") -> list[TripleText]:
    return [(hub, "r.s.t", f"leaf{i}") for i in range(leaves)]


def load(
    library: Neo4jLibrary,
    triples: Sequence[TripleText],
    name: str = "star",
    title: str = "Star",
    progress: Callable[[LoadProgress], None] = lambda _: None,
) -> LoadReport:
    return library.load(GraphToLoad(triples, name, title, "made up"), progress)


def total(store: GraphStore, hub: str = "hub") -> int:
    return store.expand([Entity(hub)], RELATION, 0).total


def held(library: Neo4jLibrary) -> int:
    """How many terms the database holds, of all graphs and of loads that were stopped."""
    [[terms]] = library.connection.read("MATCH (term:Term) RETURN count(term)", {}, rows_of)
    return int(terms)


def rows_of(result: Result) -> list[list[object]]:
    return [record.values() for record in result]


class StoppedError(Exception):
    pass


def stop_after(rows: int) -> Callable[[LoadProgress], None]:
    def progress(heard: LoadProgress) -> None:
        if heard.stage == "writing" and heard.done >= rows:
            raise StoppedError

    return progress


@pytest.fixture
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(neo4j_loader, "BATCH_ROWS", 7)


# Loading


def test_both_stores_hold_the_same(neo4j_library: Neo4jLibrary, tmp_path: Path) -> None:
    embedded = SqliteLibrary(tmp_path)
    reports = [library.load(sample_graph()) for library in (embedded, neo4j_library)]
    first, second = (store.open("sample") for store in (embedded, neo4j_library))
    assert [(r.version, r.triples, r.entities, r.edges) for r in reports[:1]] == [
        (r.version, r.triples, r.entities, r.edges) for r in reports[1:]
    ]
    ours, theirs = first.info(), second.info()
    assert (ours.version, ours.entities, ours.triples, ours.predicates, ours.source) == (
        theirs.version,
        theirs.entities,
        theirs.triples,
        theirs.predicates,
        theirs.source,
    )
    entities = [match.card.entity for match in first.search("a", 40)]
    assert [match.card for match in second.search("a", 40)] == [match.card for match in first.search("a", 40)]
    relations = first.relations(entities)
    assert second.relations(entities) == relations
    for count in relations[:12]:
        expansions = [store.expand(entities, count.relation, 5_000) for store in (first, second)]
        assert [expansion.total for expansion in expansions] == [count.triples] * 2
        assert expansions[0].triples == expansions[1].triples
    assert second.links(entities[:20], entities[20:]) == first.links(entities[:20], entities[20:])
    embedded.close()


def test_a_load_that_was_stopped_is_not_seen_and_goes_on_where_it_was(
    neo4j_library: Neo4jLibrary, small_batches: None
) -> None:
    load(neo4j_library, star(3))
    with pytest.raises(StoppedError):
        load(neo4j_library, star(40), progress=stop_after(50))
    assert total(neo4j_library.open("star")) == 3

    heard: list[LoadProgress] = []
    load(neo4j_library, star(40), progress=heard.append)
    written = [progress.done for progress in heard if progress.stage == "writing"]
    assert written[0] > 50
    # The graph, its entities, its triples, the subjects of its one relation, and the instances of its one type.
    assert written[-1] == 1 + 41 + 40 + 1 + 1
    store = neo4j_library.open("star")
    assert total(store) == 40
    assert len(store.expand([Entity("hub")], RELATION, 100).triples) == 40


def test_what_a_stopped_load_of_other_triples_left_is_removed(neo4j_library: Neo4jLibrary, small_batches: None) -> None:
    before = held(neo4j_library)
    with pytest.raises(StoppedError):
        load(neo4j_library, star(40), progress=stop_after(30))
    assert neo4j_library.names().count("star") == 0
    load(neo4j_library, star(5))
    assert held(neo4j_library) - before == 6


def test_the_same_graph_again_only_renews_what_is_said_of_it(neo4j_library: Neo4jLibrary) -> None:
    load(neo4j_library, star(5))
    before = held(neo4j_library)
    store = neo4j_library.open("star")
    load(neo4j_library, star(5), title="Another title")
    assert held(neo4j_library) == before
    assert neo4j_library.open("star") is store
    assert [info.title for info in neo4j_library.infos() if info.name == "star"] == ["Another title"]


def test_who_reads_a_graph_that_is_replaced_may_go_on_until_the_next_load(neo4j_library: Neo4jLibrary) -> None:
    load(neo4j_library, star(3))
    first = neo4j_library.open("star")
    load(neo4j_library, star(4))
    second = neo4j_library.open("star")
    assert (total(first), total(second)) == (3, 4)
    load(neo4j_library, star(5))
    assert total(neo4j_library.open("star")) == 5
    with pytest.raises(GraphStoreError, match="replaced") as raised:
        first.relations([Entity("hub")])
    assert raised.value.retryable


def test_two_loads_of_one_name_do_not_mix(neo4j_library: Neo4jLibrary, neo4j_url: str) -> None:
    other = Neo4jLibrary(neo4j_url)
    refused = []

    def meanwhile(heard: LoadProgress) -> None:
        if heard.stage == "writing" and not refused:
            with pytest.raises(GraphLoadError, match="being loaded by another process") as raised:
                load(other, star(9))
            refused.append(raised.value)
            load(other, star(2), name="elsewhere")

    load(neo4j_library, star(6), progress=meanwhile)
    assert refused
    assert total(neo4j_library.open("star")) == 6
    assert total(neo4j_library.open("elsewhere")) == 2
    other.close()


def test_graphs_side_by_side_do_not_mix(neo4j_library: Neo4jLibrary) -> None:
    name = '"Shared name"'
    load(neo4j_library, [("a", "r.s.t", "b"), ("a", "type.object.name", name)], "one", "One")
    load(neo4j_library, [("a", "r.s.t", "c"), ("a", "r.s.t", "d"), ("a", "type.object.name", name)], "two", "Two")
    one, two = neo4j_library.open("one"), neo4j_library.open("two")
    assert [(info.name, info.triples) for info in neo4j_library.infos() if info.name in ("one", "two")] == [
        ("one", 2),
        ("two", 3),
    ]
    for store, count in ((one, 1), (two, 2)):
        assert total(store, "a") == count
        assert [match.card.popularity for match in store.search("shared", 5)] == [count]
        assert [match.card.popularity for match in store.named(["shared name"])["shared name"]] == [count]
    neo4j_library.remove("one")
    with pytest.raises(UnknownGraphError, match="two"):
        neo4j_library.open("one")
    with pytest.raises(GraphStoreError, match="gone"):
        total(one, "a")
    assert total(two, "a") == 2


def test_an_id_that_is_too_long_is_refused_before_anything_is_written(neo4j_library: Neo4jLibrary) -> None:
    before = held(neo4j_library)
    with pytest.raises(GraphLoadError, match="longer than the 4,000 bytes"):
        load(neo4j_library, [("x" * 5_000, "r.s.t", "b")])
    assert held(neo4j_library) == before


def test_a_removal_that_another_process_took_over_ends_there(neo4j_library: Neo4jLibrary, neo4j_url: str) -> None:
    load(neo4j_library, star(5))

    class Overtaken(Neo4jConnection):
        def write(self, query: str, parameters: Mapping[str, Any], take: Callable[[Result], Any]) -> Any:
            if "removing" in query:
                taken_over = "MATCH (lock:GraphLock {name: 'star'}) SET lock.holder = 'another'"
                neo4j_library.connection.write(taken_over, {}, rows_of)
            return super().write(query, parameters, take)

    overtaken = Overtaken(neo4j_url)
    try:
        with pytest.raises(GraphLoadError, match="Another process has taken over"):
            neo4j_loader.remove_graph("star", overtaken)
    finally:
        overtaken.close()
        neo4j_library.connection.write("MATCH (lock:GraphLock {name: 'star'}) DELETE lock", {}, rows_of)
    assert "star" not in neo4j_library.names()
    # Nothing was forgotten: the next load finds what is left, and removes it.
    before = held(neo4j_library)
    load(neo4j_library, star(1))
    assert before - held(neo4j_library) == 6 - 2


# What a query costs


def hits(store: GraphStore, call: Callable[[GraphStore], object]) -> tuple[int, int]:
    """How many queries a call makes, and how often they touch the database."""
    assert isinstance(store, Neo4jStore)
    connection, queries, touched = store._connection, 0, 0

    class Counting:
        def read(self, query: str, parameters: dict[str, object], take: Callable[[object], object]) -> object:
            nonlocal queries, touched
            queries += 1
            touched += connection.read(
                f"PROFILE {query}", parameters, lambda rows: profile_hits(rows.consume().profile)
            )
            return connection.read(query, parameters, take)

    store._connection = Counting()  # type: ignore[assignment]
    try:
        call(store)
    finally:
        store._connection = connection
    return queries, touched


def profile_hits(plan: Any) -> int:
    return int(plan["dbHits"]) + sum(profile_hits(child) for child in plan.get("children", ()))


def test_a_hub_costs_what_a_leaf_costs_and_a_step_is_one_query(neo4j_library: Neo4jLibrary) -> None:
    few = [("leaf", "r.s.u", "x"), ("hub", "r.s.u", "x")]
    load(neo4j_library, [*star(3_000), *few])
    store = neo4j_library.open("star")
    hub, leaf = [Entity("hub")], [Entity("leaf")]
    # The types of a graph are read once.
    assert hits(store, lambda store: store.types())[0] == 1
    queries, touched = hits(store, lambda store: store.relations(hub))
    assert queries == 1
    assert touched == hits(store, lambda store: store.relations(leaf))[1] < 20
    other = Relation("r.s.u")
    assert hits(store, lambda store: store.expand(hub, other, 100))[0] == 1
    assert hits(store, lambda store: store.expand(hub, other, 100))[1] < 40
    assert hits(store, lambda store: store.expand(hub, RELATION, 20))[1] < 200
    assert hits(store, lambda store: store.links(hub, [Entity("leaf7")]))[1] < 60
    assert hits(store, lambda store: store.links([Entity("leaf7")], hub))[1] < 60


def test_a_graph_of_an_earlier_version_works_and_says_so(neo4j_library: Neo4jLibrary) -> None:
    triples = star(1_500)
    load(neo4j_library, triples)
    # Three parts of what the hub leads to, one of the subjects of its relation, and one of the instances of its type.
    count_hubs = "MATCH (hub:Hub) RETURN count(hub)"
    assert neo4j_library.connection.read(count_hubs, {}, rows_of) == [[5]]
    neo4j_library.connection.write("MATCH (hub:Hub) DELETE hub", {}, rows_of)
    neo4j_library.connection.write(
        "MATCH (graph:Graph {name: 'star'}) SET graph.format = 1 REMOVE graph.named", {}, rows_of
    )
    old = neo4j_library.connection.read("MATCH (g:Graph {name: 'star'}) RETURN g.graph", {}, rows_of)[0][0]
    store = Neo4jStore(neo4j_library.connection, int(old))  # type: ignore[call-overload]
    info = store.info()
    assert (info.named, info.is_outdated) == (None, True)
    assert "Load it again" in " ".join(info.advice)
    hub, seen, cursor = Entity("hub"), [], None
    while not seen or cursor is not None:
        page = store.page(hub, RELATION, 400, cursor)
        seen += page.triples
        cursor = page.next
    assert len(seen) == len(set(seen)) == 1_500
    assert list(store.expand([hub], RELATION, 20).triples) == seen[:20]

    load(neo4j_library, triples)
    assert not neo4j_library.open("star").info().is_outdated
    assert neo4j_library.connection.read(count_hubs, {}, rows_of) == [[5]]
    neo4j_library.remove("star")
    assert neo4j_library.connection.read(count_hubs, {}, rows_of) == [[0]]


def test_literals_compare_in_cypher_as_in_the_terms(neo4j_library: Neo4jLibrary) -> None:
    numbers = [Number(value) for value in (-3, 0, 1.5, 2, 42, 1e300)]
    dates = [Date(value) for value in ("-0044-03-15", "0800", "1999", "1999-02", "1999-02-28", "1999-12-31", "2000")]
    literals = [*numbers, *dates]
    load(neo4j_library, [("a", "r.s.t", str(literal)) for literal in literals], "literals")
    by_text = {str(literal): literal for literal in literals}
    compared = neo4j_library.connection.read(
        """
        MATCH (:Entity {mid: 'a'})-[:`r.s.t`]->(one:Number)
        MATCH (:Entity {mid: 'a'})-[:`r.s.t`]->(other:Number)
        RETURN one.text, other.text, one.value < other.value, one.value = other.value
        """,
        {},
        rows_of,
    )
    assert len(compared) == len(numbers) ** 2
    for one, other, less, equal in compared:
        assert less == operator.lt(by_text[str(one)], by_text[str(other)])
        assert equal == (by_text[str(one)] == by_text[str(other)])
    intervals = neo4j_library.connection.read(
        """
        MATCH (:Entity {mid: 'a'})-[:`r.s.t`]->(one:Date)
        MATCH (:Entity {mid: 'a'})-[:`r.s.t`]->(other:Date)
        RETURN one.text, other.text, one.last < other.first,
          one.first <= other.first AND other.last <= one.last
        """,
        {},
        rows_of,
    )
    assert len(intervals) == len(dates) ** 2
    for one, other, before, contains in intervals:
        first, second = by_text[str(one)], by_text[str(other)]
        assert isinstance(first, Date)
        assert isinstance(second, Date)
        assert before == (first.interval[1] < second.interval[0])
        assert contains == first.contains(second)


# What goes wrong


@pytest.mark.parametrize(
    "url",
    [
        "neo4j://localhost",
        "neo4j://user@localhost",
        "neo4j://user:secret@localhost:port",
        "neo4j://user:secret@localhost?database=x",
        "postgresql://user:secret@localhost",
    ],
)
def test_a_wrong_address_is_refused_without_telling_the_password(url: str) -> None:
    with pytest.raises(ValueError, match=r"(?i)neo4j") as raised:
        open_library(url)
    assert "secret" not in str(raised.value)


def test_a_wrong_password(neo4j_url: str) -> None:
    scheme, _, rest = neo4j_url.partition("://")
    user, _, where = rest.partition(":")
    library = open_library(f"{scheme}://{user}:not-the-password@{where.partition('@')[2]}")
    with pytest.raises(GraphStoreError, match="Tell the administrator") as raised:
        library.names()
    assert "the password is wrong" in raised.value.detail
    assert "not-the-password" not in raised.value.detail
    assert not raised.value.retryable
    with pytest.raises(GraphLoadError, match=r"the password is wrong.*GRAPH_STORE_URL"):
        library.load(GraphToLoad(star(1), "star", "Star", "made up"))
    library.close()


def test_an_unknown_database(neo4j_url: str) -> None:
    library = open_library(f"{neo4j_url}/elsewhere")
    with pytest.raises(GraphStoreError) as raised:
        library.names()
    assert "has no database “elsewhere”" in raised.value.detail
    library.close()


def test_nobody_at_the_address() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        library = open_library(f"bolt://neo4j:secret@127.0.0.1:{unused.getsockname()[1]}")
        with pytest.raises(GraphStoreError, match="cannot be reached right now") as raised:
            library.names()
    assert raised.value.retryable
    assert "does not answer. Start it" in raised.value.detail
    assert "secret" not in raised.value.detail
    library.close()


def test_a_query_over_its_time_is_stopped(neo4j_url: str) -> None:
    connection = Neo4jConnection(neo4j_url)
    endless = "UNWIND range(1, 1000000) AS i UNWIND range(1, 1000000) AS j RETURN sum(i * j)"
    with pytest.raises(GraphStoreError, match="took too long and was stopped") as raised:
        connection.read(endless, {}, rows_of, seconds=0.3)
    assert raised.value.retryable
    assert "more than 0.3 seconds" in raised.value.detail
    assert connection.read("RETURN 1", {}, rows_of) == [[1]]
    connection.close()


# A server of the test's own


@pytest.fixture(scope="module")
def own_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Neo4jServer]:
    if missing := neo4j_missing(named_server_counts=False):
        pytest.skip(NO_NEO4J.format(missing=missing))
    home = tmp_path_factory.mktemp("neo4j-own") / "home"
    server = Neo4jServer.install(home, heap="512m", page_cache="64m", settings=LITTLE_MEMORY)
    yield server
    server.kill()


def test_files_are_imported_and_an_outage_needs_no_restart(own_server: Neo4jServer, tmp_path: Path) -> None:
    folder = tmp_path / "files with a space"
    odd = 'A "quoted", name;\nwith a break'
    write_import_files(sample_graph(), folder)
    triples = [
        ("a", "r,`s\\t", "b"),
        ("a", "type.object.name", '"' + odd.replace('"', '\\"').replace("\n", "\\n") + '"'),
        ("a", "r.s.t", '"1999-02"^^xsd:gYearMonth'),
        ("a", "r.s.t", '"1.5"^^xsd:decimal'),
        ("a", "r.s.t", '"text"@en'),
        *star(700),
    ]
    write_import_files(GraphToLoad(triples, "odd", "Odd", "made up"), folder)
    write_import_files(GraphToLoad(triples, "odd", "Odd again", "made up"), folder)
    own_server.admin(*import_arguments(folder))
    own_server.start()

    library = Neo4jLibrary(own_server.url)
    library.connection.make_schema()
    assert library.names() == ["odd", "sample"]
    store = library.open("odd")
    assert store.info().title == "Odd again"
    assert store.cards([Entity("a")])[Entity("a")].name == odd
    assert {str(triple.object) for triple in store.expand([Entity("a")], RELATION, 9).triples} == {
        '"1999-02"^^xsd:gYearMonth',
        '"1.5"^^xsd:decimal',
        '"text"@en',
    }
    assert store.expand([Entity("b")], Relation("r,`s\\t", Direction.REVERSE), 9).total == 1
    first_page = store.page(Entity("hub"), RELATION, 600)
    pages = [*first_page.triples, *store.page(Entity("hub"), RELATION, 600, first_page.next).triples]
    assert [triple.object for triple in pages] == sorted(Entity(f"leaf{i}") for i in range(700))
    assert store.expand([Entity("hub")], RELATION, 30).triples == pages[:30]
    embedded = SqliteLibrary(tmp_path / "embedded")
    embedded.load(sample_graph())
    first, second = embedded.open("sample"), library.open("sample")
    entities = [match.card.entity for match in first.search("a", 40)]
    assert second.relations(entities) == first.relations(entities)
    assert second.cards(entities) == first.cards(entities)
    for count in first.relations(entities)[:12]:
        ours = second.expand(entities, count.relation, 5_000)
        assert (ours.triples, ours.total) == (
            first.expand(entities, count.relation, 5_000).triples,
            count.triples,
        )
    # What was imported can be replaced while the server runs.
    library.load(GraphToLoad(star(2), "odd", "Odd", "made up"))
    assert total(library.open("odd")) == 2

    own_server.kill()
    for _ in range(2):
        with pytest.raises(GraphStoreError, match="cannot be reached right now") as raised:
            second.relations(entities)
        assert raised.value.retryable
    own_server.start()
    assert second.relations(entities) == first.relations(entities)
    assert library.names() == ["odd", "sample"]
    library.close()
    embedded.close()


def test_a_small_server_removes_a_graph_of_many_edges(own_server: Neo4jServer) -> None:
    if own_server.child is None:
        own_server.start()
    library = Neo4jLibrary(own_server.url)
    before = held(library)
    people = [f"m.{i}" for i in range(150)]
    dense = [(one, "r.s.t", other) for one in people for other in people]
    load(library, dense, "dense")
    library.remove("dense")
    assert held(library) == before

    with pytest.raises(StoppedError):
        load(library, dense, "dense", progress=stop_after(len(dense) - 1))
    load(library, star(1), "dense")
    assert total(library.open("dense")) == 1
    library.remove("dense")
    assert held(library) == before
    library.close()


# A full disk


class SmallDisk:
    """A file system of some megabytes."""

    def __init__(self, folder: Path, size: str) -> None:
        folder.mkdir(parents=True)
        self.folder = folder
        command = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)]
        try:
            done = subprocess.run(command, capture_output=True, check=False).returncode
        except FileNotFoundError:
            done = -1
        if done != 0:
            pytest.skip("a small file system cannot be mounted here; root may")

    def grow(self, size: str) -> None:
        subprocess.run(["mount", "-o", f"remount,size={size}", str(self.folder)], check=True)

    def __enter__(self) -> SmallDisk:
        return self

    def __exit__(self, *_: object) -> None:
        subprocess.run(["umount", "--lazy", str(self.folder)], check=True)


def test_files_that_find_no_room_are_not_there_and_find_it_later(tmp_path: Path) -> None:
    with SmallDisk(tmp_path / "disk", "256k") as disk:
        folder = disk.folder / "files"
        write_import_files(GraphToLoad(star(9), "star", "Star", "made up"), folder)
        with pytest.raises(GraphLoadError, match=r"No space left on device. Make room there, or name another folder"):
            write_import_files(GraphToLoad(star(9_000), "star", "Star", "made up"), folder)
        assert [path.name for path in folder.glob("*/edges.csv")] == ["edges.csv"]
        assert len((folder / "star" / "edges.csv").read_text().splitlines()) == 1 + 9
        disk.grow("4m")
        write_import_files(GraphToLoad(star(9_000), "star", "Star", "made up"), folder)
        assert len((folder / "star" / "edges.csv").read_text().splitlines()) == 1 + 9_000


def test_a_load_that_fills_neo4js_disk_says_so_and_goes_on_once_there_is_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A server that is down takes no claim back, so the next load waits until it counts as dead.
    monkeypatch.setattr(neo4j_loader, "_STALE_SECONDS", 1)
    if missing := neo4j_missing(named_server_counts=False):
        pytest.skip(NO_NEO4J.format(missing=missing))
    with SmallDisk(tmp_path / "home" / "data", "24m") as disk:
        server = Neo4jServer.install(tmp_path / "home", heap="512m", page_cache="32m", settings=AS_DELIVERED)
        texts = [(f"m.{i}", "r.s.t", f'"{i} {"x" * 1_500}"@en') for i in range(9_000)]
        library = Neo4jLibrary(server.url)
        try:
            server.start()
            load(library, star(3))
            with pytest.raises(GraphLoadError, match=r"disk.*Make room, restart Neo4j.*run again") as raised:
                load(library, texts, "texts")
            assert "what was there before is unchanged" in str(raised.value)
            disk.grow("400m")
            server.kill()
            server.start()
            wait_for(library)
            assert library.names() == ["star"]
            load(library, texts, "texts")
            assert library.open("texts").info().triples == len(texts)
            assert total(library.open("star")) == 3
        finally:
            library.close()
            server.kill()


def wait_for(library: Neo4jLibrary) -> None:
    """Wait while Neo4j takes up what its log holds."""
    for _ in range(20):
        try:
            library.names()
        except GraphStoreError:
            time.sleep(1)
        else:
            return
