"""What the columns of a table mean: proposed from its cells, changed by people, kept in a file for the next table.

A mapping is written as JSON, one entry for each table: a file of separated values holds one, a spreadsheet one for each
sheet.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from kgstore.loading.errors import GraphLoadError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

MAX_NAME_LENGTH = 1_000
"""Maximum of characters of a header, a relation or a kind."""
MAX_SEPARATOR_LENGTH = 10
MAX_COLUMNS = 2_000
MAX_TABLES = 200
ColumnUse: TypeAlias = Literal["numbers", "dates", "text", "other things", "left out"]


class ColumnMapping(BaseModel):
    """What the cells of a column become."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    header: str = Field(max_length=MAX_NAME_LENGTH)
    use: ColumnUse
    relation: str = Field(max_length=MAX_NAME_LENGTH)
    """What the facts of the column are called."""
    separator: str = Field(default="", max_length=MAX_SEPARATOR_LENGTH)
    """What stands between several things in a cell; empty where each cell holds one."""
    refers_to: str = Field(default="", max_length=MAX_NAME_LENGTH)
    """The kind whose ids the cells hold; empty where they hold names."""


class TableMapping(BaseModel):
    """What the rows and columns of a table become."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    table: str = Field(default="", max_length=MAX_NAME_LENGTH)
    """The name of the sheet, or of the file within an archive; empty for a file of one table."""
    kind: str = Field(min_length=1, max_length=MAX_NAME_LENGTH)
    """What each row is: *book*."""
    key: str = Field(max_length=MAX_NAME_LENGTH)
    """The header of the column that tells the rows apart."""
    name: str = Field(max_length=MAX_NAME_LENGTH)
    """The header of the column that names them. Where it is another one than the key, the key holds ids."""
    columns: tuple[ColumnMapping, ...] = Field(max_length=MAX_COLUMNS)
    """The other columns."""

    @property
    def has_ids(self) -> bool:
        """Whether the key holds ids and not names."""
        return self.key != self.name


Mapping: TypeAlias = tuple[TableMapping, ...]
_MAPPINGS: TypeAdapter[Mapping] = TypeAdapter(Mapping)


def read_mapping(path: Path) -> Mapping:
    """A mapping that was kept in a file.

    Raises:
        GraphLoadError: there is no such file, or it holds no mapping.

    """
    try:
        return _MAPPINGS.validate_json(path.read_bytes())
    except OSError as error:
        raise GraphLoadError(f"{path} cannot be read: {error.strerror or error}.") from error
    except ValidationError as error:
        raise GraphLoadError(f"{path} is no mapping of a table: {faults_of(error)}") from error


def mapping_of(document: object) -> Mapping:
    """A mapping from plain values.

    Raises:
        ValidationError: they are none.

    """
    return _MAPPINGS.validate_python(document)


def written_mapping(mapping: Mapping) -> str:
    """A mapping as a file that people can change."""
    return _MAPPINGS.dump_json(mapping, indent=2).decode() + "\n"


def faults_of(error: ValidationError) -> str:
    """What is wrong with a mapping, and where."""
    faults = error.errors(include_url=False)
    return "; ".join(f"{'.'.join(map(str, one['loc'])) or 'the file'}: {one['msg']}" for one in faults[:3])


def mapping_for(table: str, header: Sequence[str], mapping: Mapping) -> TableMapping:
    """Of a mapping what is said of a table.

    Raises:
        GraphLoadError: nothing is, or it names a column that the table has not.

    """
    found = mapping[0] if len(mapping) == 1 else next((one for one in mapping if one.table == table), None)
    if found is None:
        raise GraphLoadError(f"The mapping has no entry for the table “{table}”. Add one, or write a new mapping.")
    wanted = {found.key, found.name, *(column.header for column in found.columns)}
    if missing := sorted(wanted - set(header)):
        raise GraphLoadError(
            f"The table “{table}” has no column “{missing[0]}”, which the mapping names. "
            f"Its columns: {', '.join(header)}."
        )
    return found
