"""What every loader begins with, whatever it writes to: read the triples, sort them, say what they are."""

from __future__ import annotations

import gc
import hashlib
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from kgstore.freebase.knowledge import load_knowledge
from kgstore.loading.arrange import RawGraph, arrange
from kgstore.loading.commonest import commonest_predicates
from kgstore.loading.errors import NoTriplesError
from kgstore.loading.formats.source import TripleSource
from kgstore.loading.graph_schema import graph_schema
from kgstore.loading.nothing_to_load import nothing_to_load
from kgstore.names import fold_name
from kgstore.store import GraphInfo, missing_names

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from kgstore.exploring.graph_schema import GraphSchema
    from kgstore.loading.arrange import ArrangedGraph, Node
    from kgstore.loading.formats.lines import TripleText

_FINGERPRINT_VERSION = 2
"""Changes whenever equal triples are to make another graph than before."""
_VERSION_LENGTH = 12
_NODES_AT_ONCE = 10_000


@dataclass(frozen=True, slots=True)
class LoadProgress:
    """How far a load is."""

    stage: str
    """``reading``, ``arranging``, ``writing`` or ``indexing``."""
    done: int
    """Triples read or rows written in this stage."""
    total: int | None
    """Of how many; None where that is not known."""


@dataclass(frozen=True, slots=True)
class LoadReport:
    """What was loaded."""

    name: str
    version: str
    triples_read: int
    triples: int
    """Distinct ones, those that name or type included."""
    edges: int
    """Those that neither name nor type."""
    completed: int
    """Edges that a reverse relation adds to them."""
    entities: int
    mediators: int
    literals: int
    predicates: int
    named: int
    """Entities that have a name."""
    names_unused: int
    """Names that were given for ids which stand in no triple."""
    names_foreign: int
    """Names in other languages than English that were left out."""
    seconds: float

    @property
    def advice(self) -> tuple[str, ...]:
        """What is wrong with the graph and what to do, each a sentence or two for people; most often empty."""
        said = missing_names(self.named, self.entities)
        return (said,) if said else ()


@dataclass(frozen=True, slots=True)
class GraphToLoad:
    """Triples, and what is said of them. They are read once, when the load begins."""

    triples: Iterable[TripleText]
    """In their textual form; see `kgstore.loading.formats.tsv.TripleReader`."""
    name: str
    """What the graph is called in addresses and commands."""
    title: str
    """What people call it."""
    source: str
    """Where the triples come from, for people."""
    filters: Callable[[], Sequence[str]] = tuple
    """What was chosen of the source or left out; asked once the triples are read."""
    names: Iterable[tuple[str, str]] = ()
    """Those of a names file, as (mid, name). They come before the names among the triples."""
    format: str = ""
    """What the format of the triples is called in commands, where they come from a file."""
    names_from_ids: bool = False
    """Whether what still has no name gets the one that its id says."""
    may_be_empty: bool = False
    """Whether a source without any triple is a graph: a benchmark's question may come with an empty one."""


@dataclass(frozen=True, slots=True)
class ReadGraph:
    """A graph in memory, ready to be written."""

    graph: ArrangedGraph
    info: GraphInfo
    schema: GraphSchema
    triples_read: int

    def report(self, seconds: float) -> LoadReport:
        """What to say of it once it is written."""
        graph = self.graph
        return LoadReport(
            name=self.info.name,
            version=self.info.version,
            triples_read=self.triples_read,
            triples=graph.triples,
            edges=len(graph.edges) - graph.completed,
            completed=graph.completed,
            entities=len(graph.nodes),
            mediators=sum(node.is_mediator for node in graph.nodes),
            literals=len(graph.literals),
            predicates=len(graph.predicates),
            named=sum(node.name is not None for node in graph.nodes),
            names_unused=graph.names_unused,
            names_foreign=graph.names_foreign,
            seconds=seconds,
        )


def read_graph(source: GraphToLoad, progress: Callable[[LoadProgress], None]) -> ReadGraph:
    """Read triples to their end and sort them, with what is known of Freebase's schema.

    Raises:
        GraphLoadError: the triples cannot be read, or there are none in a graph that may not be empty.

    """
    with no_garbage_collection():
        try:
            raw = RawGraph(
                source.triples,
                lambda done: progress(LoadProgress("reading", done, None)),
                may_be_empty=source.may_be_empty,
            )
        except NoTriplesError as error:
            if isinstance(source.triples, TripleSource):
                raise NoTriplesError(nothing_to_load(source.triples.lines, source.format)) from error
            raise
        progress(LoadProgress("arranging", 0, len(raw)))
        graph = arrange(raw, source.names, load_knowledge(), names_from_ids=source.names_from_ids)
        schema = graph_schema(graph, load_knowledge())
    info = GraphInfo(
        name=source.name,
        title=source.title,
        version=_fingerprint(graph),
        source=source.source,
        loaded_at=datetime.now(UTC).isoformat(timespec="seconds"),
        entities=len(graph.nodes),
        triples=graph.triples,
        predicates=len(graph.predicates),
        filters=(*source.filters(), *_left_out(graph)),
        named=sum(node.name is not None for node in graph.nodes),
        commonest=commonest_predicates(graph),
    )
    return ReadGraph(graph, info, schema, len(raw))


def _left_out(graph: ArrangedGraph) -> Iterator[str]:
    if graph.pages:
        yield f"without {graph.pages:,} {'page' if graph.pages == 1 else 'pages'} about things"


def names_of(node: Node) -> dict[str, str]:
    """What an entity is called, by the folded form: its name first, then its aliases, each form once."""
    names: dict[str, str] = {}
    for text in (node.name, *node.aliases) if node.name is not None else ():
        folded = fold_name(text)
        if folded:
            names.setdefault(folded, text)
    return names


@contextmanager
def no_garbage_collection() -> Iterator[None]:
    """Spare the collector millions of small objects, none of which is part of a cycle; a sixth of the time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _fingerprint(graph: ArrangedGraph) -> str:
    """A text that changes whenever what the graph holds changes."""
    digest = hashlib.sha256(str(_FINGERPRINT_VERSION).encode())
    for predicate in graph.predicates:
        # What has no label is written as before there were any, so that a graph keeps its version.
        digest.update(repr(predicate).replace(", label='')", ")").encode())
    for start in range(0, len(graph.nodes), _NODES_AT_ONCE):
        texts = (
            "\t".join((node.mid, node.name or "", *node.aliases, "", *node.types, str(node.is_mediator)))
            for node in graph.nodes[start : start + _NODES_AT_ONCE]
        )
        digest.update("".join(texts).encode())
    digest.update("\n".join(graph.literals).encode())
    for column in (graph.edges.subject, graph.edges.predicate, graph.edges.object):
        digest.update(column.tobytes())
    return digest.hexdigest()[:_VERSION_LENGTH]
