"""What the columns of a table hold, and the mapping that this suggests.

The column that tells the rows apart is the first one without gaps and repetitions. Of the others, numbers and dates
become literals, long texts too; everything else is another thing, and several in a cell are taken apart. Where a column
of ids holds nothing but keys of one table, each is that thing. Memory holds at most some thousand different
values of each column.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING

from kgstore.loading.errors import GraphLoadError
from kgstore.loading.formats.tables.mapping import MAX_COLUMNS, ColumnMapping, TableMapping
from kgstore.loading.formats.tables.rows import LIST

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from kgstore.loading.formats.tables.mapping import ColumnUse
    from kgstore.loading.formats.tables.rows import Row, Table

_VALUES_KEPT = 10_000
_LONGEST_NAME = 80
"""In characters: of what is longer on average, nothing is called."""
_SEPARATORS = (LIST, ";", "|")
NUMBER = re.compile(r"[-+]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:[eE][-+]?\d+)?")
_CODE = re.compile(r"0\d")
"""What begins so is no number: a postcode, a telephone number."""
_YEAR = re.compile(r"[12]\d{3}")
_DATE = re.compile(r"\d{4}-\d{2}(?:-\d{2})?")
_OF_TIME = re.compile(
    r"year|date|born|birth|died|death|founded|established|published|released|built|opened|since|started", re.IGNORECASE
)
_NAME = re.compile(r"(?:full[ _]?)?name|title|label", re.IGNORECASE)
_ID = re.compile(r"(?:.*[ _])?(?:id|nr|no|number|code|key|uuid|isbn|#)", re.IGNORECASE)
_OF_ID = re.compile(r"[ _.-]*(?:id|ids|key|code)$", re.IGNORECASE)
_LONGEST_HEADER = 200
"""Of a longer one, the beginning is its name."""
_IRREGULAR = {"people": "person", "persons": "person", "children": "child"}
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


@dataclass(slots=True)
class Column:
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
        self.numbers += NUMBER.fullmatch(cell) is not None
        self.years += _YEAR.fullmatch(cell) is not None
        self.dates += _DATE.fullmatch(cell) is not None
        self.codes += _CODE.match(cell) is not None
        for separator in _SEPARATORS:
            self.with_separator[separator] += separator in cell
        self.is_repeated = self.is_repeated or cell in self.values
        if len(self.values) < _VALUES_KEPT:
            self.values.add(cell)

    @property
    def use(self) -> ColumnUse:
        """What its cells are."""
        if not self.filled:
            return "left out"
        is_of_time = _OF_TIME.search(self.header) is not None
        if self.dates and self.dates + self.years == self.filled:
            return "dates"
        if self.years == self.filled and is_of_time:
            return "dates"
        if self.numbers == self.filled and not self.codes:
            return "numbers"
        is_long = self.characters > _LONGEST_NAME * self.filled and not self.with_separator[LIST]
        return "text" if is_long else "other things"

    def mapping(self) -> ColumnMapping:
        """What its cells become, once all of them were looked at."""
        most = max(_SEPARATORS, key=lambda each: self.with_separator[each])
        has_several = self.use == "other things" and self.with_separator[most] > 0
        return ColumnMapping(
            header=self.header, use=self.use, relation=_relation(self.header), separator=most if has_several else ""
        )


@dataclass(slots=True)
class TableSeen:
    """A table whose cells were looked at."""

    table: Table
    columns: list[Column]
    rows: int
    first: list[list[str]]
    """Its first rows."""

    @classmethod
    def look(cls, table: Table, *, kept: int = 0, most: int | None = None) -> TableSeen:
        """Look at the cells of all rows, or of the first ``most``; keep the first ``kept`` rows.

        Raises:
            GraphLoadError: the file is empty or damaged, or the table has too many columns.

        """
        records = table.rows()
        _, header = next(records, (0, []))
        if len(header) > MAX_COLUMNS:
            raise GraphLoadError(
                f"The table “{table.name}” has {len(header):,} columns. Split it into tables of at most "
                f"{MAX_COLUMNS:,}."
            )
        columns = [Column(name) for name in headers_of(header)]
        rows = 0
        first: list[list[str]] = []
        for _, cells in islice(of_width(records, len(columns)), most):
            rows += 1
            if len(first) < kept:
                first.append(cells)
            for column, cell in zip(columns, cells, strict=False):
                column.add(cell)
        return cls(table, columns, rows, first)

    def mapping(self, name: str) -> TableMapping:
        """The mapping that the cells suggest, for a table of a name, which is empty where the file has one alone.

        Raises:
            GraphLoadError: every column has gaps.

        """
        key = self._key()
        called = next((one for one in self.columns if one is not key and _NAME.fullmatch(one.header)), None)
        has_ids = called is not None and (_ID.fullmatch(key.header) is not None or key.use == "numbers")
        named = called if has_ids and called is not None else key
        return TableMapping(
            table=name,
            kind=_kind(key.header, self.table.name),
            key=key.header,
            name=named.header,
            columns=tuple(one.mapping() for one in self.columns if one not in (key, named)),
        )

    def _key(self) -> Column:
        """The column that tells the rows apart: the first without gaps and repetitions, else the first without gaps.

        Raises:
            GraphLoadError: every column has gaps.

        """
        whole = [one for one in self.columns if one.filled == self.rows and one.use != "text"]
        if not whole or not self.rows:
            raise GraphLoadError(
                f"The table “{self.table.name}” has no column that is filled in every row, so nothing says what each "
                "row is about. Fill one."
            )
        distinct = (one for one in whole if not one.is_repeated and one.use != "dates")
        return next(distinct, whole[0])


def suggested(tables: Sequence[TableSeen]) -> tuple[TableMapping, ...]:
    """The mapping of the tables of a file, with the columns that refer to one of them.

    Raises:
        GraphLoadError: a table has no column without gaps.

    """
    found = [seen.mapping("" if len(tables) == 1 else seen.table.name) for seen in tables]
    keys = {
        one.kind: next(column.values for column in seen.columns if column.header == one.key)
        for one, seen in zip(found, tables, strict=True)
        if one.has_ids
    }
    return tuple(
        one.model_copy(update={"columns": tuple(_referring(one, seen, keys))})
        for one, seen in zip(found, tables, strict=True)
    )


def _referring(mapping: TableMapping, seen: TableSeen, keys: dict[str, set[str]]) -> Iterator[ColumnMapping]:
    """The columns of a table, those that hold keys of a table as things of it."""
    by_header = {column.header: column for column in seen.columns}
    for one in mapping.columns:
        stem = _OF_ID.sub("", one.header)
        values = {part for cell in by_header[one.header].values for part in parts_of(cell, one.separator)}
        called = _relation(stem)
        holding = [kind for kind in keys if values and values <= keys[kind]]
        of_its_name = [kind for kind in holding if _relation(kind) == called]
        # Small numbers may be keys of every table.
        of_any = holding if stem != one.header and len(holding) == 1 else []
        if called and (kinds := of_its_name or of_any):
            yield one.model_copy(update={"use": "other things", "relation": called, "refers_to": kinds[0]})
        else:
            yield one


def headers_of(cells: Iterable[str]) -> list[str]:
    """The headers of a first row, each once: one without a text is called by its place."""
    headers: list[str] = []
    for place, cell in enumerate(cells, start=1):
        header = " ".join(cell.split())[:_LONGEST_HEADER] or f"column {place}"
        headers.append(header if header not in headers else f"{header} {place}")
    return headers


def of_width(records: Iterable[Row], width: int) -> Iterator[Row]:
    """The rows, with one space for many in their cells, and without empty cells beyond a number of columns."""
    for number, cells in records:
        kept = list(cells)
        while len(kept) > width and not kept[-1].strip():
            kept.pop()
        yield number, [_tidy(cell) for cell in kept]


def parts_of(cell: str, separator: str) -> list[str]:
    """The things of a cell."""
    parts = cell.split(separator) if separator else [cell]
    return [part for part in map(str.strip, parts) if part]


def _tidy(cell: str) -> str:
    return LIST.join(" ".join(part.split(None)) for part in cell.split(LIST))


def _relation(header: str) -> str:
    return re.sub(r"[^\w.]+", "_", _HUMP.sub("_", header.strip()).lower()).strip("_")


def _kind(header: str, table: str) -> str:
    """What each row is: as the header of its key says, else as the table is called: *book* for ``books.csv``."""
    if not _NAME.fullmatch(header) and not _ID.fullmatch(header):
        return header
    stem = table.lower()
    if stem in _IRREGULAR:
        return _IRREGULAR[stem]
    if stem.endswith("ies"):
        return f"{stem[:-3]}y"
    return stem[:-1] if stem.endswith("s") and not stem.endswith("ss") else stem
