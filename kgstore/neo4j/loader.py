"""Writing a graph into a Neo4j that runs, in batches: for small graphs and for graphs that change.

Every batch is one transaction that also counts itself, so each is written exactly once, whatever is repeated. The graph
is not visible before its last step. A load that is stopped leaves what it wrote; the next load of the same triples
goes on from there, and a load of other triples removes it first. Large graphs are better imported as files, which takes
an empty database and no running server; see `kgstore.neo4j.bulk_import`.
"""

from __future__ import annotations

import contextlib
import secrets
import time
from threading import Event, Thread
from typing import TYPE_CHECKING, Any

import numpy as np

from kgstore.loading.errors import GraphIsLoadingError, GraphLoadError
from kgstore.loading.reading import LoadProgress, read_graph
from kgstore.neo4j.format import FORMAT_VERSION, GRAPH_NUMBERS, literal_properties, place, relationship_type
from kgstore.neo4j.rows import about_row, check_graph, entity_rows, hub_rows, predicate_rows
from kgstore.store import GraphStoreError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from kgstore.loading.arrange import ArrangedGraph
    from kgstore.loading.reading import GraphToLoad, LoadReport, ReadGraph
    from kgstore.neo4j.connection import Neo4jConnection

BATCH_ROWS = 10_000
_BATCH_CHARACTERS = 5_000_000
"""After how much text a batch ends, however few its rows; the server's memory holds it some ten times over."""
_NUMBER_CHARACTERS = 8
"""How much text a number counts as."""
_REMOVED_ROWS = 1_000
"""How many edges, or nodes that have none left, a transaction removes: few enough for a small server."""
_STALE_SECONDS = 60
"""After how long without a sign a load counts as dead."""

# A lock is taken by writing to it: of two that ask at once, one waits for the other.
_LOCK = """
MERGE (lock:GraphLock {name: $name})
SET lock.asked = $holder
WITH lock
WHERE lock.holder IS NULL OR lock.holder = $holder OR lock.seen < datetime() - duration({seconds: $stale})
SET lock.holder = $holder, lock.seen = datetime()
RETURN lock.name
"""
_UNLOCK = "MATCH (lock:GraphLock {name: $name, holder: $holder}) DELETE lock"
_KEEP_LOCK = "MATCH (lock:GraphLock {name: $name, holder: $holder}) SET lock.seen = datetime()"
_OF_NAME = "MATCH (graph:Graph {name: $name}) RETURN graph"
_USED_NUMBERS = "MATCH (graph:Graph) RETURN graph.graph"
_DESCRIBE = "MATCH (graph:Graph {graph: $about.graph}) SET graph += $about RETURN graph.name"
_BEGIN = """
MERGE (graph:Graph {graph: $about.graph})
SET graph += $about, graph.state = 'loading', graph.done = coalesce(graph.done, 0)
"""
_COUNT_BATCH = f"""
{_KEEP_LOCK}
WITH lock
MATCH (graph:Graph {{graph: $graph, state: 'loading', done: $done}})
SET graph.done = $done + size($rows)
WITH graph
UNWIND $rows AS row
"""
_WRITE_PREDICATES = f"{_COUNT_BATCH} CREATE (n:Predicate) SET n = row RETURN count(n) AS written"
_WRITE_ENTITIES = f"{_COUNT_BATCH} CREATE (n:Term:Entity) SET n = row RETURN count(n) AS written"
_WRITE_LITERALS = f"""
{_COUNT_BATCH} CREATE (n:Term:$(row.label)) SET n = row.properties RETURN count(n) AS written
"""
_WRITE_EDGES = f"""
{_COUNT_BATCH}
MATCH (subject:Term {{place: row[0]}})
MATCH (object:Term {{place: row[2]}})
CREATE (subject)-[edge:$(row[1])]->(object)
RETURN count(edge) AS written
"""
_WRITE_HUBS = f"{_COUNT_BATCH} CREATE (n:Hub) SET n = row RETURN count(n) AS written"
_DONE = "MATCH (graph:Graph {graph: $graph, state: 'loading'}) RETURN graph.done"
_FINISH = f"""
{_KEEP_LOCK}
WITH lock
MATCH (graph:Graph {{graph: $graph}})
OPTIONAL MATCH (old:Graph {{name: $name, state: 'complete'}}) WHERE old.graph <> $graph
SET old.state = 'replaced', graph.state = 'complete', graph.done = NULL
RETURN graph.name
"""
_HIDE = "MATCH (graph:Graph {graph: $graph}) SET graph.state = 'removing'"
_LAST_PLACE = """
MATCH (term:Term) WHERE $first <= term.place < $end
RETURN term.place ORDER BY term.place DESC LIMIT 1
"""
_REMOVE_EDGES = f"""
{_KEEP_LOCK}
WITH lock
CALL () {{
  MATCH (term:Term)-[edge]-() WHERE $first <= term.place < $end
  WITH edge LIMIT $rows
  DELETE edge
  RETURN count(edge) AS removed
}}
RETURN removed
"""
_REMOVE_TERMS = f"""
{_KEEP_LOCK}
WITH lock
CALL () {{
  MATCH (term:Term) WHERE $first <= term.place < $end
  WITH term LIMIT $rows
  DELETE term
  RETURN count(term) AS removed
}}
RETURN removed
"""
_REMOVE_PREDICATES = f"""
{_KEEP_LOCK}
WITH lock
CALL () {{
  MATCH (predicate:Predicate {{graph: $graph}})
  WITH predicate LIMIT $rows
  DELETE predicate
  RETURN count(predicate) AS removed
}}
RETURN removed
"""
_REMOVE_HUBS = f"""
{_KEEP_LOCK}
WITH lock
CALL () {{
  MATCH (hub:Hub) WHERE $first <= hub.entity < $end AND hub.code IS NOT NULL AND hub.last IS NOT NULL
  WITH hub LIMIT $rows
  DELETE hub
  RETURN count(hub) AS removed
}}
RETURN removed
"""
_REMOVE_GRAPH = "MATCH (graph:Graph {graph: $graph}) DELETE graph"


