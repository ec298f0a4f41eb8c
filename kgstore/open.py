"""Opens the graph library for an address; the scheme of the address chooses the kind."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from kgstore.sqlite.library import SqliteLibrary

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from kgstore.library import GraphLibrary


def _sqlite(url: str) -> GraphLibrary:
    return SqliteLibrary(Path(url.removeprefix("sqlite:///")).expanduser().absolute())


def _neo4j(url: str) -> GraphLibrary:
    # A site that keeps graphs in files does not wait for the driver.
    from kgstore.neo4j.library import Neo4jLibrary  # noqa: PLC0415

    return Neo4jLibrary(url)


LIBRARIES: Mapping[str, Callable[[str], GraphLibrary]] = {
    "sqlite": _sqlite,
    **dict.fromkeys(("neo4j", "neo4j+s", "neo4j+ssc", "bolt", "bolt+s", "bolt+ssc"), _neo4j),
}


def open_library(url: str) -> GraphLibrary:
    """The library at an address: ``sqlite:////srv/graphs``, ``neo4j://user:password@host:7687/database``.

    Nothing is connected to yet.

    Raises:
        ValueError: there is no such kind of library, or the address is wrong; the message never holds a password.

    """
    scheme = url.partition("://")[0]
    if scheme not in LIBRARIES:
        raise ValueError(f"no graphs can be kept at {scheme}://…; use one of {', '.join(LIBRARIES)}")
    return LIBRARIES[scheme](url)
