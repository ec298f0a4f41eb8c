from __future__ import annotations

import fcntl
import gzip
import signal
import sqlite3
import subprocess
import sys
import threading
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from kgstore.loading.errors import GraphLoadError
from kgstore.loading.formats.lines import MalformedLine
from kgstore.loading.formats.registry import FORMATS
from kgstore.loading.formats.tsv import NameReader, TripleReader, normal_predicate
from kgstore.loading.reading import GraphToLoad
from kgstore.sqlite.library import SqliteLibrary
from kgstore.sqlite.loader import load_graph
from kgstore.sqlite.store import SqliteStore
from kgstore.terms import Direction, Entity, Relation

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from kgstore.loading.formats.lines import TripleText
    from kgstore.loading.reading import LoadProgress, LoadReport


def write(path: Path, text: str | bytes) -> Path:
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def load(triples: Iterable[TripleText], target: Path, names: Iterable[tuple[str, str]] = ()) -> LoadReport:
    return load_graph(triples, target, name="test", title="Test", source="test", names=names)


# Reading


def test_lines_become_triples(tmp_path: Path) -> None:
    path = write(
        tmp_path / "t.tsv",
        "# a heading\n"
        "\n"
        "m.1\tfilm.film.genre\tm.2\n"
        "/m/1\t/film/film/genre\t/m/3\r\n"
        'm.1\tfilm.film.year\t"1999"^^xsd:gYear\n'
        'm.1\tfilm.film.runtime\t"90.0"^^xsd:float\n'
        'm.1\tfilm.film.tagline\t"A \\"good\\"\\tone"@en\n'
        "m.1\tfilm.film.starring|film.performance.actor\tm.4\n"
        "m.1\t/film/film/starring./film/performance/actor\tm.5",
    )
    assert list(TripleReader(path, strict=True)) == [
        ("m.1", "film.film.genre", "m.2"),
        ("m.1", "film.film.genre", "m.3"),
        ("m.1", "film.film.year", '"1999"^^xsd:gYear'),
        ("m.1", "film.film.runtime", '"90"^^xsd:integer'),
        ("m.1", "film.film.tagline", '"A \\"good\\"\\tone"@en'),
        ("m.1", "film.film.starring|film.performance.actor", "m.4"),
        ("m.1", "film.film.starring|film.performance.actor", "m.5"),
    ]


def test_plain_and_gzipped_text_read_alike(tmp_path: Path) -> None:
    text = "".join(f"m.{i}\tr.s.t\tm.{i + 1}\n" for i in range(50_000)).encode()
    plain = TripleReader(write(tmp_path / "t.tsv", text))
    gzipped = TripleReader(write(tmp_path / "t.tsv.gz", gzip.compress(text)))
    assert gzipped.lines.fraction == 0
    assert list(plain) == list(gzipped)
    assert plain.lines.fraction == gzipped.lines.fraction == 1


def test_malformed_lines_are_counted_and_shown(tmp_path: Path) -> None:
    path = write(
        tmp_path / "t.tsv",
        b"\xef\xbb\xbfm.1\tr.s.t\tm.2\n"
        b"m.1\tr.s.t\n"
        b"m.1\tr.s.t\tm.2\tm.3\n"
        b'"x"\tr.s.t\tm.2\n'
        b'm.1\tr.s.t\t"open\n'
        b"m.1\t\tm.2\n"
        b"m.1\tr.s.t\t\n"
        b"m.1\tr.s.t\tm.\xff\n"
        b"m.3\tr.s.t\tm.4\n",
    )
    reader = TripleReader(path)
    assert list(reader) == [("m.1", "r.s.t", "m.2"), ("m.3", "r.s.t", "m.4")]
    assert reader.lines.malformed == 7
    assert [line.number for line in reader.lines.examples] == [2, 3, 4, 5, 6, 7, 8]
    assert MalformedLine(2, "m.1\tr.s.t", "2 columns instead of 3") in reader.lines.examples
    assert list(reader)
    assert reader.lines.malformed == 7


def test_only_the_first_malformed_lines_are_shown(tmp_path: Path) -> None:
    reader = TripleReader(write(tmp_path / "t.tsv", "bad\n" * 100 + "a\tr.s.t\tb\n"))
    assert len(list(reader)) == 1
    assert (reader.lines.malformed, len(reader.lines.examples)) == (100, 10)