def load_graph(
    source: GraphToLoad, connection: Neo4jConnection, progress: Callable[[LoadProgress], None] = lambda _: None
) -> LoadReport:
    """Read a graph and write it into Neo4j, replacing the one of its name at the very end.

    Where the very same graph is there already, only what is said of it is renewed.

    Raises:
        GraphIsLoadingError: another process is loading a graph of this name.
        GraphLoadError: the triples cannot be read, or Neo4j cannot hold or write them.

    """
    started = time.perf_counter()
    try:
        connection.make_schema()
        with _Lock(connection, source.name) as lock:
            read = read_graph(source, progress)
            check_graph(read.graph)
            _write(read, connection, lock, progress)
    except GraphStoreError as error:
        raise GraphLoadError(
            f"The graph “{source.name}” was not loaded, and what was there before is unchanged. "
            f"{error.for_operators} The same command, run again, resumes where it stopped."
        ) from error
    return read.report(time.perf_counter() - started)


def remove_graph(name: str, connection: Neo4jConnection) -> None:
    """Remove every load of a graph, whole or not.

    Raises:
        GraphLoadError: another process is loading a graph of this name, or Neo4j cannot be asked.

    """
    try:
        with _Lock(connection, name) as lock:
            for about in connection.read(_OF_NAME, {"name": name}, lambda rows: [row["graph"] for row in rows]):
                _remove(connection, lock, about["graph"])
    except GraphStoreError as error:
        raise GraphLoadError(f"The graph “{name}” was not removed wholly. {error.for_operators}") from error


def _write(read: ReadGraph, connection: Neo4jConnection, lock: _Lock, progress: Callable[[LoadProgress], None]) -> None:
    found = connection.read(_OF_NAME, {"name": read.info.name}, lambda rows: [dict(row["graph"]) for row in rows])
    same = [about for about in found if (about["version"], about["format"]) == (read.info.version, FORMAT_VERSION)]
    complete = next((about["graph"] for about in same if about["state"] == "complete"), None)
    if complete is not None:
        _execute(connection, _DESCRIBE, about=about_row(read, complete))
    begun = next((about for about in same if about["state"] == "loading"), None) if complete is None else None
    for about in found:
        if about["state"] != "complete" and about is not begun:
            _remove(connection, lock, about["graph"])
    if complete is not None:
        return
    number = begun["graph"] if begun else _new_number(connection)
    _execute(connection, _BEGIN, about=about_row(read, number))
    _Writer(read.graph, connection, lock, number, begun["done"] if begun else 0, progress).write()
    finished = connection.write(_FINISH, {"graph": number, **lock.held}, _rows)
    if not finished:
        raise lock.lost()


