"""Triples from comma-separated text (RFC 4180), plain or gzipped, read as a stream.

One triple a record, ``subject,predicate,object``, every term in its textual form. A cell in quotation marks may hold
commas, line breaks, and quotation marks written twice, as those of a literal are. A first record that names the
columns, such as ``subject,predicate,object`` or ``head,relation,tail``, says where they stand; other columns are left
out. Empty lines and comments (``# ``) are passed over.
"""

from __future__ import annotations

import csv
from collections import deque
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING

from kgstore.loading.formats.headers import (
    ROWS_LOOKED_AT,
    TRIPLES_ALONE,
    UnclearHeaderError,
    columns_of,
    names_columns,
    read_header,
    without_guard,
)
from kgstore.loading.formats.lines import LineReader
from kgstore.loading.formats.source import Format, ReadOptions
from kgstore.loading.formats.tsv import LITERALS_KEPT, object_term, predicate_term, subject_term
from kgstore.terms import TermError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from kgstore.loading.formats.lines import TripleText

MAX_LINES = 100
"""Maximum of lines in a quoted cell. It keeps an unclosed quotation mark from swallowing the rest of the file."""
_FIELDS = 3
_QUOTE = '"'
_COMMENT = "# "


class CommaSeparatedReader:
    """The triples of a CSV file. Iterate it once or more; its counts are those of the last time."""

    def __init__(self, path: Path, *, strict: bool = False) -> None:
        """Look at the file, without reading it.

        Raises:
            GraphLoadError: there is no such file, or it is not what its name says.

        """
        self.lines = LineReader(path, strict=strict)
        self._predicates = lru_cache(maxsize=None)(predicate_term)
        self._objects = lru_cache(LITERALS_KEPT)(object_term)
        self._header = TRIPLES_ALONE

    def filters(self) -> Sequence[str]:
        """Which columns were left out."""
        return self._header.left_out

    def __iter__(self) -> Iterator[TripleText]:
        self._header = TRIPLES_ALONE
        is_first = True
        for number, text, written in self._records():
            cells = [without_guard(cell) for cell in written] if self._header.names else written
            if is_first:
                is_first = False
                try:
                    header = read_header(cells)
                except UnclearHeaderError as error:
                    self.lines.report(number, text, str(error))
                    continue
                if header is not None:
                    self._header = header
                    continue
                self._header = columns_of(list(map(_row, self.lines.head(ROWS_LOOKED_AT))))
            if len(cells) != self._header.width:
                self.lines.report(number, text, f"{len(cells)} columns instead of {self._header.width}")
                continue
            subject, predicate, obj = (cells[place] for place in self._header.places)
            try:
                triple = subject_term(subject), self._predicates(predicate), self._objects(obj)
            except TermError as error:
                self.lines.report(number, text, str(error))
                continue
            yield triple
            yield from self._header.named(cells, triple)

    def _records(self) -> Iterator[tuple[int, str, list[str]]]:
        """The records that are well formed: the number of the first line, that line, and the cells."""
        lines = ((first + at, line) for first, batch in self.lines.batches() for at, line in enumerate(batch))
        ahead: deque[tuple[int, str]] = deque()
        while ahead or (ahead := deque(islice(lines, 1))):
            number, line = ahead.popleft()
            if not line.strip() or line.startswith(_COMMENT):
                continue
            try:
                if line.count(_QUOTE) % 2:
                    # A line break within a cell.
                    ahead.extend(islice(lines, MAX_LINES - len(ahead)))
                    taken, cells = _over_lines(line, [text for _, text in ahead])
                else:
                    taken, cells = 0, _cells(line)
            except csv.Error as error:
                self.lines.report(number, line, _reason(error))
                continue
            for _ in range(taken):
                ahead.popleft()
            yield number, line, cells


def _cells(record: str) -> list[str]:
    """The cells of one record; what stands over several lines becomes one.

    Raises:
        csv.Error: it is malformed.

    """
    if _QUOTE not in record:
        return [cell.strip() for cell in record.split(",")]
    rows = csv.reader([record], strict=True, skipinitialspace=True)
    return [" ".join(cell.split()) if "\n" in cell else cell.strip() for cell in next(rows)]


def _over_lines(line: str, following: Sequence[str]) -> tuple[int, list[str]]:
    """The cells of a record that begins in a line and ends in a later one, and how many of the later lines it takes.

    Raises:
        csv.Error: it does not end within those that follow, or is malformed.

    """
    record = line
    for taken, more in enumerate(following, start=1):
        record = f"{record}\n{more}"
        if more.count(_QUOTE) % 2:
            return taken, _cells(record)
    raise csv.Error("a quotation mark that is not closed")


def _reason(error: csv.Error) -> str:
    if str(error).startswith("',' expected"):
        return 'text after a closing quotation mark; within a cell, write it twice: """Jamaica""@en"'
    if str(error).startswith("new-line character"):
        return "a carriage return within the line; end lines with LF or CR LF"
    return str(error)


def open_csv(path: Path, options: ReadOptions) -> CommaSeparatedReader:
    """The triples of a CSV file.

    Raises:
        GraphLoadError: there is no such file, or it is not what its name says.

    """
    return CommaSeparatedReader(path, strict=options.strict)


def _recognises(head: Sequence[str]) -> bool:
    """Whether the first line names the columns, or most lines have three, and none of these is empty or holds a tab."""
    rows = [cells for line in head if "\t" not in line and (cells := _row(line))]
    if rows and names_columns(rows[0]):
        return True
    triples = [cells for cells in rows if len(cells) == _FIELDS]
    return 2 * len(triples) > len(head) and all(map(all, triples))


def _row(line: str) -> list[str]:
    """The cells of a line by itself; none where it is malformed."""
    try:
        return _cells(line)
    except csv.Error:
        return []


FORMAT = Format(
    name="csv",
    title="Triples as CSV",
    looks="m.03_r3,location.country.languages_spoken,m.01428y",
    open=open_csv,
    recognises=_recognises,
    endings=frozenset({".csv"}),
    is_general=True,
)