def test_strict_reading_stops_at_the_first_malformed_line(tmp_path: Path) -> None:
    reader = TripleReader(write(tmp_path / "t.tsv", "a\tr.s.t\tb\nbad\n"), strict=True)
    with pytest.raises(GraphLoadError, match="line 2: 1 columns instead of 3"):
        list(reader)


def test_names_are_read(tmp_path: Path) -> None:
    reader = NameReader(write(tmp_path / "n.tsv", "m.1\tOne\n/m/2\tTwo \n\nm.3\nm.4\t\n"))
    assert list(reader) == [("m.1", "One"), ("m.2", "Two")]
    assert reader.lines.malformed == 2


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("location.country.capital", "location.country.capital"),
        ("/location/country/capital", "location.country.capital"),
        ("a.b.c|d.e.f", "a.b.c|d.e.f"),
        ("/a/b/c./d/e/f", "a.b.c|d.e.f"),
        ("/a/b/c/./d/e/f", "a.b.c|d.e.f"),
        ("directed_by", "directed_by"),
        ("km/h", "km/h"),
    ],
)
def test_predicates_have_one_spelling(text: str, normal: str) -> None:
    assert normal_predicate(text) == normal


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(GraphLoadError, match=r"missing\.tsv cannot be read: No such file"):
        TripleReader(tmp_path / "missing.tsv")
    with pytest.raises(GraphLoadError, match="cannot be read: Is a directory"):
        TripleReader(tmp_path)
    with pytest.raises(GraphLoadError, match="is not packed so"):
        TripleReader(write(tmp_path / "plain.tsv.gz", "a\tr.s.t\tb\n"))
    with pytest.raises(GraphLoadError, match="is empty"):
        list(TripleReader(write(tmp_path / "empty.tsv", "")))
    cut = gzip.compress(b"a\tr.s.t\tb\n" * 1000)[:-20]
    with pytest.raises(GraphLoadError, match="is damaged after line"):
        list(TripleReader(write(tmp_path / "cut.tsv.gz", cut)))


# Loading


def test_the_report_counts_what_was_loaded(tmp_path: Path) -> None:
    triples = [
        ("m.1", "type.object.name", '"One"@en'),
        ("m.1", "type.object.name", '"Eins"@de'),
        ("m.1", "type.object.type", "film.film"),
        ("m.1", "film.film.starring", "m.2"),
        ("m.1", "film.film.starring", "m.2"),
        ("m.2", "film.performance.actor", "m.3"),
        ("m.3", "people.person.age", '"42"^^xsd:integer'),
    ]
    report = load(triples, tmp_path / "g.sqlite", [("m.3", "Three"), ("m.9", "Nobody"), ("m.1", "Uno")])
    assert (report.triples_read, report.triples, report.edges) == (7, 6, 3)
    assert (report.entities, report.literals, report.predicates) == (3, 1, 3)
    assert (report.named, report.mediators) == (2, 1)
    assert (report.names_unused, report.names_foreign) == (1, 1)
    assert report.name == "test"
    assert report.seconds > 0
    card = SqliteStore(tmp_path / "g.sqlite").cards([Entity("m.1")])[Entity("m.1")]
    assert (card.name, card.aliases) == ("Uno", ("One",))


HELD: list[TripleText] = [
    ("m.1", "type.object.name", '"One"@en'),
    ("m.1", "common.topic.alias", '"Uno"@en'),
    ("m.1", "type.object.type", "award.award"),
    ("m.1", "film.film.starring", "m.2"),
    ("m.2", "film.performance.actor", "m.3"),
    ("m.3", "people.person.age", '"42"^^xsd:integer'),
    ("m.3", "people.person.quotation", '"Hm"@en'),
]


def test_what_a_graph_holds_has_one_version(tmp_path: Path) -> None:
    """Everything that was found out about a graph is told apart by its version, also after a release.

    Where this fails and equal triples are to make another graph than before, `_FINGERPRINT_VERSION` must change.
    """
    versions = {load(HELD, tmp_path / "g.sqlite").version, load([*HELD, HELD[3]], tmp_path / "g.sqlite").version}
    assert versions == {"2658856ece84"}
    for place, (subject, predicate, obj) in enumerate(HELD):
        rest = [triple for triple in HELD if triple is not HELD[place]]
        others = [("m.9", predicate, obj), (subject, f"{predicate}s", obj), (subject, predicate, obj.replace("m", "n"))]
        for changed in (rest, *([*rest, other] for other in others if other != HELD[place])):
            version = load(changed, tmp_path / "g.sqlite").version
            assert version not in versions, changed


