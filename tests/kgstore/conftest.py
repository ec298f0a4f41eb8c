from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import pytest

from kgstore.loading.sqlite_loader import load_graph
from kgstore.loading.tsv import TripleReader
from kgstore.sqlite_store import SqliteStore

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kgstore.store import GraphStore

REPOSITORY = Path(__file__).resolve().parents[2]
SMALL_GRAPH = Path(__file__).parent / "small.tsv"


class MakeStore(Protocol):
    """Makes a store that holds the triples of a text; every store under test is made through one."""

    def __call__(self, triples: str) -> GraphStore: ...


@pytest.fixture(params=["sqlite"])
def make_store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[MakeStore]:
    assert request.param == "sqlite"
    opened: list[GraphStore] = []

    def make(triples: str) -> GraphStore:
        source = tmp_path / f"{len(opened)}.tsv"
        source.write_text(triples, encoding="utf-8")
        target = tmp_path / f"{len(opened)}.sqlite"
        load_graph(TripleReader(source, strict=True), target, name="small", title="Small", source="drawn by hand")
        opened.append(SqliteStore(target))
        return opened[-1]

    yield make
    for store in opened:
        store.close()


@pytest.fixture
def store(make_store: MakeStore) -> GraphStore:
    """The hand-drawn graph of `small.tsv`."""
    return make_store(SMALL_GRAPH.read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The data sets that are not part of the repository."""
    folder = Path(os.environ.get("DISCERN_DATA", REPOSITORY.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"no real data in {folder}; set DISCERN_DATA to where it is")
    return folder