def _new_number(connection: Neo4jConnection) -> int:
    used = {row[0] for row in connection.read(_USED_NUMBERS, {}, _rows)}
    while (number := secrets.choice(GRAPH_NUMBERS)) in used:
        pass
    return number


def _remove(connection: Neo4jConnection, lock: _Lock, number: int) -> None:
    """Remove a graph: first from sight, then its terms from the last to the first, the edges of some before these.

    A transaction holds in memory what it removes, and a hub has any number of edges; so no more of them than
    `_REMOVED_ROWS` go at a time.
    """
    _execute(connection, _HIDE, graph=number)
    bounds = {"first": place(number, 0), "end": place(number + 1, 0)}
    last = next((row[0] for row in connection.read(_LAST_PLACE, bounds, _rows)), 0)
    end = last + 1
    while end > bounds["first"]:
        some = {"first": max(bounds["first"], end - _REMOVED_ROWS), "end": end}
        for query in (_REMOVE_EDGES, _REMOVE_TERMS):
            _remove_all(connection, lock, query, some)
        end = some["first"]
    _remove_all(connection, lock, _REMOVE_HUBS, bounds)
    _remove_all(connection, lock, _REMOVE_PREDICATES, {"graph": number})
    _execute(connection, _REMOVE_GRAPH, graph=number)


def _remove_all(connection: Neo4jConnection, lock: _Lock, query: str, which: Mapping[str, int]) -> None:
    """Repeat a query that removes some until nothing is left."""
    removed = _REMOVED_ROWS
    while removed == _REMOVED_ROWS:
        found = connection.write(query, {**which, "rows": _REMOVED_ROWS, **lock.held}, _rows)
        if not found:
            raise lock.lost()
        [(removed,)] = found


class _Lock:
    """Keeps two processes from loading graphs of one name at once."""

    def __init__(self, connection: Neo4jConnection, name: str) -> None:
        self._connection = connection
        self.held = {"name": name, "holder": secrets.token_hex(8)}
        self._over = Event()
        self._keeper = Thread(target=self._keep, name=f"claim of {name}", daemon=True)

    def __enter__(self) -> _Lock:
        if not self._connection.write(_LOCK, {**self.held, "stale": _STALE_SECONDS}, _rows):
            raise GraphIsLoadingError(
                f"The graph “{self.held['name']}” is being loaded by another process; wait until it ends. "
                f"If that process was killed, its claim ends {_STALE_SECONDS} seconds after its last sign."
            )
        self._keeper.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._keeper.join()
        # A claim that cannot be given back, as the server is away, ends by itself.
        with contextlib.suppress(GraphStoreError):
            self._connection.write(_UNLOCK, self.held, _rows)

    def _keep(self) -> None:
        """Give a sign now and then, also while nothing is written; who takes over is met at the next batch."""
        while not self._over.wait(_STALE_SECONDS / 4):
            with contextlib.suppress(GraphStoreError):
                self._connection.write(_KEEP_LOCK, self.held, _rows)

    def lost(self) -> GraphLoadError:
        """What to raise where another process took over."""
        return GraphLoadError(
            f"Another process has taken over loading the graph “{self.held['name']}”, as this one gave no sign for "
            f"{_STALE_SECONDS} seconds. Nothing needs to be done if that one ends well."
        )


