"""The engines that are libraries of Python."""

from __future__ import annotations

import json
import logging
from functools import cache
from typing import TYPE_CHECKING, Protocol

import pyoxigraph
import rdflib

from tests.engines.results import Found, read_json

if TYPE_CHECKING:
    from pathlib import Path


class Engine(Protocol):
    """Asks files of N-Triples."""

    def __call__(self, file: Path, query: str) -> Found:
        """What a query finds in a file."""


@cache
def _oxigraph(file: Path) -> pyoxigraph.Store:
    store = pyoxigraph.Store()
    store.bulk_load(path=str(file), format=pyoxigraph.RdfFormat.N_TRIPLES)
    return store


def oxigraph(file: Path, query: str) -> Found:
    """See `Engine`."""
    answers = _oxigraph(file).query(query)
    assert isinstance(answers, pyoxigraph.QuerySolutions)
    return read_json(json.loads(answers.serialize(format=pyoxigraph.QueryResultsFormat.JSON) or b""))


@cache
def _rdflib(file: Path) -> rdflib.Graph:
    return rdflib.Graph().parse(file, format="nt")


def in_rdflib(file: Path, query: str) -> Found:
    """See `Engine`."""
    # It knows no day before the year 1, and says so of each; it compares their texts all the same.
    logging.getLogger("rdflib.term").setLevel(logging.ERROR)
    return read_json(json.loads(_rdflib(file).query(query).serialize(format="json") or b""))


ENGINES: dict[str, Engine] = {"Oxigraph": oxigraph, "rdflib": in_rdflib}
"""By the names that people know."""
