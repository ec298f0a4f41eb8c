"""All graphs of one Neo4j database: the library for production."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from kgstore.library import UnknownGraphError, graph_name
from kgstore.neo4j.connection import Neo4jConnection
from kgstore.neo4j.explorable import ExplorableNeo4jStore
from kgstore.neo4j.format import ABOUT
from kgstore.neo4j.loader import load_graph, remove_graph
from kgstore.neo4j.store import graph_info

if TYPE_CHECKING:
    from collections.abc import Callable

    from kgstore.exploring.explorable import ExplorableStore
    from kgstore.library import UnreadableGraph
    from kgstore.loading.reading import GraphToLoad, LoadProgress, LoadReport
    from kgstore.store import GraphInfo

_COMPLETE = f"MATCH (graph:Graph {{state: 'complete'}}) WITH graph ORDER BY graph.name RETURN {ABOUT} AS graph"
_NUMBERS = "MATCH (graph:Graph {state: 'complete'}) RETURN graph.name, graph.graph ORDER BY graph.name"


class Neo4jLibrary:
    """A `GraphLibrary` in Neo4j. It connects when it is first asked, and again by itself after an outage."""

    def __init__(self, url: str) -> None:
        """Take an address; see `Neo4jConnection`.

        Raises:
            ValueError: the address is wrong.

        """
        self.connection = Neo4jConnection(url)
        self._lock = threading.Lock()
        self._open: dict[int, ExplorableNeo4jStore] = {}

    def names(self) -> list[str]:
        """See `GraphLibrary.names`."""
        return list(self._numbers())

    def open(self, name: str) -> ExplorableStore:
        """See `GraphLibrary.open`."""
        numbers = self._numbers()
        if name not in numbers:
            raise UnknownGraphError(name, list(numbers))
        number = numbers[name]
        with self._lock:
            store = self._open.get(number)
        if store is None:
            self.connection.require_schema()
            store = ExplorableNeo4jStore(self.connection, number)
            with self._lock:
                # Readers of the replaced graph may finish.
                self._open = {kept: self._open[kept] for kept in numbers.values() if kept in self._open}
                store = self._open.setdefault(number, store)
        return store

    def infos(self) -> list[GraphInfo | UnreadableGraph]:
        """See `GraphLibrary.infos`."""
        return self.connection.read(_COMPLETE, {}, lambda rows: [graph_info(row["graph"]) for row in rows])

    def load(self, source: GraphToLoad, progress: Callable[[LoadProgress], None] = lambda _: None) -> LoadReport:
        """See `GraphLibrary.load`. A load that was stopped resumes where it stopped, if it is of the same triples."""
        graph_name(source.name)
        return load_graph(source, self.connection, progress)

    def remove(self, name: str) -> None:
        """See `GraphLibrary.remove`."""
        if name not in self.names():
            raise UnknownGraphError(name, self.names())
        remove_graph(name, self.connection)

    def close(self) -> None:
        """Close the connection, and with it every graph."""
        self.connection.close()

    def _numbers(self) -> dict[str, int]:
        return self.connection.read(_NUMBERS, {}, lambda rows: dict(record.values() for record in rows))