def test_a_graph_says_what_it_is_and_what_was_taken_of_its_source(tmp_path: Path) -> None:
    target = tmp_path / "g.sqlite"
    taken = ["2 of 9 rows", "films"]
    began = datetime.now(UTC).replace(microsecond=0)
    report = load_graph(
        [("a", "r.s.t", "b")], target, name="g", title="A graph", source="a file", filters=lambda: taken
    )
    info = SqliteStore(target).info()
    assert (info.name, info.title, info.source, info.filters) == ("g", "A graph", "a file", ("2 of 9 rows", "films"))
    assert (info.entities, info.triples, info.predicates, info.version) == (2, 1, 1, report.version)
    assert began <= datetime.fromisoformat(info.loaded_at) <= datetime.now(UTC)
    # The first graphs did not say what was taken.
    with sqlite3.connect(target) as connection:
        connection.execute("DELETE FROM about WHERE key = 'filters'")
    connection.close()
    assert SqliteStore(target).info().filters == ()


def test_names_may_be_bare_text_or_in_another_language(tmp_path: Path) -> None:
    load(
        [
            ("m.1", "rdf-schema#label", "Bare name"),
            ("m.2", "type.object.name", '"Köln"@de'),
            ("m.3", "common.topic.alias", '"Only an alias"@en'),
            ("m.4", "type.object.name", '"1984"^^xsd:integer'),
            ("m.1", "r.s.t", "m.2"),
        ],
        tmp_path / "g.sqlite",
    )
    cards = SqliteStore(tmp_path / "g.sqlite").cards([Entity(f"m.{i}") for i in range(1, 5)])
    assert [card.name for _, card in sorted(cards.items())] == ["Bare name", "Köln", "Only an alias", "1984"]


@pytest.mark.parametrize(
    ("triples", "mediators"),
    [
        pytest.param([("a", "r.s.t", "m"), ("m", "r.s.u", "b")], {"m"}, id="links"),
        pytest.param([("a", "r.s.t", "m")], set(), id="a leaf"),
        pytest.param([("m", "r.s.t", "a")], set(), id="nothing leads to it"),
        pytest.param([("m", "people.marriage.spouse", "a")], {"m"}, id="by the relation's type"),
        pytest.param([("m", "type.object.type", "people.marriage"), ("m", "r.s.t", "a")], {"m"}, id="by its type"),
        pytest.param(
            [("a", "r.s.t", "m"), ("m", "r.s.u", "b"), ("m", "type.object.name", '"Named"')], set(), id="named"
        ),
        pytest.param([("m", "people.marriage.spouse", "a"), ("m", "common.topic.alias", '"N"')], set(), id="an alias"),
    ],
)
def test_mediators_are_reported_by_type_or_by_linking_without_a_name(
    tmp_path: Path, triples: list[TripleText], mediators: set[str]
) -> None:
    named = [(name, "type.object.name", f'"{name}"') for name in "ab"]
    load([*triples, *named], tmp_path / "g.sqlite")
    cards = SqliteStore(tmp_path / "g.sqlite").cards([Entity(name) for name in "abm"])
    assert {entity.mid for entity, card in cards.items() if card.is_mediator} == mediators


def test_without_any_names_nothing_is_a_mediator(tmp_path: Path) -> None:
    assert load([("a", "r.s.t", "b"), ("b", "r.s.t", "c")], tmp_path / "g.sqlite").mediators == 0


def test_the_order_of_triples_does_not_matter_to_what_is_read(tmp_path: Path) -> None:
    triples = [(f"m.{i % 13}", f"r.s.t{i % 5}", f"m.{i % 7}") for i in range(100)]
    load(triples, tmp_path / "one.sqlite")
    load(reversed(triples), tmp_path / "two.sqlite")
    one, two = SqliteStore(tmp_path / "one.sqlite"), SqliteStore(tmp_path / "two.sqlite")
    entities = [Entity(f"m.{i}") for i in range(13)]
    assert one.relations(entities) == two.relations(entities)
    assert set(one.expand(entities, Relation("r.s.t1"), 99).triples) == set(
        two.expand(entities, Relation("r.s.t1"), 99).triples
    )


