"""Triples from tab-separated text, plain or gzipped, read as a stream.

One triple a line, ``subject⇥predicate⇥object``, every term in its textual form. Empty lines and comments (``# ``) are
passed over; first lines that begin with ``# filter: `` say what the file holds of a larger graph. Freebase's spellings
are read too: ``/m/027rn``, ``/location/country/capital``, and relations joined over a mediator that the source dropped,
``a|b`` or ``/a/./b``.
"""

from __future__ import annotations

import codecs
import gzip
import io
import re
import zlib
from bisect import insort
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import IO, TYPE_CHECKING, TypeAlias

import numpy as np

from kgstore.characters import character_fault
from kgstore.loading.errors import GraphLoadError
from kgstore.loading.source import Format, ReadOptions
from kgstore.terms import TermError, parse_term

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

TripleText: TypeAlias = tuple[str, str, str]
"""Subject, predicate, object, each in its textual form."""
TripleColumns: TypeAlias = tuple[list[str], list[str], list[str]]
"""The subjects, the predicates and the objects of some triples."""

PLAIN_TEXT = re.compile(r'"(?P<text>[^"\\\n\r\t]*)"(?:@(?P<language>[A-Za-z0-9-]+))?')
"""A text literal in which nothing is escaped."""

FILTER_COMMENT = "# filter: "
"""Begins a line at the top of a file that says what was taken of a larger graph."""

_HEADING = 20
_LITERALS_KEPT = 100_000
_BLOCK_BYTES = 1 << 17
_HEAD_BYTES = 1 << 14
_GZIP_MAGIC = b"\x1f\x8b"
_TRIPLE_FIELDS = 3
_NAME_FIELDS = 2
_SHOWN_CHARACTERS = 200


@dataclass(frozen=True, slots=True)
class MalformedLine:
    """A line that was passed over."""

    number: int
    """Counts from 1."""
    text: str
    """At most its first 200 characters."""
    reason: str


