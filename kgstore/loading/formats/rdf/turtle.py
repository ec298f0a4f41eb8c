"""Turtle, and TriG: Turtle with graphs that have names, which are read as one.

A file of Turtle is read as TriG, too: where a graph comes late in a file, nothing else says that it has any.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pyoxigraph import RdfFormat

from kgstore.loading.formats.rdf.stream import RdfReader
from kgstore.loading.formats.source import Format, ReadOptions

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_BEGINS = re.compile(r"\s*(?:@prefix\s|@base\s|prefix\s+\S*:\s*<|base\s+<)", re.IGNORECASE)
_GRAPH = re.compile(r"(?:^|[.}]\s)\s*(?:graph\s+)?(?:<[^<>\s]*>|[\w.-]*:[\w.-]*)?\s*\{", re.IGNORECASE)


def open_turtle(path: Path, options: ReadOptions) -> RdfReader:
    """The triples of a file of Turtle, or of TriG.

    Raises:
        GraphLoadError: there is no such file, or it is not what its name says.

    """
    return RdfReader(path, RdfFormat.TRIG, strict=options.strict)


def _recognises(head: Sequence[str]) -> bool:
    """Whether some line declares a prefix or a base, as nearly every file of Turtle begins, and none opens a graph."""
    return any(map(_BEGINS.match, head)) and not any(map(_GRAPH.search, head))


def _recognises_graphs(head: Sequence[str]) -> bool:
    """Whether some line opens a graph, and another declares a prefix or a base."""
    return any(map(_BEGINS.match, head)) and any(map(_GRAPH.search, head))


TURTLE = Format(
    name="turtle",
    title="Turtle",
    looks='@prefix ex: <http://example.org/> . ex:ada ex:wrote_to ex:charles ; rdfs:label "Ada Byron"@en .',
    open=open_turtle,
    recognises=_recognises,
    endings=frozenset({".ttl", ".turtle", ".n3"}),
    reads_too=frozenset({"ntriples", "trig"}),
)
TRIG = Format(
    name="trig",
    title="TriG",
    looks="@prefix ex: <http://example.org/> . ex:letters { ex:ada ex:wrote_to ex:charles . }",
    open=open_turtle,
    recognises=_recognises_graphs,
    endings=frozenset({".trig"}),
    reads_too=frozenset({"ntriples", "turtle"}),
)
