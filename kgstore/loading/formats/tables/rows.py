"""The rows of a file of tables: values with a character between them, spreadsheets, archives, JSON objects.

A row is a list of texts. A cell of a JSON file that holds a list has `LIST` between its values.
"""

from __future__ import annotations

import csv
import datetime as dt
import io
import json
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from python_calamine import CalamineError, CalamineSheet, CalamineWorkbook, SheetTypeEnum, SheetVisibleEnum

from kgstore.loading.errors import GraphLoadError
from kgstore.packed import name_unpacked, packed_as

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kgstore.loading.formats.lines import LineReader

LIST = "\x1f"
"""Stands between the values of a cell that holds a list."""
WORKBOOKS = frozenset({".xlsx", ".xlsm", ".xlsb", ".xls", ".ods"})
_DELIMITERS = ",\t;|"
_HEADING = 20
_TEXTS = frozenset({".csv", ".tsv", ".txt", ".tab"})
_ARRAY_BYTES = 1 << 28
"""A JSON array is read as a whole, up to this size."""
_MIDNIGHT = dt.time()

Row: TypeAlias = tuple[int, list[str]]
"""The number of its line, and its cells."""


class Table(Protocol):
    """A table of a file. Its rows may be read several times; the first one has the headers."""

    @property
    def name(self) -> str:
        """What the sheet is called, or the file without its ending."""

    @property
    def is_of_lines(self) -> bool:
        """Whether its file is read line by line."""

    def rows(self) -> Iterator[Row]:
        """The rows that are not blank.

        Raises:
            GraphLoadError: the file is empty or damaged.

        """


def holds_tables(path: Path) -> bool:
    """Whether a file that holds no lines of text is one of tables: a spreadsheet, or an archive of several tables.

    Raises:
        GraphLoadError: the file cannot be read.

    """
    if path.suffix.lower() in WORKBOOKS:
        return True
    try:
        return packed_as(path) == ".zip" and len(_members(path)) > 1
    except (OSError, zipfile.BadZipFile):
        return False


def tables_of(lines: LineReader) -> Sequence[Table]:
    """The tables of a file.

    Raises:
        GraphLoadError: it cannot be read, or holds no table.

    """
    path = lines.path
    if path.suffix.lower() in WORKBOOKS:
        return _sheets(path)
    if holds_tables(path):
        return [_Member(path, name) for name in _members(path)]
    name = Path(name_unpacked(path)).stem
    head = lines.head(1)
    if head and head[0].lstrip()[:1] in {"{", "["}:
        return [_Objects(name, lines, is_array=head[0].lstrip().startswith("["))]
    return [_Separated(name, lines)]


def delimiter_of(head: Sequence[str]) -> str:
    """What stands between the cells of some lines: what gives all of them the most columns."""

    def columns(delimiter: str) -> int:
        widths = [len(cells) for cells in csv.reader(head, delimiter=delimiter)]
        return min(widths, default=0)

    return max(_DELIMITERS, key=columns)


@dataclass(frozen=True, slots=True)
class _Separated:
    """Lines of values with a comma, a tab, a semicolon or a bar between them."""

    name: str
    lines: LineReader
    is_of_lines: bool = True

    def rows(self) -> Iterator[Row]:
        texts = (f"{line}\n" for _, batch in self.lines.batches() for line in batch)
        yield from _separated(texts, delimiter_of(self.lines.head(_HEADING)), self.lines.path)


@dataclass(frozen=True, slots=True)
class _Member:
    """A table in an archive of several."""

    path: Path
    member: str
    is_of_lines: bool = False

    @property
    def name(self) -> str:
        return Path(self.member).stem

    def rows(self) -> Iterator[Row]:
        with zipfile.ZipFile(self.path) as archive:
            with archive.open(self.member) as file:
                head = [line for line, _ in zip(_text(file), range(_HEADING), strict=False) if line.strip()]
            with archive.open(self.member) as file:
                yield from _separated(_text(file), delimiter_of(head), self.path)


@dataclass(frozen=True, slots=True)
class _Sheet:
    """A sheet of a spreadsheet."""

    name: str
    sheet: CalamineSheet
    is_of_lines: bool = False

    def rows(self) -> Iterator[Row]:
        for number, cells in enumerate(self.sheet.iter_rows(), start=1):
            texts = [_cell(cell) for cell in cells]
            if any(texts):
                yield number, texts