class LineReader:
    """The lines of a UTF-8 text file, plain or gzipped; knows how far it is and which lines were malformed."""

    def __init__(self, path: Path, *, strict: bool = False, examples: int = 10, passes: int = 1) -> None:
        """Look at the file, without reading it.

        Args:
            path: the file.
            strict: stop at the first malformed line instead of counting it.
            passes: how many times it is read before everything is known.
            examples: how many malformed lines to keep.

        Raises:
            GraphLoadError: there is no such file, or its name ends in .gz and it is not gzipped.

        """
        self.path = path
        self.read = 0
        """Lines read so far."""
        self.malformed = 0
        self.examples: list[MalformedLine] = []
        self._strict = strict
        self._examples = examples
        self._passes = passes
        self._pass = 0
        self._bytes_read = 0
        try:
            self._bytes = path.stat().st_size
            with path.open("rb") as file:
                self._gzipped = file.read(len(_GZIP_MAGIC)) == _GZIP_MAGIC
        except OSError as error:
            raise GraphLoadError(f"{path} cannot be read: {error.strerror or error}.") from error
        if path.suffix == ".gz" and not self._gzipped:
            raise GraphLoadError(f"{path} is named .gz but is not gzipped; rename it if it is plain text.")

    @property
    def fraction(self) -> float:
        """How much of the file has been read, from 0 to 1: in all its passes."""
        this_pass = self._bytes_read / self._bytes if self._bytes else 1.0
        return (max(self._pass - 1, 0) % self._passes + this_pass) / self._passes

    def head(self, count: int) -> list[str]:
        """The first lines that are not blank, each cut after some thousand characters; no more of the file is read.

        Raises:
            GraphLoadError: the file is damaged.

        """
        lines: list[str] = []
        with self._opened() as (_, file):
            while len(lines) < count and (line := file.readline(_HEAD_BYTES)):
                text = line.decode(errors="replace").removeprefix("\ufeff").rstrip("\r\n")
                if text.strip():
                    lines.append(text)
                while line and not line.endswith(b"\n"):
                    line = file.readline(_BLOCK_BYTES)
        return lines

    def batches(self) -> Iterator[tuple[int, list[str]]]:
        """The lines without their ends, some at a time, with the number of the first.

        Raises:
            GraphLoadError: the file is empty or damaged.

        """
        for first, block in self.blocks():
            yield first, self.decode(block, first)

    def blocks(self) -> Iterator[tuple[int, bytes]]:
        """Some whole lines at a time as they lie in the file, with the number of the first.

        Raises:
            GraphLoadError: the file is empty or damaged.

        """
        self.malformed = 0
        self.examples.clear()
        self.read = self._bytes_read = 0
        self._pass += 1
        with self._opened() as (raw, file):
            while block := file.read(_BLOCK_BYTES):
                block += file.readline()
                self._bytes_read = raw.tell()
                if self.read == 0:
                    block = block.removeprefix(codecs.BOM_UTF8)
                first = self.read + 1
                self.read += block.count(b"\n") + (not block.endswith(b"\n"))
                yield first, block
        if self.read == 0:
            raise GraphLoadError(f"{self.path} is empty.")

    def decode(self, block: bytes, first: int) -> list[str]:
        """The lines of a block; one that is not UTF-8 or holds a NUL is reported, and empty here."""
        try:
            text = block.decode()
        except UnicodeDecodeError:
            text = ""
        if not text or _NUL in block:
            lines = block.removesuffix(b"\n").split(b"\n")
            return [self._decode_line(line, number) for number, line in enumerate(lines, start=first)]
        if "\r" in text:
            text = text.replace("\r\n", "\n")
        return text.removesuffix("\n").split("\n")

    def report(self, number: int, text: str, reason: str) -> None:
        """Count a malformed line.

        Raises:
            GraphLoadError: the reader is strict.

        """
        if self._strict:
            raise GraphLoadError(f"{self.path}, line {number}: {reason}. Correct it, or load without being strict.")
        self.malformed += 1
        if len(self.examples) < self._examples:
            # A batch that is not all UTF-8 is decoded, and its bad lines reported, before its other lines are read.
            insort(self.examples, MalformedLine(number, text[:_SHOWN_CHARACTERS], reason), key=lambda line: line.number)

    @contextmanager
    def _opened(self) -> Iterator[tuple[IO[bytes], IO[bytes]]]:
        """The file as it lies there, and its text."""
        try:
            with self.path.open("rb") as raw:
                yield raw, io.BufferedReader(gzip.GzipFile(fileobj=raw)) if self._gzipped else raw
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise GraphLoadError(f"{self.path} is damaged after line {self.read}: {error}.") from error
        except OSError as error:
            raise GraphLoadError(f"{self.path} cannot be read: {error.strerror or error}.") from error

    def _decode_line(self, line: bytes, number: int) -> str:
        text = line.decode(errors="replace").rstrip("\r\n")
        try:
            line.decode()
            fault = character_fault(text)
        except UnicodeDecodeError as error:
            fault = f"not UTF-8: {error.reason}"
        if not fault:
            return text
        self.report(number, text, fault)
        return ""


class _IrregularError(Exception):
    """Some line of a block must be looked at by itself."""


class TripleReader:
    """The triples of a TSV file. Iterate it once or more; its counts are those of the last time."""

    def __init__(self, path: Path, *, strict: bool = False) -> None:
        """Look at the file, without reading it.

        Raises:
            GraphLoadError: there is no such file, or it is not what its name says.

        """
        self.lines = LineReader(path, strict=strict)
        self._predicates = lru_cache(maxsize=None)(_predicate)
        self._objects = lru_cache(_LITERALS_KEPT)(_canonical)

    def filters(self) -> Sequence[str]:
        """What the first lines say of the file."""
        return [
            line.removeprefix(FILTER_COMMENT) for line in self.lines.head(_HEADING) if line.startswith(FILTER_COMMENT)
        ]

    def __iter__(self) -> Iterator[TripleText]:
        return chain.from_iterable(zip(*columns, strict=True) for columns in self.columns())

    def columns(self) -> Iterator[TripleColumns]:
        """The same, some thousand triples at a time."""
        for first, block in self.lines.blocks():
            try:
                yield self._regular(block)
            except _IrregularError:
                yield self._line_by_line(first, self.lines.decode(block, first))

    def _regular(self, block: bytes) -> TripleColumns:
        """The triples of a block of whole lines, taken apart at once: several times faster than line by line.

        Raises:
            _IrregularError: some line has not three columns, or a term is malformed.

        """
        signs = np.frombuffer(block if block.endswith(b"\n") else block + b"\n", np.uint8)
        ends = np.flatnonzero((signs == _TAB) | (signs == _NEWLINE))
        if (
            b"\r" in block
            or _NUL in block
            or len(ends) % _TRIPLE_FIELDS
            or (signs[ends].reshape(-1, _TRIPLE_FIELDS) != _ENDS).any()
        ):
            raise _IrregularError
        is_unusual = _IS_UNUSUAL[signs[np.append(0, ends[:-1] + 1)]].reshape(-1, _TRIPLE_FIELDS)
        try:
            fields = signs.tobytes().decode().replace("\n", "\t").split("\t")
            subjects, objects = fields[0:-1:_TRIPLE_FIELDS], fields[2::_TRIPLE_FIELDS]
            for place in np.flatnonzero(is_unusual[:, 0]).tolist():
                subjects[place] = _subject(subjects[place])
            for place in np.flatnonzero(is_unusual[:, 2]).tolist():
                objects[place] = self._objects(objects[place])
            return subjects, list(map(self._predicates, fields[1::_TRIPLE_FIELDS])), objects
        except (UnicodeDecodeError, TermError):
            raise _IrregularError from None

    def _line_by_line(self, first: int, lines: Iterable[str]) -> TripleColumns:
        columns: TripleColumns = [], [], []
        for number, line in enumerate(lines, start=first):
            fields = line.split("\t")
            if len(fields) == _TRIPLE_FIELDS:
                try:
                    terms = _subject(fields[0]), self._predicates(fields[1]), self._objects(fields[2])
                except TermError as error:
                    self.lines.report(number, line, str(error))
                    continue
                for column, term in zip(columns, terms, strict=True):
                    column.append(term)
            elif line.strip() and not line.startswith("# "):
                self.lines.report(number, line, f"{len(fields)} columns instead of {_TRIPLE_FIELDS}")
        return columns


