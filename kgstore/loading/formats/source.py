"""The one interface of loaders: what every format's reader promises, and how a format is described.

A new format is one file with its reader and its `Format`, and one entry in `kgstore.loading.formats.registry`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from kgstore.loading.errors import GraphLoadError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from kgstore.loading.formats.lines import LineReader, TripleText
    from kgstore.loading.formats.tables.mapping import Mapping


@runtime_checkable
class TripleSource(Protocol):
    """The triples of a file. Iterate it once or more; its counts are those of the last time."""

    @property
    def lines(self) -> LineReader:
        """The file: how much of it has been read, and which of its lines were malformed."""

    def __iter__(self) -> Iterator[TripleText]:
        """The triples as they are to be loaded, in bounded memory.

        Raises:
            GraphLoadError: the file is empty or damaged.

        """

    def filters(self) -> Sequence[str]:
        """What was chosen of the file or left out, each in words and with counts; empty where all of it is loaded.

        Asked after the triples were read.
        """


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """How a file is to be read."""

    strict: bool = False
    """Stop at the first malformed line instead of counting it."""
    rows: tuple[str, ...] = ()
    """Of question neighbourhoods only these, by id; all of them if none is named."""
    filters: Path | None = None
    """A TOML file that says what to take; see `kgstore.loading.formats.filters`."""
    mapping: Mapping = ()
    """What the columns of tables mean; suggested by their cells if left out."""


@dataclass(frozen=True, slots=True)
class Format:
    """A format that graphs can be loaded from."""

    name: str
    """What it is called in commands: ``metaqa``."""
    title: str
    """What people call it."""
    looks: str
    """What a line of it looks like."""
    open: Callable[[Path, ReadOptions], TripleSource]
    """Looks at a file, without reading it. Raises `GraphLoadError` where it cannot be read."""
    recognises: Callable[[Sequence[str]], bool]
    """Whether first lines of a file, at least one, none of them blank or a comment, can be of this format."""
    recognises_file: Callable[[Path], bool] = lambda _: False
    """Whether a file that does not hold lines of text is of this format. Raises `GraphLoadError`."""
    options: frozenset[str] = frozenset()
    """The `ReadOptions` that it understands besides ``strict``."""
    endings: frozenset[str] = frozenset()
    """How names of such files end, before ``.gz``; see `kgstore.loading.formats.registry.recognised`."""
    reads_too: frozenset[str] = frozenset()
    """Names of formats whose files are of this one as well, or can be read by it: for these the ending decides."""
    is_general: bool = False
    """Whether it is taken only for what no other format recognises."""

    def read(self, path: Path, options: ReadOptions | None = None) -> TripleSource:
        """Look at a file of this format, without reading it.

        Raises:
            GraphLoadError: it cannot be read, or the format does not understand an option.

        """
        options = options or ReadOptions()
        for option, value in (
            ("rows", options.rows),
            ("filters", options.filters),
            ("mapping", options.mapping),
        ):
            if value and option not in self.options:
                raise GraphLoadError(f"--{option} is not for files of the format {self.name}; leave it out.")
        return self.open(path, options)
