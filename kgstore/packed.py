"""Packed files, read as what they hold: gzip, bzip2, xz, Zstandard, and zip archives of one file."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zipfile
import zlib
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, cast

import zstandard

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

_MAGIC: Mapping[bytes, str] = {
    b"\x1f\x8b": ".gz",
    b"BZh": ".bz2",
    b"\xfd7zXZ\0": ".xz",
    b"\x28\xb5\x2f\xfd": ".zst",
    b"PK\x03\x04": ".zip",
}
"""What packed files begin with, and how their names end."""
_LONGEST_MAGIC = max(map(len, _MAGIC))
ENDINGS = frozenset(_MAGIC.values())
DAMAGED = (EOFError, gzip.BadGzipFile, zlib.error, lzma.LZMAError, zstandard.ZstdError, zipfile.BadZipFile)
"""What reading a damaged packed file raises, besides `OSError`."""
_BLOCK_BYTES = 1 << 16
_OF_SYSTEM = "__MACOSX/"


class ArchiveError(ValueError):
    """An archive does not hold one file."""


def packed_as(path: Path) -> str:
    """How the names of files end that are packed as this one is; empty where it is not packed.

    Raises:
        OSError: it cannot be read.

    """
    with path.open("rb") as file:
        beginning = file.read(_LONGEST_MAGIC)
    return next((ending for magic, ending in _MAGIC.items() if beginning.startswith(magic)), "")


def name_unpacked(path: Path) -> str:
    """The name without the ending that says how it is packed."""
    return path.stem if path.suffix.lower() in ENDINGS else path.name


@contextmanager
def unpacked(path: Path) -> Iterator[tuple[IO[bytes], IO[bytes]]]:
    """The file as it lies there, whose position says how much was read, and what it holds.

    Raises:
        ArchiveError: it is a zip archive of no file, or of several.
        OSError: it cannot be read.
        DAMAGED: while what it holds is read.

    """
    ending = packed_as(path)
    with path.open("rb") as raw:
        yield raw, _OPENED[ending](raw) if ending else raw


class _Zstandard(io.RawIOBase):
    """What a file of one or more frames holds. The library's own stream takes a file that is cut off as a whole one."""

    def __init__(self, raw: IO[bytes]) -> None:
        super().__init__()
        self._raw = raw
        self._frame = zstandard.ZstdDecompressor().decompressobj()
        self._has_begun = False
        self._held = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        while not self._held and (packed := self._packed()):
            self._has_begun = True
            self._held = self._frame.decompress(packed)
        if not self._held and self._has_begun and not self._frame.eof:
            raise zstandard.ZstdError("it ends too early")
        size = min(len(buffer), len(self._held))
        buffer[:size] = self._held[:size]
        self._held = self._held[size:]
        return size

    def _packed(self) -> bytes:
        """The next packed bytes, of this frame or of the next one."""
        if not self._frame.eof:
            return self._raw.read(_BLOCK_BYTES)
        rest = self._frame.unused_data or self._raw.read(_BLOCK_BYTES)
        if rest:
            self._frame = zstandard.ZstdDecompressor().decompressobj()
        return rest


def _zstandard(raw: IO[bytes]) -> IO[bytes]:
    return cast("IO[bytes]", io.BufferedReader(_Zstandard(raw)))


def _zip(raw: IO[bytes]) -> IO[bytes]:
    archive = zipfile.ZipFile(raw)
    names = [one.filename for one in archive.infolist() if not one.is_dir() and not one.filename.startswith(_OF_SYSTEM)]
    if len(names) != 1:
        raise ArchiveError(f"it holds {len(names):,} files; unpack it, and name one of them")
    return archive.open(names[0])


def _xz(raw: IO[bytes]) -> IO[bytes]:
    return cast("IO[bytes]", lzma.LZMAFile(raw))


_OPENED: Mapping[str, Callable[[IO[bytes]], IO[bytes]]] = {
    ".gz": lambda raw: cast("IO[bytes]", io.BufferedReader(gzip.GzipFile(fileobj=raw))),
    ".bz2": lambda raw: cast("IO[bytes]", bz2.BZ2File(raw)),
    ".xz": _xz,
    ".zst": _zstandard,
    ".zip": _zip,
}
