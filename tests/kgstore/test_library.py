from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kgstore.library import UnknownGraphError, UnreadableGraph
from kgstore.loading.errors import GraphIsLoadingError
from kgstore.loading.reading import GraphToLoad
from kgstore.sqlite.library import SqliteLibrary
from kgstore.sqlite.loader import load_graph
from kgstore.store import GraphInfo
from kgstore.store_parts.errors import GraphDamagedError
from kgstore.terms import Entity

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from kgstore.loading.reading import LoadProgress


@pytest.fixture
def library(tmp_path: Path) -> SqliteLibrary:
    return SqliteLibrary(tmp_path / "graphs")


def load(library: SqliteLibrary, name: str, *objects: str) -> str:
    triples = [("a", "r.s.t", obj) for obj in objects]
    return load_graph(triples, library.path(name), name=name, title=name.title(), source="test").version


def test_an_empty_library(library: SqliteLibrary) -> None:
    assert library.names() == []
    assert library.infos() == []
    with pytest.raises(UnknownGraphError, match="Loaded: none yet"):
        library.open("sample")


def test_graphs_are_listed_by_name(library: SqliteLibrary) -> None:
    load(library, "zoo", "b")
    load(library, "films", "b", "c")
    (library.folder / "Notes.sqlite").touch()
    assert library.names() == ["films", "zoo"]
    assert [(info.name, info.title, info.triples) for info in library.infos()] == [
        ("films", "Films", 2),
        ("zoo", "Zoo", 1),
    ]
    with pytest.raises(UnknownGraphError, match=r"'fims'.*films, zoo"):
        library.open("fims")


def test_a_graph_that_cannot_be_read_is_listed_with_the_reason(library: SqliteLibrary) -> None:
    load(library, "films", "b")
    load(library, "maps", "b")
    library.path("films").write_bytes(b"no database" * 900)
    films, maps = library.infos()
    assert isinstance(films, UnreadableGraph)
    assert films.name == "films"
    assert isinstance(films.error, GraphDamagedError)
    assert isinstance(maps, GraphInfo)
    assert maps.name == "maps"


def test_a_graph_is_opened_once_until_it_is_replaced(library: SqliteLibrary) -> None:
    load(library, "films", "b")
    first = library.open("films")
    assert library.open("films") is first
    load(library, "films", "b", "c")
    second = library.open("films")
    assert second is not first
    assert [first.relations([Entity("a")])[0].triples, second.relations([Entity("a")])[0].triples] == [1, 2]


def test_the_version_tells_contents_apart(library: SqliteLibrary) -> None:
    one = load(library, "one", "b", "c")
    assert load(library, "two", "b", "c", "c") == one
    assert load(library, "three", "b", "d") != one
    assert library.open("one").info().version == one


@pytest.mark.parametrize("name", ["", "My Graph", "../up", "a/b", "-a", "a--b", "Ä", "a.b"])
def test_a_name_that_would_not_do_in_an_address(library: SqliteLibrary, name: str) -> None:
    with pytest.raises(ValueError, match="my-graph"):
        library.path(name)
    with pytest.raises(UnknownGraphError):
        library.open(name)


def test_a_file_that_is_no_graph(library: SqliteLibrary) -> None:
    library.folder.mkdir()
    library.path("broken").write_bytes(b"this is not a database at all, only some text of some length" * 50)
    with pytest.raises(GraphDamagedError):
        library.open("broken")
    library.path("empty").touch()
    with pytest.raises(GraphDamagedError):
        library.open("empty")


def test_a_graph_that_is_cut_short_says_so(library: SqliteLibrary) -> None:
    load(library, "films", *(f"o{i}" for i in range(5000)))
    whole = library.path("films").read_bytes()
    library.path("films").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(GraphDamagedError):
        library.open("films").cards([Entity(f"o{i}") for i in range(5000)])


def test_who_comes_second_reads_nothing_in_vain_and_a_graph_that_is_loaded_is_not_removed(
    library: SqliteLibrary,
) -> None:
    load(library, "films", "b")
    read: list[str] = []

    def triples() -> Iterator[tuple[str, str, str]]:
        read.append("begun")
        yield "a", "r.s.t", "z"

    def meanwhile(heard: LoadProgress) -> None:
        if heard.stage == "reading":
            with pytest.raises(GraphIsLoadingError, match="being loaded by another process"):
                library.load(GraphToLoad(triples(), "films", "Films", "test"))
            with pytest.raises(GraphIsLoadingError, match="being loaded by another process"):
                library.remove("films")

    library.load(GraphToLoad([("a", "r.s.t", "c")], "films", "Films", "test"), meanwhile)
    assert read == []
    assert library.open("films").info().triples == 1
