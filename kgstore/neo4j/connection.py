"""The connection to Neo4j: one driver, queries with a time limit, and errors that say what to do."""

from __future__ import annotations

import logging
import threading
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import unquote, urlsplit

from neo4j import GraphDatabase, Query, RoutingControl
from neo4j.exceptions import DriverError, Neo4jError

from kgstore.neo4j.errors import explain
from kgstore.neo4j.format import SCHEMA
from kgstore.store_parts.errors import GraphBusyError, GraphClosedError, GraphDamagedError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from neo4j import Driver, Result

log = logging.getLogger(__name__)

Taken = TypeVar("Taken")

READ_SECONDS = 30.0
"""How long a query that reads may take."""
WRITE_SECONDS = 600.0
"""How long a query that writes, or builds an index, may take."""
_DEFAULT_PORT = 7687
_DATABASE = "neo4j"
_FETCH_SIZE = 10_000

_INDEXES = (
    "SHOW INDEXES YIELD name, state, populationPercent WHERE name IN $names RETURN name, state, populationPercent"
)
_AWAIT_INDEXES = "CALL db.awaitIndexes($seconds)"


class Neo4jConnection:
    """A database of a Neo4j. Nothing is connected before it is asked; after an outage it reconnects by itself."""

    def __init__(self, url: str) -> None:
        """Take an address: ``neo4j://user:password@host:7687/database``.

        Raises:
            ValueError: the address is wrong. The message never holds a password.

        """
        parts = urlsplit(url)
        try:
            port = parts.port or _DEFAULT_PORT
        except ValueError:
            raise ValueError("the port in the address of Neo4j is not a number") from None
        if not parts.hostname or not parts.username or parts.password is None or parts.query or parts.fragment:
            raise ValueError("an address of Neo4j is written neo4j://user:password@host:7687/database")
        host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
        self.address = f"{parts.scheme}://{host}:{port}"
        """Where it is, without user and password."""
        self.database = parts.path.strip("/") or _DATABASE
        self.user = unquote(parts.username)
        self._password = unquote(parts.password)
        self._lock = threading.Lock()
        self._driver: Driver | None = None
        self._closed = False
        self._has_schema = False

    def read(
        self,
        query: str,
        parameters: Mapping[str, Any],
        take: Callable[[Result], Taken],
        seconds: float = READ_SECONDS,
    ) -> Taken:
        """Run a query and take its rows as they come; the driver tries again what failed for a passing reason.

        Raises:
            GraphStoreError: see the class; ``retryable`` where it may be otherwise in a moment.

        """
        return self._run(query, parameters, take, RoutingControl.READ, seconds)

    def write(self, query: str, parameters: Mapping[str, Any], take: Callable[[Result], Taken]) -> Taken:
        """Run a query that writes, all or nothing.

        It may run twice where the answer to the first time was lost: let it find out by itself.

        Raises:
            GraphStoreError: as for `read`.

        """
        return self._run(query, parameters, take, RoutingControl.WRITE, WRITE_SECONDS)

    def require_schema(self) -> None:
        """See that every index is there and complete; those that are missing are made, in the background.

        Raises:
            GraphStoreError: some are still being built; ``retryable``.

        """
        if self._has_schema:
            return
        found = self.read(_INDEXES, {"names": list(SCHEMA)}, lambda rows: {row["name"]: row for row in rows})
        for name, statement in SCHEMA.items():
            if name not in found:
                self.write(statement, {}, _nothing)
        if len(found) < len(SCHEMA):
            found = self.read(_INDEXES, {"names": list(SCHEMA)}, lambda rows: {row["name"]: row for row in rows})
        if any(row["state"] == "FAILED" for row in found.values()):
            raise GraphDamagedError(
                f"An index in the Neo4j at {self.address} has failed. Its log says why; drop the indexes named "
                "discern_… and ask again, then they are made again."
            )
        waiting = [row["populationPercent"] for row in found.values() if row["state"] != "ONLINE"]
        if waiting or len(found) < len(SCHEMA):
            done = f"{min(waiting, default=0):.0f} % done"
            raise GraphBusyError(
                f"The Neo4j at {self.address} is still building its indexes ({done}).",
                f"The graphs are being prepared ({done}). Ask again in a while.",
            )
        self._has_schema = True

    def make_schema(self) -> None:
        """Make the indexes that are missing, and wait until all of them are complete.

        Raises:
            GraphStoreError: they cannot be made.

        """
        for statement in SCHEMA.values():
            self.write(statement, {}, _nothing)
        self.read(_AWAIT_INDEXES, {"seconds": int(WRITE_SECONDS)}, _nothing, seconds=WRITE_SECONDS)
        self._has_schema = True

    @property
    def is_closed(self) -> bool:
        """Whether it was closed for good."""
        return self._closed

    def close(self) -> None:
        """Let go of the connections."""
        with self._lock:
            self._closed = True
            if self._driver is not None:
                self._driver.close()
                self._driver = None

    def _run(
        self,
        query: str,
        parameters: Mapping[str, Any],
        take: Callable[[Result], Taken],
        routing: RoutingControl,
        seconds: float,
    ) -> Taken:
        try:
            return self._connected().execute_query(
                Query(query, timeout=seconds),
                dict(parameters),
                routing_=routing,
                database_=self.database,
                result_transformer_=take,
            )
        except (DriverError, Neo4jError, OSError) as error:
            explained = explain(error, address=self.address, user=self.user, database=self.database, seconds=seconds)
            log.warning("%s", explained.detail)
            raise explained from error

    def _connected(self) -> Driver:
        with self._lock:
            if self._closed:
                detail = f"The connection to the Neo4j at {self.address} is closed; open the graph again."
                raise GraphClosedError(detail)
            if self._driver is None:
                self._driver = GraphDatabase.driver(
                    self.address,
                    auth=(self.user, self._password),
                    user_agent="discern",
                    connection_timeout=5.0,
                    connection_acquisition_timeout=15.0,
                    max_transaction_retry_time=3.0,
                    liveness_check_timeout=60.0,
                    fetch_size=_FETCH_SIZE,
                    notifications_min_severity="OFF",
                    telemetry_disabled=True,
                )
            return self._driver


def _nothing(result: Result) -> None:
    result.consume()
