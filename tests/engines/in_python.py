"""The engines that are libraries of Python."""

from __future__ import annotations

import json
import logging
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Protocol

import pyoxigraph
import rdflib

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from tests.engines.derivations import Asked
    from tests.engines.differences import Difference
    from tests.engines.results import Answer


class Engine(Protocol):
    """Asks files of N-Triples."""

    def __call__(self, file: Path, query: str) -> Answer:
        """What a query finds in a file, as a document of SPARQL's JSON results."""


@cache
def _oxigraph(file: Path) -> pyoxigraph.Store:
    store = pyoxigraph.Store()
    store.bulk_load(path=str(file), format=pyoxigraph.RdfFormat.N_TRIPLES)
    return store


def oxigraph(file: Path, query: str) -> Answer:
    """See `Engine`."""
    answers = _oxigraph(file).query(query)
    assert isinstance(answers, pyoxigraph.QuerySolutions)
    document: Answer = json.loads(answers.serialize(format=pyoxigraph.QueryResultsFormat.JSON) or b"")
    return document


@cache
def _rdflib(file: Path) -> rdflib.Graph:
    return rdflib.Graph().parse(file, format="nt")


def in_rdflib(file: Path, query: str) -> Answer:
    """See `Engine`."""
    # It knows no day before the year 1, and says so of each; it compares their texts all the same.
    logging.getLogger("rdflib.term").setLevel(logging.ERROR)
    document: Answer = json.loads(_rdflib(file).query(query).serialize(format="json") or b"")
    return document


ENGINES: dict[str, Engine] = {"Oxigraph": oxigraph, "rdflib": in_rdflib}
"""By the names that people know."""


@dataclass(frozen=True, slots=True)
class Library:
    """An engine of this process; see `tests.engines.as_programs.Program`."""

    name: str
    version: str
    ask: Engine

    def ask_all(self, folder: Path, asked: Sequence[Asked | Difference]) -> Iterator[Answer | str]:
        """What it finds for each query, in their order; the message where it refuses one."""
        for one in asked:
            try:
                yield self.ask(folder / one.file, one.query)
            except Exception as error:  # noqa: BLE001 - whatever an engine raises, it is what it says to the query
                yield repr(error)
