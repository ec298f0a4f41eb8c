from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import pytest

from kgstore.loading.formats.tsv import TripleReader
from kgstore.loading.reading import GraphToLoad
from kgstore.sqlite.library import SqliteLibrary

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kgstore.library import GraphLibrary
    from kgstore.store import GraphStore

SMALL_GRAPH = Path(__file__).parent / "small.tsv"


class MakeStore(Protocol):
    """Makes a store that holds the triples of a text; every store under test is made through one."""

    def __call__(self, triples: str) -> GraphStore: ...


@pytest.fixture(params=["sqlite", "neo4j"])
def library(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[GraphLibrary]:
    """Every kind of library; whatever it holds is a test's own."""
    if request.param == "neo4j":
        yield request.getfixturevalue("neo4j_library")
        return
    embedded = SqliteLibrary(tmp_path / "graphs")
    yield embedded
    embedded.close()


@pytest.fixture
def make_store(library: GraphLibrary, tmp_path: Path) -> Iterator[MakeStore]:
    opened: list[GraphStore] = []

    def make(triples: str) -> GraphStore:
        source = tmp_path / "triples.tsv"
        source.write_text(triples, encoding="utf-8")
        library.load(GraphToLoad(TripleReader(source, strict=True), "small", "Small", "drawn by hand"))
        opened.append(library.open("small"))
        return opened[-1]

    yield make
    for store in opened:
        store.close()


@pytest.fixture
def store(make_store: MakeStore) -> GraphStore:
    """The hand-drawn graph of `small.tsv`."""
    return make_store(SMALL_GRAPH.read_text(encoding="utf-8"))
