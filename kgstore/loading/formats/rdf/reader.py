"""What the readers of all formats of RDF share: collections become their members, graphs are one."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from kgstore.loading.formats.lines import LineReader
from kgstore.loading.formats.rdf.collections import with_members
from kgstore.loading.formats.rdf.statements import with_statements

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from kgstore.loading.formats.lines import TripleText


_POSITION = re.compile(r"^Parser error .*?(?:column \d+|columns \d+ and \d+|line \d+ column \d+): ")
_LINE_NUMBER = re.compile(r" \(line \d+\)$")


class RdfSource(ABC):
    """The triples of a file. Iterate it once or more; its counts are those of the last time."""

    def __init__(self, path: Path, *, strict: bool) -> None:
        """Look at the file, without reading it.

        Raises:
            GraphLoadError: there is no such file, or it is not what its name says.

        """
        self.lines = LineReader(path, strict=strict)
        self._graphs: set[str] = set()

    def filters(self) -> Sequence[str]:
        """How many graphs of the file were read as one."""
        count = len(self._graphs)
        return [f"{count:,} named {'graph' if count == 1 else 'graphs'}, read as one"] if count else []

    def __iter__(self) -> Iterator[TripleText]:
        self._graphs.clear()
        return with_members(with_statements(self._triples()))

    @abstractmethod
    def _triples(self) -> Iterator[TripleText]:
        """The triples as the file has them; the names of its graphs are put into ``_graphs``."""


def parser_reason(error: SyntaxError) -> str:
    """What pyoxigraph finds wrong, without the position, which is reported by itself."""
    return _LINE_NUMBER.sub("", _POSITION.sub("", str(error)))