@dataclass(frozen=True, slots=True)
class _Objects:
    """JSON objects, one a line or in one array: their keys are the columns."""

    name: str
    lines: LineReader
    is_array: bool
    is_of_lines: bool = True

    def rows(self) -> Iterator[Row]:
        headers: dict[str, None] = {}
        for _, record in self._records():
            headers.update(dict.fromkeys(record))
        yield 1, [*headers]
        for number, record in self._records():
            yield number, [record.get(header, "") for header in headers]

    def _records(self) -> Iterator[tuple[int, dict[str, str]]]:
        if self.is_array:
            yield from enumerate(map(_flat, self._array()), start=1)
            return
        for first, batch in self.lines.batches():
            for number, line in enumerate(batch, start=first):
                if not line.strip():
                    continue
                try:
                    record = json.loads(line, parse_float=str, parse_int=str)
                except ValueError:
                    record = None
                if isinstance(record, dict):
                    yield number, _flat(record)
                else:
                    self.lines.report(number, line, "no JSON object")

    def _array(self) -> list[dict[str, Any]]:
        path = self.lines.path
        if path.stat().st_size > _ARRAY_BYTES:
            raise GraphLoadError(
                f"{path} is one JSON array of more than {_ARRAY_BYTES >> 20} MiB. Save it with one object a line."
            )
        text = "\n".join(line for _, batch in self.lines.batches() for line in batch)
        try:
            found = json.loads(text, parse_float=str, parse_int=str)
        except ValueError as error:
            raise GraphLoadError(f"{path} is no JSON: {error}.") from error
        if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
            raise GraphLoadError(f"{path} is no list of JSON objects.")
        return found


def _separated(texts: Iterator[str], delimiter: str, path: Path) -> Iterator[Row]:
    rows = csv.reader(texts, delimiter=delimiter, skipinitialspace=True)
    try:
        for cells in rows:
            if any(cell.strip() for cell in cells):
                yield rows.line_num, cells
    except csv.Error as error:
        raise GraphLoadError(
            f"{path} cannot be read after line {rows.line_num:,}: {error}. Is a quotation mark missing?"
        ) from error
    except UnicodeDecodeError as error:
        raise GraphLoadError(f"{path} is not UTF-8 after line {rows.line_num:,}. Save its tables as UTF-8.") from error


def _sheets(path: Path) -> Sequence[Table]:
    try:
        workbook = CalamineWorkbook.from_path(path)
        seen = [
            sheet.name
            for sheet in workbook.sheets_metadata
            if sheet.typ is SheetTypeEnum.WorkSheet and sheet.visible is SheetVisibleEnum.Visible
        ]
        sheets = [_Sheet(name, workbook.get_sheet_by_name(name)) for name in seen]
    except (CalamineError, OSError) as error:
        raise GraphLoadError(
            f"{path} cannot be read as a spreadsheet: {error}. Is it protected by a password, or damaged?"
        ) from error
    filled = [sheet for sheet in sheets if sheet.sheet.height > 1]
    if not filled:
        raise GraphLoadError(f"{path} has no sheet with a row of headers and a row below it.")
    return filled


def _members(path: Path) -> list[str]:
    """The tables in a zip archive."""
    with zipfile.ZipFile(path) as archive:
        names = [one.filename for one in archive.infolist() if not one.is_dir()]
    return [name for name in names if Path(name).suffix.lower() in _TEXTS and not name.startswith("__MACOSX/")]


def _text(file: Any) -> io.TextIOWrapper:
    return io.TextIOWrapper(file, encoding="utf-8-sig", newline="")


def _cell(value: object) -> str:
    """A cell of a spreadsheet as text: dates as XML Schema writes them, whole numbers without a fraction."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, dt.datetime):
        return value.date().isoformat() if value.time() == _MIDNIGHT else value.isoformat(sep=" ")
    if isinstance(value, dt.date):
        return value.isoformat()
    return " ".join(str(value).split())


def _flat(record: dict[str, Any], before: str = "") -> dict[str, str]:
    """The values of an object as texts; those of an object within it under both keys, with a dot between them."""
    flat: dict[str, str] = {}
    for key, value in record.items():
        name = f"{before}{key}"
        if isinstance(value, dict):
            flat |= _flat(value, f"{name}.")
        elif isinstance(value, list):
            flat[name] = LIST.join(map(_value, value))
        else:
            flat[name] = _value(value)
    return flat


def _value(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value) if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