class _Writer:
    """Writes the rows of a graph in an order that is always the same, from one of them on."""

    def __init__(
        self,
        graph: ArrangedGraph,
        connection: Neo4jConnection,
        lock: _Lock,
        number: int,
        done: int,
        progress: Callable[[LoadProgress], None],
    ) -> None:
        self._graph = graph
        self._connection = connection
        self._lock = lock
        self._number = number
        self._begun_at = done
        self._done = 0
        self._hubs = hub_rows(graph, number)
        terms = len(graph.nodes) + len(graph.literals)
        self._total = len(graph.predicates) + terms + len(graph.edges) + len(self._hubs)
        self._progress = progress

    def write(self) -> None:
        """Write what is not there yet."""
        graph, number = self._graph, self._number
        predicates = list(predicate_rows(graph, number))
        self._part(_WRITE_PREDICATES, len(predicates), lambda start: predicates[start:])
        self._part(_WRITE_ENTITIES, len(graph.nodes), lambda start: entity_rows(graph, number, start), _entity_size)
        self._part(_WRITE_LITERALS, len(graph.literals), self._literals, _literal_size)
        self._part(_WRITE_EDGES, len(graph.edges), self._edges)
        self._part(_WRITE_HUBS, len(self._hubs), lambda start: map(_hub_row, self._hubs[start:]), _hub_size)

    def _part(
        self,
        query: str,
        size: int,
        rows: Callable[[int], Iterable[Any]],
        characters: Callable[[Any], int] = lambda _: 0,
    ) -> None:
        """Write one kind of row; ``rows`` gives them from a place on, ``characters`` says how much text a row is."""
        start = min(max(self._begun_at - self._done, 0), size)
        self._done += start
        for batch in _batches(rows(start), characters):
            asked = {**self._lock.held, "graph": self._number, "done": self._done, "rows": batch}
            if not self._is_written(query, asked):
                raise self._lock.lost()
            self._done += len(batch)
            self._progress(LoadProgress("writing", self._done, self._total))

    def _is_written(self, query: str, asked: Mapping[str, Any]) -> bool:
        """Write a batch; one that was written before, though the answer was lost, is not written again."""
        expected = len(asked["rows"])
        [(written,)] = self._connection.write(query, asked, _rows)
        if written not in (0, expected):
            raise GraphLoadError(
                f"Neo4j wrote {written:,} rows of {expected:,}; its data is damaged. Load into a new database."
            )
        return written == expected or [[asked["done"] + expected]] == self._connection.read(_DONE, asked, _rows)

    def _literals(self, start: int) -> Iterator[dict[str, Any]]:
        for own, text in enumerate(self._graph.literals[start:], start=len(self._graph.nodes) + start + 1):
            kind, properties = literal_properties(text)
            yield {"label": kind.capitalize(), "properties": {**properties, "place": place(self._number, own)}}

    def _edges(self, start: int) -> Iterator[tuple[int, str, int]]:
        """Edges from the last to the first: Neo4j gives the newest edges of a node first, so less is left to sort."""
        edges = self._graph.edges
        types = [relationship_type(predicate.name) for predicate in self._graph.predicates]
        base = place(self._number, 0)
        for end in range(len(edges) - start, 0, -BATCH_ROWS):
            part = slice(max(0, end - BATCH_ROWS), end)
            columns = (base + edges.subject[part], edges.predicate[part], base + edges.object[part])
            for subject, predicate, obj in reversed(np.stack(columns, axis=1).tolist()):
                yield subject, types[predicate], obj


def _batches(rows: Iterable[Any], characters: Callable[[Any], int]) -> Iterator[list[Any]]:
    batch: list[Any] = []
    held = 0
    for row in rows:
        batch.append(row)
        held += characters(row)
        if len(batch) >= BATCH_ROWS or held >= _BATCH_CHARACTERS:
            yield batch
            batch, held = [], 0
    if batch:
        yield batch


def _entity_size(row: Mapping[str, Any]) -> int:
    return sum(map(len, row["names"] or ())) + len(row["relations"])


def _literal_size(row: Mapping[str, Any]) -> int:
    return len(row["properties"]["text"])


def _hub_row(row: Mapping[str, Any]) -> dict[str, Any]:
    return {**row, "numbers": row["numbers"].tolist()}


def _hub_size(row: Mapping[str, Any]) -> int:
    return _NUMBER_CHARACTERS * len(row["numbers"])


def _execute(connection: Neo4jConnection, query: str, **parameters: Any) -> None:
    connection.write(query, parameters, _rows)


def _rows(result: Any) -> list[list[Any]]:
    return [record.values() for record in result]
