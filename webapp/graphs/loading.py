"""The one way in which a graph comes from a file, by command and from the page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kgstore.library import graph_name
from kgstore.loading.formats.registry import FORMATS, format_of
from kgstore.loading.formats.source import ReadOptions
from kgstore.loading.formats.tsv import NameReader
from kgstore.loading.reading import GraphToLoad
from webapp import engine

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from kgstore.loading.formats.lines import LineReader
    from kgstore.loading.formats.tables.mapping import Mapping
    from kgstore.loading.reading import LoadProgress, LoadReport


@dataclass(frozen=True, slots=True)
class FileToLoad:
    """A file of triples, and how it is to be read."""

    file: Path
    name: str
    """What the graph is called in addresses."""
    title: str = ""
    """What people call it; its name if nothing else."""
    file_name: str = ""
    """What people call the file; its name on disk if nothing else."""
    format: str = ""
    """One of `kgstore.loading.formats.registry.FORMATS`; detected by the first lines where none is named."""
    names: Path | None = None
    """A file of names."""
    names_from_ids: bool = False
    rows: tuple[str, ...] = ()
    filters: Path | None = None
    mapping: Mapping = ()
    """What the columns of tables mean; suggested by their cells if left out."""
    strict: bool = False


class GraphFile:
    """A file that was looked at and can be loaded, and while it is: how far it is, and which lines were passed over."""

    def __init__(self, wanted: FileToLoad) -> None:
        """Look at the file, and read no more of it than its first lines.

        Raises:
            GraphLoadError: it cannot be read, is empty, or its format cannot be detected.
            ValueError: the graph's name would not do in an address.

        """
        graph_name(wanted.name)
        self.format = FORMATS[wanted.format] if wanted.format else format_of(wanted.file)
        options = ReadOptions(strict=wanted.strict, rows=wanted.rows, filters=wanted.filters, mapping=wanted.mapping)
        triples = self.format.read(wanted.file, options)
        names = NameReader(wanted.names, strict=wanted.strict) if wanted.names else None
        self.triples = triples.lines
        """The lines of the triples."""
        self.filters = triples.filters
        """What was chosen of the file or left out, and how its columns were understood; once it was read."""
        self.readers = [triples.lines, *([names.lines] if names else [])]
        """Every file that is read."""
        self.graph = GraphToLoad(
            triples,
            name=wanted.name,
            title=wanted.title or wanted.name,
            source=f"{wanted.file_name or wanted.file.name} ({self.format.title})",
            filters=lambda: [*triples.filters(), *_passed_over(triples.lines)],
            names=names or (),
            format=self.format.name,
            names_from_ids=wanted.names_from_ids,
        )

    def load(self, progress: Callable[[LoadProgress], None]) -> LoadReport:
        """Load it into the site's library, replacing the graph of its name at the very end.

        Raises:
            GraphIsLoadingError: another process is loading a graph of this name.
            GraphLoadError: it cannot be read or written; the graph that was there is as it was.

        """
        return engine.graph_library().load(self.graph, progress)

    def fraction(self, progress: LoadProgress) -> float | None:
        """How much of a stage is done, from 0 to 1; None where that is unknown."""
        if progress.stage == "reading":
            return self.triples.fraction
        return progress.done / progress.total if progress.total else None

    @property
    def malformed(self) -> int:
        """How many lines were passed over in all files."""
        return sum(reader.malformed for reader in self.readers)


def _passed_over(lines: LineReader) -> list[str]:
    count = lines.malformed
    return [f"{count:,} malformed line{'s' * (count > 1)} passed over"] if count else []