_TAB, _NEWLINE = b"\t\n"
_NUL = b"\0"
_ENDS = np.array([_TAB, _TAB, _NEWLINE])
_IS_UNUSUAL = np.isin(np.arange(256), list(b'\t\n"/'))
"""Whether a term that begins with this byte, or has none, must be looked at closely."""


def _canonical(text: str) -> str:
    """A term in its one textual form; a plain text literal, as most names are, is in it already."""
    return text if PLAIN_TEXT.fullmatch(text) else str(parse_term(text))


def _subject(text: str) -> str:
    if text.startswith('"'):
        raise TermError("the subject is a literal")
    return str(parse_term(text))


def _predicate(text: str) -> str:
    if not text.strip():
        raise TermError("an empty predicate")
    return normal_predicate(text)


def normal_predicate(text: str) -> str:
    """A predicate as the graph holds it: ``/location/country/capital`` is ``location.country.capital``.

    The two ways of writing relations that are joined over a dropped mediator, ``a|b`` and ``/a/./b`` (or ``/a./b``),
    both become ``a|b``.
    """
    parts = text.replace("./", "|/").split("|")
    return "|".join(part.strip("/").replace("/", ".") if part.startswith("/") else part for part in parts)


class NameReader:
    """The names of a TSV file, ``mid⇥name`` a line."""

    def __init__(self, path: Path, *, strict: bool = False) -> None:
        """Look at the file, without reading it.

        Raises:
            GraphLoadError: there is no such file, or it is not what its name says.

        """
        self.lines = LineReader(path, strict=strict)

    def __iter__(self) -> Iterator[tuple[str, str]]:
        for first, lines in self.lines.batches():
            for number, line in enumerate(lines, start=first):
                fields = line.split("\t")
                if len(fields) == _NAME_FIELDS and fields[0].strip("/") and fields[1].strip() and fields[0][0] != '"':
                    yield str(parse_term(fields[0])), fields[1].strip()
                elif line.strip() and not line.startswith("# "):
                    self.lines.report(number, line, "expected an id and a name with a tab between them")


def open_tsv(path: Path, options: ReadOptions) -> TripleReader:
    """The triples of a TSV file.

    Raises:
        GraphLoadError: there is no such file, or it is not what its name says.

    """
    return TripleReader(path, strict=options.strict)


def _recognises(head: Sequence[str]) -> bool:
    """Whether most lines have three columns, always with a relation of Freebase's manner in the middle."""
    rows = [row for row in (line.split("\t") for line in head) if len(row) == _TRIPLE_FIELDS]
    fitting = all(re.search(r"\w[./]\w", row[1]) and row[0][:1] != "<" for row in rows)
    return fitting and 2 * len(rows) > len(head)


FORMAT = Format(
    name="tsv",
    title="Triples as TSV",
    looks="m.03_r3⇥location.country.languages_spoken⇥m.01428y",
    open=open_tsv,
    recognises=_recognises,
)
