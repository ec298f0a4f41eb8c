"""Tables with one row per thing and one column per property, as spreadsheets save them.

The file is read two times: first each column is looked at, then each filled cell becomes a fact. The column that names
the things is the first one without gaps and repetitions. Of the others, numbers and dates become literals, long texts
too; everything else is another thing, and several in a cell are taken apart (``;`` or ``|``). What was decided is said
among the filters of the graph. Memory holds at most some thousand different values of each column.
"""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from kgstore.loading.errors import GraphLoadError
from kgstore.loading.formats.headers import names_columns
from kgstore.loading.formats.lines import LineReader
from kgstore.loading.formats.source import Format, ReadOptions
from kgstore.packed import name_unpacked
from kgstore.terms import TermError, Text, literal_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from kgstore.loading.formats.lines import TripleText

_DELIMITERS = ",\t;|"
_HEADING = 20
_NARROWEST = 4
"""Number of columns from which a table is taken for one without being told: three are triples."""
_VALUES_KEPT = 10_000
_LONGEST_NAME = 80
"""In characters: of what is longer on average, nothing is called."""
_SEPARATORS = (";", "|")
_NUMBER = re.compile(r"[-+]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:[eE][-+]?\d+)?")
_CODE = re.compile(r"0\d")
"""What begins so is no number: a postcode, a telephone number."""
_YEAR = re.compile(r"[12]\d{3}")
_DATE = re.compile(r"\d{4}-\d{2}(?:-\d{2})?")
_OF_TIME = re.compile(
    r"year|date|born|birth|died|death|founded|established|published|released|built|opened|since|started", re.IGNORECASE
)
_NAME = re.compile(r"(?:full[ _]?)?name|title|label", re.IGNORECASE)
_ID = re.compile(r"(?:.*[ _])?(?:id|nr|no|number|code|key|uuid|isbn|#)", re.IGNORECASE)


@dataclass(slots=True)
class _Column:
    """A column, and what its cells are."""

    header: str
    filled: int = 0
    numbers: int = 0
    years: int = 0
    dates: int = 0
    codes: int = 0
    characters: int = 0
    with_separator: dict[str, int] = field(default_factory=lambda: dict.fromkeys(_SEPARATORS, 0))
    values: set[str] = field(default_factory=set)
    is_repeated: bool = False

    def add(self, cell: str) -> None:
        """Look at a cell."""
        if not cell:
            return
        self.filled += 1
        self.characters += len(cell)
        self.numbers += _NUMBER.fullmatch(cell) is not None
        self.years += _YEAR.fullmatch(cell) is not None
        self.dates += _DATE.fullmatch(cell) is not None
        self.codes += _CODE.match(cell) is not None
        for separator in _SEPARATORS:
            self.with_separator[separator] += separator in cell
        self.is_repeated = self.is_repeated or cell in self.values
        if len(self.values) < _VALUES_KEPT:
            self.values.add(cell)

    @property
    def kind(self) -> str:
        """*numbers*, *dates*, *text*, or *other things*."""
        if not self.filled:
            return "empty"
        is_of_time = _OF_TIME.search(self.header) is not None
        if self.dates and self.dates + self.years == self.filled:
            return "dates"
        if self.years == self.filled and is_of_time:
            return "dates"
        if self.numbers == self.filled and not self.codes:
            return "numbers"
        return "text" if self.characters > _LONGEST_NAME * self.filled else "other things"

    def use(self) -> _Use:
        """What its cells are read as, once all of them were looked at."""
        relation = re.sub(r"[^\w.]+", "_", self.header.strip().lower()).strip("_")
        most = max(_SEPARATORS, key=lambda each: self.with_separator[each])
        has_several = self.kind == "other things" and self.with_separator[most] > 0
        return _Use(self.header, relation, self.kind, most if has_several else "")


@dataclass(frozen=True, slots=True)
class _Use:
    """What the cells of a column are read as."""

    header: str
    relation: str
    kind: str
    """See `_Column.kind`."""
    separator: str
    """What stands between several things in a cell; empty where each cell holds one."""


