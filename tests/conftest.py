from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kgstore.loading.sample import load_sample
from kgstore.sqlite_store import SqliteStore

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SqliteStore]:
    """The bundled sample graph, loaded once."""
    path = tmp_path_factory.mktemp("sample") / "sample.sqlite"
    load_sample(path)
    store = SqliteStore(path)
    yield store
    store.close()
