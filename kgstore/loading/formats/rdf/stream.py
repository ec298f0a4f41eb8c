"""RDF that pyoxigraph parses as a stream: Turtle, TriG, RDF/XML and JSON-LD.

Terms become those of `kgstore.loading.formats.rdf.terms`. Nodes without a label (``[ … ]``) are numbered in the
order of the file, so that the same file makes the same graph. Collections become their members, and the names of
graphs within the file are left out. In Turtle and TriG, a statement that is malformed is passed over up to its full
stop, and a fact with a wrong address alone; RDF/XML and JSON-LD cannot be read on after an error. Memory holds one
statement, of at most 16 MiB, and a number for every node without a label.
"""

from __future__ import annotations

import io
import itertools
import re
from collections import defaultdict
from typing import TYPE_CHECKING
from xml.parsers import expat

from pyoxigraph import BlankNode, NamedNode, RdfFormat, parse

from kgstore.loading.errors import GraphLoadError
from kgstore.loading.formats.rdf.reader import RdfSource, parser_reason
from kgstore.loading.formats.rdf.terms import labelled_node, numbered_node, triples_of
from kgstore.terms import TermError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from kgstore.loading.formats.lines import LineReader, TripleText

_WITHOUT_LABEL = re.compile(r"[a-f][0-9a-f]{19,31}")
"""What the parser calls a node that the file gives no label: 128 bits by chance, without noughts before them."""
_WELL_KNOWN = {
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "owl": "http://www.w3.org/2002/07/owl#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
    "skos": "http://www.w3.org/2004/02/skos/core#",
}
"""Prefixes that a file may use without declaring them."""
_DECLARED = " ".join(f"@prefix {prefix}: <{address}> ." for prefix, address in _WELL_KNOWN.items()).encode() + b" "
_PART = re.compile(
    r'"""(?:[^\\]|\\.)*?"""|"(?:[^"\\\n]|\\.)*"|<[^<>\s]*>|#[^\n]*'
    r'|(?P<more>[;,](?!\s*[;,.]))|(?P<end>\.(?=\s|$))|[^";,<#.]+|.',
    re.DOTALL,
)
"""A text, an address, a comment, or a sign of Turtle."""


class RdfReader(RdfSource):
    """See `RdfSource`."""

    def __init__(self, path: Path, rdf_format: RdfFormat, *, strict: bool) -> None:
        """Look at the file, without reading it.

        Raises:
            GraphLoadError: there is no such file, or it is not what its name says.

        """
        super().__init__(path, strict=strict)
        self._format = rdf_format

    def _triples(self) -> Iterator[TripleText]:
        numbers: defaultdict[str, int] = defaultdict(itertools.count(1).__next__)

        def blank_node(name: str) -> str:
            return numbered_node(numbers[name]) if _WITHOUT_LABEL.fullmatch(name) else labelled_node(name)

        recovers = self._format == RdfFormat.TRIG
        is_xml = self._format == RdfFormat.RDF_XML
        stream = _Stream(self.lines, _DECLARED if recovers else b"", expat.ParserCreate() if is_xml else None)
        # Addresses are checked here, so that one that is wrong costs no more than its own statement.
        quads = parse(io.BufferedReader(stream), format=self._format, base_iri="file:///", lenient=recovers)
        while True:
            try:
                quad = next(quads)
            except StopIteration:
                return
            except SyntaxError as error:
                number = error.lineno or self.lines.read
                if not recovers:
                    raise GraphLoadError(
                        f"{self.lines.path} cannot be read after about line {number:,}: {parser_reason(error)}. "
                        "Correct it, or convert it to Turtle or N-Triples."
                    ) from None
                left_out = _left_out(stream.after(number, error.offset or 1))
                self.lines.report(number, stream.line(number), f"{parser_reason(error)}; {left_out}")
                continue
            except MemoryError:
                raise GraphLoadError(
                    f"{self.lines.path} holds a statement of more than 16 MiB near line {self.lines.read:,}, which is "
                    "too long. Is a quotation mark or a full stop missing?"
                ) from None
            if isinstance(quad.graph_name, NamedNode | BlankNode):
                self._graphs.add(str(quad.graph_name))
            try:
                yield from triples_of(quad, blank_node)
            except TermError as error:
                self.lines.report(self.lines.read, str(quad), f"{error} (at this line or before)")


class _Stream(io.RawIOBase):
    """The bytes of a file, block by block; remembers the last of them, to show what was wrong."""

    def __init__(self, lines: LineReader, before: bytes, xml: expat.XMLParserType | None) -> None:
        super().__init__()
        self._xml = xml
        """Checks that XML is well-formed to its end: the other parser takes a file that is cut off as a whole one."""
        self._blocks = lines.blocks()
        self._rest = before
        self._before = len(before)
        self._kept: list[tuple[int, bytes]] = []

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        if not self._rest:
            following = next(self._blocks, None)
            self._check(b"" if following is None else following[1], is_last=following is None)
            if following is not None:
                self._rest = following[1]
                self._kept = [*self._kept[-1:], following]
        size = min(len(buffer), len(self._rest))
        buffer[:size] = self._rest[:size]
        self._rest = self._rest[size:]
        return size

    def _check(self, block: bytes, *, is_last: bool) -> None:
        if self._xml is not None:
            try:
                self._xml.Parse(block, is_last)
            except expat.ExpatError as error:
                # Of the parser's own kind, so that one place reports both.
                position = (None, error.lineno, error.offset + 1, None, error.lineno, error.offset + 1)
                raise SyntaxError(expat.ErrorString(error.code), position) from error
            if is_last:
                self._xml = None

    def line(self, number: int) -> str:
        """A line that was read a short while ago; empty where it was not."""
        for first, block in reversed(self._kept):
            lines = block.split(b"\n")
            if first <= number < first + len(lines):
                return lines[number - first].decode(errors="replace").strip()
        return ""

    def after(self, number: int, column: int) -> str:
        """What was read from a line and a column on, both from 1; empty where it was long ago."""
        column -= self._before if number == 1 else 0
        text = b""
        for first, block in self._kept:
            lines = block.split(b"\n")
            if text:
                text += block
            elif first <= number < first + len(lines):
                text = b"\n".join(lines[number - first :])
        return text.decode(errors="replace")[max(column - 1, 0) :]


def _left_out(text: str) -> str:
    """How much of a statement is passed over with a wrong part of it."""
    facts = 0
    for part in _PART.finditer(text):
        if part["end"]:
            break
        facts += part["more"] is not None
    if not facts:
        return "passed over up to the next full stop"
    return f"passed over up to the next full stop, with {facts} more {'fact' if facts == 1 else 'facts'}"
