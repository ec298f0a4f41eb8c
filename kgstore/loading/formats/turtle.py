"""Turtle: RDF with prefixes, lists, and statements over several lines; parsed by pyoxigraph as a stream.

Terms become those of `kgstore.loading.formats.ntriples`. Nodes without a label (``[ … ]``, lists) are numbered in the
order of the file, so that the same file makes the same graph. A statement that is malformed is passed over, up to its
full stop. Memory holds one statement, of at most 16 MiB, and a number for every node without a label.
"""

from __future__ import annotations

import io
import itertools
import re
from collections import defaultdict
from typing import TYPE_CHECKING

from pyoxigraph import BlankNode, NamedNode, RdfFormat, parse
from pyoxigraph import Literal as RdfLiteral

from kgstore.characters import character_fault
from kgstore.freebase_ids import plain_id
from kgstore.iris import BLANK_NODE
from kgstore.loading.errors import GraphLoadError
from kgstore.loading.formats.lines import LineReader
from kgstore.loading.formats.source import Format, ReadOptions
from kgstore.terms import TermError, Text, literal_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from pyoxigraph import Quad

    from kgstore.loading.formats.lines import TripleText

_WITHOUT_LABEL = re.compile(r"[a-f][0-9a-f]{19,31}")
"""What the parser calls a node that the file gives no label: 128 bits by chance, without noughts before them."""
_POSITION = re.compile(r"^Parser error .*?(?:column \d+|columns \d+ and \d+|line \d+ column \d+): ")
_LINE_NUMBER = re.compile(r" \(line \d+\)$")
_BEGINS = re.compile(r"\s*(?:@prefix\s|@base\s|prefix\s+\S*:\s*<|base\s+<)", re.IGNORECASE)


class TurtleReader:
    """The triples of a file. Iterate it once or more; its counts are those of the last time."""

    def __init__(self, path: Path, *, strict: bool) -> None:
        """Look at the file, without reading it.

        Raises:
            GraphLoadError: there is no such file, or it is not what its name says.

        """
        self.lines = LineReader(path, strict=strict)

    def filters(self) -> Sequence[str]:
        """Everything is loaded."""
        return ()

    def __iter__(self) -> Iterator[TripleText]:
        numbers: defaultdict[str, int] = defaultdict(itertools.count(1).__next__)
        stream = _Stream(self.lines)
        quads = parse(io.BufferedReader(stream), format=RdfFormat.TURTLE, base_iri="file:///")
        while True:
            try:
                quad = next(quads)
            except StopIteration:
                return
            except SyntaxError as error:
                number = error.lineno or self.lines.read
                self.lines.report(number, stream.line(number), _reason(error))
                continue
            except MemoryError:
                raise GraphLoadError(
                    f"{self.lines.path} holds a statement of more than 16 MiB near line {self.lines.read:,}, which is "
                    "too long. Is a quotation mark or a full stop missing?"
                ) from None
            try:
                triple = _triple(quad, numbers)
            except TermError as error:
                self.lines.report(self.lines.read, str(quad), f"{error} (at this line or before)")
                continue
            yield triple


class _Stream(io.RawIOBase):
    """The bytes of a file, block by block; remembers the last of them, to show what was wrong."""

    def __init__(self, lines: LineReader) -> None:
        super().__init__()
        self._blocks = lines.blocks()
        self._rest = b""
        self._kept: list[tuple[int, bytes]] = []

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        if not self._rest and (following := next(self._blocks, None)):
            self._rest = following[1]
            self._kept = [*self._kept[-1:], following]
        size = min(len(buffer), len(self._rest))
        buffer[:size] = self._rest[:size]
        self._rest = self._rest[size:]
        return size

    def line(self, number: int) -> str:
        """A line that was read a short while ago; empty where it was not."""
        for first, block in reversed(self._kept):
            lines = block.split(b"\n")
            if first <= number < first + len(lines):
                return lines[number - first].decode(errors="replace").strip()
        return ""


def _triple(quad: Quad, numbers: defaultdict[str, int]) -> TripleText:
    obj = quad.object
    triple = (
        _node(quad.subject, numbers),
        plain_id(quad.predicate.value),
        _literal(obj) if isinstance(obj, RdfLiteral) else _node(obj, numbers),
    )
    if fault := character_fault("".join(triple)):
        raise TermError(fault)
    return triple


def _literal(literal: RdfLiteral) -> str:
    if literal.language:
        return str(Text(literal.value, literal.language))
    return str(literal_of(literal.value, datatype=literal.datatype.value))


def _node(node: object, numbers: defaultdict[str, int]) -> str:
    if isinstance(node, NamedNode):
        return plain_id(node.value)
    if not isinstance(node, BlankNode):
        raise TermError("a statement about a statement is no triple")
    if _WITHOUT_LABEL.fullmatch(node.value):
        return f"{BLANK_NODE}node-{numbers[node.value]}"
    return f"{BLANK_NODE}{node.value}"


def _reason(error: SyntaxError) -> str:
    return f"{_LINE_NUMBER.sub('', _POSITION.sub('', str(error)))}; passed over up to the next full stop"


def open_turtle(path: Path, options: ReadOptions) -> TurtleReader:
    """The triples of a file of Turtle.

    Raises:
        GraphLoadError: there is no such file, or it is not what its name says.

    """
    return TurtleReader(path, strict=options.strict)


def _recognises(head: Sequence[str]) -> bool:
    """Whether some line declares a prefix or a base, as nearly every file of Turtle begins."""
    return any(_BEGINS.match(line) for line in head)


FORMAT = Format(
    name="turtle",
    title="Turtle",
    looks='@prefix ex: <http://example.org/> . ex:ada ex:wrote_to ex:charles ; rdfs:label "Ada Byron"@en .',
    open=open_turtle,
    recognises=_recognises,
    endings=frozenset({".ttl"}),
)
