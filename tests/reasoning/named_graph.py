"""Small graphs of nothing but names, each with a number of facts."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from kgstore.sqlite.loader import load_graph
from kgstore.sqlite.store import SqliteStore

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from kgstore.store import GraphStore


@contextmanager
def graph_of_names(
    folder: Path, names: Mapping[str, tuple[str, int]], more: Sequence[tuple[str, str, str]] = ()
) -> Iterator[GraphStore]:
    """A graph of entities by id, each with its name and its number of facts, and of more triples."""
    triples = [(mid, "type.object.name", f'"{name}"@en') for mid, (name, _) in names.items()]
    triples += [(mid, f"r.s.t{n}", f"x{n}") for mid, (_, facts) in names.items() for n in range(facts)]
    path = folder / "names.sqlite"
    load_graph([*triples, *more], path, name="names", title="Names", source="drawn by hand")
    store = SqliteStore(path)
    yield store
    store.close()