@pytest.mark.slow
def test_progress_goes_through_all_stages(tmp_path: Path) -> None:
    heard: list[LoadProgress] = []
    load_graph(
        [(f"m.{i}", "r.s.t", "hub") for i in range(120_000)],
        tmp_path / "g.sqlite",
        name="test",
        title="Test",
        source="test",
        progress=heard.append,
    )
    assert list(dict.fromkeys(progress.stage for progress in heard)) == ["reading", "arranging", "writing", "indexing"]
    assert [p.done for p in heard if p.stage == "reading"] == [0, 50_000, 100_000, 120_000]
    assert [(p.done, p.total) for p in heard if p.stage == "arranging"] == [(0, 120_000)]
    written = [p for p in heard if p.stage == "writing"]
    assert written[-1].done == written[-1].total == 240_001


# All or nothing


def failing(error: BaseException) -> Iterator[TripleText]:
    yield "a", "r.s.t", "b"
    raise error


@pytest.mark.parametrize("error", [KeyboardInterrupt(), GraphLoadError("bad"), RuntimeError("bug")])
def test_a_load_that_fails_leaves_the_old_graph(tmp_path: Path, error: BaseException) -> None:
    target = tmp_path / "g.sqlite"
    version = load([("a", "r.s.t", "b")], target).version
    with pytest.raises(type(error)):
        load(failing(error), target)
    assert SqliteStore(target).info().version == version


@pytest.mark.parametrize("stage", ["writing", "indexing"])
def test_a_load_that_is_stopped_while_writing_leaves_nothing(tmp_path: Path, stage: str) -> None:
    def stop(progress: LoadProgress) -> None:
        if progress.stage == stage:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        load_graph(
            [("a", "r.s.t", "b")], tmp_path / "g.sqlite", name="test", title="Test", source="test", progress=stop
        )
    assert not [path for path in tmp_path.iterdir() if path.suffix != ".lock"]


KILLED_AT = """
import os, signal, sys
from pathlib import Path
from kgstore.sqlite.loader import load_graph

def kill(progress):
    if progress.stage == sys.argv[2]:
        os.kill(os.getpid(), signal.SIGKILL)

triples = [("a", "r.s.t", f"b{n}") for n in range(1000)]
load_graph(triples, Path(sys.argv[1]), name="test", title="Test", source="test", progress=kill)
"""


@pytest.mark.slow
@pytest.mark.parametrize("stage", ["reading", "arranging", "writing", "indexing"])
def test_a_load_that_is_killed_at_any_stage_leaves_the_old_graph_and_the_next_one_is_whole(
    tmp_path: Path, stage: str
) -> None:
    target = tmp_path / "g.sqlite"
    version = load([("a", "r.s.t", "b")], target).version
    killed = subprocess.run([sys.executable, "-c", KILLED_AT, str(target), stage], check=False)
    assert killed.returncode == -signal.SIGKILL
    assert SqliteStore(target).info().version == version
    load([("a", "r.s.t", "c"), ("a", "r.s.t", "d")], target)
    assert SqliteStore(target).info().triples == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == [".g.sqlite.lock", "g.sqlite"]


def test_what_a_killed_load_left_is_cleared_away(tmp_path: Path) -> None:
    left = write(tmp_path / ".g.sqlite.loading", "half a graph")
    load([("a", "r.s.t", "b")], tmp_path / "g.sqlite")
    assert not left.exists()
    assert SqliteStore(tmp_path / "g.sqlite").info().triples == 1


# Graphs that were loaded before


def test_a_graph_of_an_earlier_version_works_and_says_so() -> None:
    store = SqliteStore(Path(__file__).with_name("loaded_before.sqlite"))
    hub, back = Entity("hub"), Relation("r.s.t", Direction.REVERSE)
    everything = store.expand([hub], back, 9).triples
    assert {triple.subject.mid for triple in everything} == {"leaf1", "leaf2", "leaf3"}
    first = store.page(hub, back, 2)
    assert (len(first.triples), first.total) == (2, 3)
    assert [*first.triples, *store.page(hub, back, 2, first.next).triples] == list(everything)
    assert [match.matched for match in store.search("sec", 5)] == ["Second"]
    info = store.info()
    assert (info.named, info.is_outdated) == (None, True)
    assert "Load it again" in " ".join(info.advice)
    store.close()


