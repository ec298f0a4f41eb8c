"""The lines of a text file as a stream: plain or packed, with its progress and its malformed lines."""

from __future__ import annotations

import codecs
import io
from bisect import insort
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, TypeAlias, cast

from kgstore.characters import character_fault
from kgstore.loading.errors import GraphLoadError
from kgstore.packed import DAMAGED, ENDINGS, ArchiveError, packed_as, unpacked

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

TripleText: TypeAlias = tuple[str, str, str]
"""Subject, predicate, object, each in its textual form."""
TripleColumns: TypeAlias = tuple[list[str], list[str], list[str]]
"""The subjects, the predicates and the objects of some triples."""

_BLOCK_BYTES = 1 << 17
_MAX_LINE_LENGTH = 1 << 26
"""In bytes: what keeps a file without line breaks from filling the memory."""
_HEAD_BYTES = 1 << 14
_NUL = b"\0"
_SHOWN_CHARACTERS = 200
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
NOT_UTF8 = "not UTF-8"
"""How the reason begins where the bytes of a line are none."""


@dataclass(frozen=True, slots=True)
class MalformedLine:
    """A line that was passed over."""

    number: int
    """Counts from 1."""
    text: str
    """At most its first 200 characters."""
    reason: str


class LineReader:
    """The lines of a UTF-8 text file, plain or packed; knows how far it is and which lines were malformed."""

    def __init__(self, path: Path, *, strict: bool = False, examples: int = 10, passes: int = 1) -> None:
        """Look at the file, without reading it.

        Args:
            path: the file.
            strict: stop at the first malformed line instead of counting it.
            passes: how many times it is read before everything is known.
            examples: how many malformed lines to keep.

        Raises:
            GraphLoadError: there is no such file, or its name ends in .gz or the like and it is not packed so.

        """
        self.path = path
        self.read = 0
        """Lines read so far."""
        self.malformed = 0
        self.examples: list[MalformedLine] = []
        self.most_examples = examples
        """Maximum of malformed lines that are kept. The others are only counted."""
        self.encoding = "utf-8"
        """How the bytes of each line stand for characters."""
        self._strict = strict
        self._passes = passes
        self._pass = 0
        self._bytes_read = 0
        self._share: float | None = None
        try:
            self._bytes = path.stat().st_size
            packed = packed_as(path)
        except OSError as error:
            raise GraphLoadError(f"{path} cannot be read: {error.strerror or error}.") from error
        if path.suffix in ENDINGS and path.suffix != packed:
            raise GraphLoadError(f"{path} is named {path.suffix} but is not packed so; rename it if it is plain text.")

    @property
    def fraction(self) -> float:
        """How much of the file has been read, from 0 to 1: in all its passes."""
        if self._share is not None:
            return self._share
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
                rest = file.readline(_MAX_LINE_LENGTH)
                if len(rest) == _MAX_LINE_LENGTH and not rest.endswith(b"\n"):
                    raise GraphLoadError(
                        f"{self.path} holds a line of more than {_MAX_LINE_LENGTH >> 20} MiB after line {self.read:,}, "
                        "which is too long. Is it a text file?"
                    )
                block += rest
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
            text = block.decode(self.encoding)
        except UnicodeDecodeError:
            text = ""
        if not text or _NUL in block:
            lines = block.replace(b"\r\n", b"\n").removesuffix(b"\n").split(b"\n")
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
        if len(self.examples) < self.most_examples:
            # A batch that is not all UTF-8 is decoded, and its bad lines reported, before its other lines are read.
            insort(self.examples, MalformedLine(number, text[:_SHOWN_CHARACTERS], reason), key=lambda line: line.number)

    def counted(self, number: int, share: float) -> None:
        """Note how many rows were read, and which share of all its passes that is, where a library reads the file."""
        self.read = number
        self._share = share

    @contextmanager
    def _opened(self) -> Iterator[tuple[IO[bytes], IO[bytes]]]:
        """The file as it lies there, and its text."""
        try:
            with unpacked(self.path) as (raw, file):
                yield raw, _in_utf8(file)
        except ArchiveError as error:
            raise GraphLoadError(f"{self.path} cannot be read: {error}.") from error
        except DAMAGED as error:
            raise GraphLoadError(f"{self.path} is damaged after line {self.read}: {error}.") from error
        except OSError as error:
            raise GraphLoadError(f"{self.path} cannot be read: {error.strerror or error}.") from error

    def _decode_line(self, line: bytes, number: int) -> str:
        text = line.decode(self.encoding, errors="replace")
        try:
            line.decode(self.encoding)
            fault = character_fault(text)
        except UnicodeDecodeError as error:
            fault = f"{NOT_UTF8}: {error.reason}"
        if not fault:
            return text
        self.report(number, text, fault)
        return ""


def _in_utf8(file: IO[bytes]) -> IO[bytes]:
    """What a file holds in UTF-8, if a byte-order mark says that it is in UTF-16; else as it is."""
    if not cast("io.BufferedReader", file).peek(2).startswith(_UTF16):
        return file
    return cast("IO[bytes]", io.BufferedReader(_Utf16(file)))


class _Utf16(io.RawIOBase):
    """A text in UTF-16 with a byte-order mark, read as UTF-8."""

    def __init__(self, file: IO[bytes]) -> None:
        super().__init__()
        self._file = file
        self._decoder = codecs.getincrementaldecoder("utf-16")(errors="replace")
        self._held = b""
        self._has_ended = False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        while not self._held and not self._has_ended:
            block = self._file.read(_BLOCK_BYTES)
            self._has_ended = not block
            self._held = self._decoder.decode(block, final=not block).encode()
        size = min(len(buffer), len(self._held))
        buffer[:size] = self._held[:size]
        self._held = self._held[size:]
        return size
