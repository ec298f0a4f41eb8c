from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kgstore.loading.formats.tsv import TripleReader
from kgstore.sqlite.loader import load_graph
from kgstore.sqlite.store import SqliteStore
from tests.reasoning.family import FAMILY
from tests.reasoning.rules import TOY_GRAPH

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kgstore.store import GraphStore


@pytest.fixture(scope="session")
def toy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GraphStore]:
    """A hand-drawn graph of some fifty triples."""
    path = tmp_path_factory.mktemp("toy") / "toy.sqlite"
    load_graph(TripleReader(TOY_GRAPH), path, name="toy", title="Toy", source="drawn by hand")
    store = SqliteStore(path)
    yield store
    store.close()


@pytest.fixture(scope="session")
def family(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GraphStore]:
    """A hand-drawn family of five."""
    folder = tmp_path_factory.mktemp("family")
    (folder / "family.tsv").write_text(FAMILY, encoding="utf-8")
    load_graph(TripleReader(folder / "family.tsv"), folder / "family.sqlite", name="family", title="F", source="test")
    store = SqliteStore(folder / "family.sqlite")
    yield store
    store.close()