def test_two_loads_of_one_graph_do_not_mix(tmp_path: Path) -> None:
    with (tmp_path / ".g.sqlite.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(GraphLoadError, match="being loaded by another process"):
            load([("a", "r.s.t", "b")], tmp_path / "g.sqlite")


def test_no_triples_are_no_graph(tmp_path: Path) -> None:
    with pytest.raises(GraphLoadError, match="no triples"):
        load([], tmp_path / "g.sqlite")
    assert not (tmp_path / "g.sqlite").exists()


@pytest.mark.parametrize(
    ("format_name", "text", "said"),
    [
        (
            "tsv",
            "# a note\nAda wrote Charles\n\nCharles wrote Ada\n",
            [
                "There are no triples to load in file, read as tsv: 2 of its 4 lines were passed over.",
                "line 2: 1 columns instead of 3: Ada wrote Charles",
                "line 4: 1 columns instead of 3: Charles wrote Ada",
                "The first lines match no known format. The formats are:\n  tsv: m.03_r3⇥",
            ],
        ),
        (
            "csv",
            "Cheese,Milk,Region,Texture\nFeta,Sheep,,soft\nComté,Cow,Jura,hard\n",
            [
                "There are no triples to load in file, read as csv: 3 of its 3 lines were passed over.",
                "line 1: 4 columns instead of 3: Cheese,Milk,Region,Texture",
                "Load the file with --format table (Tables with one row per thing (CSV, Excel, JSON)).",
            ],
        ),
        (
            "ntriples",
            "Ada\twrote_to\tCharles\n" * 9,
            [
                "9 of its 9 lines were passed over.",
                "line 1: not a subject, a predicate, an object and a full stop: Ada\twrote_to\tCharles",
                "line 5: not",
                "… and 4 more",
                "The first lines look like another format. Load the file with --format tsv (Triples as TSV).",
            ],
        ),
        ("tsv", "@prefix ex: <http://e.org/> .\nex:a ex:b ex:c .\n", ["Load the file with --format turtle (Turtle)."]),
        ("turtle", "# only a note\n", ["read as turtle: 0 of its 1 lines were passed over."]),
    ],
)
def test_of_no_triples_the_lines_passed_over_are_shown(
    tmp_path: Path, format_name: str, text: str, said: list[str]
) -> None:
    source = FORMATS[format_name].read(write(tmp_path / "file", text))
    with pytest.raises(GraphLoadError) as raised:
        SqliteLibrary(tmp_path / "graphs").load(GraphToLoad(source, "g", "G", "file", format=format_name))
    message = str(raised.value)
    places = [message.find(part) for part in said]
    assert places == sorted(places)
    assert -1 not in places
    assert "line 6" not in message


def test_a_file_without_line_breaks_is_not_read_into_memory(tmp_path: Path) -> None:
    path = tmp_path / "zeros.gz"
    with gzip.open(path, "wb", compresslevel=1) as file:
        file.write(b"a\tr.s.t\tb\n")
        for _ in range(66):
            file.write(bytes(1 << 20))
    with pytest.raises(GraphLoadError, match="a line of more than 64 MiB"):
        list(TripleReader(path))


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    write(tmp_path / "file", "")
    with pytest.raises(GraphLoadError, match="cannot be written"):
        load([("a", "r.s.t", "b")], tmp_path / "file" / "g.sqlite")


def test_an_open_store_keeps_its_graph_in_every_thread(tmp_path: Path) -> None:
    target = tmp_path / "g.sqlite"
    load([("a", "r.s.t", "b")], target)
    store = SqliteStore(target)
    load([("a", "r.s.t", "b"), ("a", "r.s.t", "c")], target)
    seen: list[int] = []
    start = threading.Barrier(4)

    def read() -> None:
        start.wait()
        seen.extend(store.expand([Entity("a")], Relation("r.s.t"), 9).total for _ in range(50))

    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(seen) == {1}
    assert len(seen) == 200
    assert SqliteStore(target).expand([Entity("a")], Relation("r.s.t"), 9).total == 2


def test_a_graph_is_read_only(tmp_path: Path) -> None:
    load([("a", "r.s.t", "b")], tmp_path / "g.sqlite")
    before = (tmp_path / "g.sqlite").stat().st_mtime_ns
    store = SqliteStore(tmp_path / "g.sqlite")
    store.search("a", 5)
    with store._connections.lend() as connection, pytest.raises(sqlite3.OperationalError, match="readonly"):
        connection.execute("DELETE FROM edges")
    assert (tmp_path / "g.sqlite").stat().st_mtime_ns == before
