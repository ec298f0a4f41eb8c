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
from typing import IO, TYPE_CHECKING, TypeAlias

from kgstore.loading.errors import GraphLoadError
from kgstore.loading.source import Format, ReadOptions
from kgstore.terms import TermError, parse_term

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

TripleText: TypeAlias = tuple[str, str, str]
"""Subject, predicate, object, each in its textual form."""

PLAIN_TEXT = re.compile(r'"(?P<text>[^"\\\n\r\t]*)"(?:@(?P<language>[A-Za-z0-9-]+))?')
"""A text literal in which nothing is escaped."""

FILTER_COMMENT = "# filter: "
"""Begins a line at the top of a file that says what was taken of a larger graph."""

_HEADING = 20
_LITERALS_KEPT = 100_000
_BATCH_BYTES = 1 << 20
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
                    line = file.readline(_BATCH_BYTES)
        return lines

    def batches(self) -> Iterator[tuple[int, list[str]]]:
        """The lines without their ends, some at a time, with the number of the first.

        Raises:
            GraphLoadError: the file is empty or damaged.

        """
        self.malformed = 0
        self.examples.clear()
        self.read = self._bytes_read = 0
        self._pass += 1
        with self._opened() as (raw, file):
            while lines := file.readlines(_BATCH_BYTES):
                self._bytes_read = raw.tell()
                if self.read == 0:
                    lines[0] = lines[0].removeprefix(codecs.BOM_UTF8)
                first = self.read + 1
                self.read += len(lines)
                yield first, self._decode(lines, first)
        if self.read == 0:
            raise GraphLoadError(f"{self.path} is empty.")

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

    def _decode(self, lines: list[bytes], number: int) -> list[str]:
        try:
            text = b"".join(lines).decode()
        except UnicodeDecodeError:
            return [self._decode_line(line, number + i) for i, line in enumerate(lines)]
        if "\r" in text:
            text = text.replace("\r\n", "\n")
        return text.removesuffix("\n").split("\n")

    def _decode_line(self, line: bytes, number: int) -> str:
        try:
            return line.decode().rstrip("\r\n")
        except UnicodeDecodeError as error:
            self.report(number, line.decode(errors="replace").rstrip("\r\n"), f"not UTF-8: {error.reason}")
            return ""


class TripleReader:
    """The triples of a TSV file. Iterate it once or more; its counts are those of the last time."""

    def __init__(self, path: Path, *, strict: bool = False) -> None:
        """Look at the file, without reading it.

        Raises:
            GraphLoadError: there is no such file, or it is not what its name says.

        """
        self.lines = LineReader(path, strict=strict)
        self._predicates: dict[str, str] = {}
        self._literals: dict[str, str] = {}

    def filters(self) -> Sequence[str]:
        """What the first lines say of the file."""
        return [
            line.removeprefix(FILTER_COMMENT) for line in self.lines.head(_HEADING) if line.startswith(FILTER_COMMENT)
        ]

    def __iter__(self) -> Iterator[TripleText]:
        predicates, literals = self._predicates, self._literals
        for first, lines in self.lines.batches():
            for number, line in enumerate(lines, start=first):
                fields = line.split("\t")
                if len(fields) == _TRIPLE_FIELDS:
                    subject, predicate, obj = fields
                    # The two look-ups and two first characters decide for nearly every line.
                    known = predicates.get(predicate)
                    if known is not None and subject[:1] not in _UNUSUAL:
                        if obj[:1] not in _UNUSUAL:
                            yield subject, known, obj
                            continue
                        literal = literals.get(obj)
                        if literal is not None:
                            yield subject, known, literal
                            continue
                triple = self._read(number, line, fields)
                if triple is not None:
                    yield triple

    def _read(self, number: int, line: str, fields: list[str]) -> TripleText | None:
        if len(fields) != _TRIPLE_FIELDS:
            if line.strip() and not line.startswith("# "):
                self.lines.report(number, line, f"{len(fields)} columns instead of {_TRIPLE_FIELDS}")
            return None
        subject, predicate, obj = fields
        try:
            triple = _subject(subject), _predicate(predicate), _canonical(obj)
        except TermError as error:
            self.lines.report(number, line, str(error))
            return None
        self._predicates[predicate] = triple[1]
        if obj.startswith('"'):
            if len(self._literals) == _LITERALS_KEPT:
                self._literals.clear()
            self._literals[obj] = triple[2]
        return triple


_UNUSUAL = frozenset({"", '"', "/"})
"""First characters of a term that must be looked at closely."""


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
                if len(fields) == _NAME_FIELDS and fields[0] and fields[1].strip() and fields[0][0] != '"':
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