class TableReader:
    """The facts of a table. Iterate it once or more; its counts are those of the last time."""

    def __init__(self, path: Path, *, strict: bool = False) -> None:
        """Look at the file, without reading it.

        Raises:
            GraphLoadError: there is no such file, or it is not what its name says.

        """
        self.lines = LineReader(path, strict=strict, passes=2)
        self._decided: list[str] = []

    def filters(self) -> Sequence[str]:
        """What each column was taken for."""
        return self._decided

    def __iter__(self) -> Iterator[TripleText]:
        columns, rows = self._columns()
        key = _key(columns, rows, self.lines.path)
        called = (place for place, one in enumerate(columns) if place != key and _NAME.fullmatch(one.header))
        is_id = _ID.fullmatch(columns[key].header) is not None or columns[key].kind == "numbers"
        named = next(called, None) if is_id else None
        has_ids, name = named is not None, key if named is None else named
        kind = _kind(columns[key].header, self.lines.path)
        others = [(place, one.use()) for place, one in enumerate(columns) if place not in (key, name) and one.filled]
        self._decided = [f"one row for each “{kind}”, called as column “{columns[name].header}” says"]
        for _, one in others:
            apart = f", taken apart at “{one.separator}”" if one.separator else ""
            self._decided.append(f"column “{one.header}”: {one.kind}{apart}")
        records = self._records()
        next(records, None)
        for number, cells in _of_width(records, len(columns)):
            if len(cells) != len(columns):
                self.lines.report(number, ", ".join(cells), f"{len(cells)} columns instead of {len(columns)}")
                continue
            thing = f"{kind}_{cells[key]}" if has_ids else cells[key]
            if not thing or not cells[key]:
                self.lines.report(number, ", ".join(cells), f"nothing in column “{columns[key].header}”")
                continue
            yield thing, "rdf:type", kind
            if cells[name]:
                yield thing, "type.object.name", str(Text(cells[name]))
            for place, one in others:
                try:
                    yield from _facts(thing, one, cells[place])
                except TermError as error:
                    self.lines.report(number, cells[place], str(error))

    def _columns(self) -> tuple[list[_Column], int]:
        """What the columns hold, and how many rows there are."""
        records = self._records()
        _, header = next(records, (0, []))
        columns = [_Column(cell.strip() or f"column {place}") for place, cell in enumerate(header, start=1)]
        rows = 0
        for _, cells in _of_width(records, len(columns)):
            rows += 1
            for column, cell in zip(columns, cells, strict=False):
                column.add(cell)
        return columns, rows

    def _records(self) -> Iterator[tuple[int, list[str]]]:
        delimiter = _delimiter(self.lines.head(_HEADING))
        lines = (f"{line}\n" for _, batch in self.lines.batches() for line in batch)
        rows = csv.reader(lines, delimiter=delimiter, skipinitialspace=True)
        try:
            for cells in rows:
                if any(cell.strip() for cell in cells):
                    yield rows.line_num, cells
        except csv.Error as error:
            raise GraphLoadError(
                f"{self.lines.path} cannot be read after line {rows.line_num:,}: {error}. Is a quotation mark missing?"
            ) from error


def _of_width(records: Iterable[tuple[int, list[str]]], width: int) -> Iterator[tuple[int, list[str]]]:
    """The rows, with one space for many in their cells, and without empty cells beyond a number of columns."""
    for number, cells in records:
        while len(cells) > width and not cells[-1].strip():
            cells.pop()
        yield number, [" ".join(cell.split()) for cell in cells]


def _facts(thing: str, column: _Use, cell: str) -> Iterator[TripleText]:
    """The facts of one cell.

    Raises:
        TermError: it is no number or date.

    """
    if not cell:
        return
    kind = column.kind
    if kind == "numbers":
        yield thing, column.relation, str(literal_of(cell.replace(",", ""), datatype=f"{_XSD}decimal"))
    elif kind == "dates":
        yield thing, column.relation, str(literal_of(cell, datatype=_XSD + _DATATYPES[len(cell)]))
    elif kind == "text":
        yield thing, column.relation, str(Text(cell))
    else:
        parts = cell.split(column.separator) if column.separator else [cell]
        for part in filter(None, map(str.strip, parts)):
            yield thing, column.relation, part
            yield part, "type.object.name", str(Text(part))


_XSD = "http://www.w3.org/2001/XMLSchema#"
_DATATYPES = {4: "gYear", 7: "gYearMonth", 10: "date"}
"""By how many characters a date has."""


def _key(columns: Sequence[_Column], rows: int, path: Path) -> int:
    """The column that names the things: the first without gaps and repetitions, else the first without gaps.

    Raises:
        GraphLoadError: every column has gaps.

    """
    whole = [place for place, column in enumerate(columns) if column.filled == rows and column.kind != "text"]
    if not whole or not rows:
        raise GraphLoadError(
            f"{path} has no column that is filled in every row, so nothing says what each row is about. Fill one."
        )
    distinct = (place for place in whole if not columns[place].is_repeated and columns[place].kind != "dates")
    return next(distinct, whole[0])


def _kind(header: str, path: Path) -> str:
    """What each row is: as the header of its key says, else as the file is called: *book* for ``books.csv``."""
    if not _NAME.fullmatch(header) and not _ID.fullmatch(header):
        return header
    stem = Path(name_unpacked(path)).stem.lower()
    return stem[:-1] if stem.endswith("s") and not stem.endswith("ss") else stem


def _delimiter(head: Sequence[str]) -> str:
    """What stands between the cells: what gives most lines the most columns."""

    def columns(delimiter: str) -> int:
        widths = [len(cells) for cells in csv.reader(head, delimiter=delimiter)]
        return min(widths, default=0)

    return max(_DELIMITERS, key=columns)


def open_table(path: Path, options: ReadOptions) -> TableReader:
    """The facts of a table.

    Raises:
        GraphLoadError: there is no such file, or it is not what its name says.

    """
    return TableReader(path, strict=options.strict)


def _recognises(head: Sequence[str]) -> bool:
    """Whether all lines have as many columns as the first one, four or more, which are not those of triples."""
    if head[0].lstrip()[:1] in {"{", "[", "<", "@"}:
        return False
    try:
        rows = list(csv.reader(head, delimiter=_delimiter(head), skipinitialspace=True))
    except csv.Error:
        return False
    header = [cell.strip() for cell in rows[0]]
    is_header = all(header) and len(set(header)) == len(header) and not any(map(_NUMBER.fullmatch, header))
    widths = {len(cells) for cells in rows}
    return is_header and widths == {len(header)} and len(header) >= _NARROWEST and not names_columns(header)


FORMAT = Format(
    name="table",
    title="Table with one row per thing",
    looks="book,author,pages,published",
    open=open_table,
    recognises=_recognises,
    is_general=True,
)
