"""Files of tables that were sent, looked at before they are loaded."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from kgstore.loading.errors import GraphLoadError
from kgstore.loading.formats.tables.columns import suggested
from kgstore.loading.formats.tables.reader import TableReader
from kgstore.loading.formats.tables.rows import LIST
from webapp.accounts.permissions import Action, may_ensure
from webapp.graphs.schemas import TableFactOut, TablePreviewOut, TablesOut
from webapp.platform.http.errors import ProductError
from webapp.uploads.services import upload_whole

if TYPE_CHECKING:
    from webapp.accounts.viewer import Viewer
    from webapp.graphs.schemas import TablesIn

_ROWS_READ = 5_000
"""From this many rows of each table its columns are understood."""
_ROWS_SHOWN = 10
_FACTS_SHOWN = 40
_LONGEST_CELL = 200
_TYPES_AND_NAMES = frozenset({"rdf:type", "type.object.name"})


def tables_preview(*, wanted: TablesIn, viewer: Viewer) -> TablesOut:
    """The first rows of a file of tables, what its columns are taken for, and the first facts that they become.

    Raises:
        ProductError: the viewer may not, the file is not here, or it holds no tables.

    """
    may_ensure(viewer, Action.MANAGE_GRAPHS)
    upload = upload_whole(upload_id=wanted.file, viewer=viewer)
    try:
        reader = TableReader(upload.path)
        seen = reader.looked_at(kept=_ROWS_SHOWN, most=_ROWS_READ)
        mapping = tuple(wanted.mapping) or suggested(seen)
        facts = [fact for fact in reader.first_facts(seen, mapping, _ROWS_SHOWN) if fact[1] not in _TYPES_AND_NAMES]
    except GraphLoadError as error:
        raise ProductError(422, "no_tables", str(error).replace(str(upload.path), upload.name)) from error
    return TablesOut(
        tables=[
            TablePreviewOut(
                table=one.table.name if len(seen) > 1 else "",
                headers=[column.header for column in one.columns],
                rows=[[_shown(cell) for cell in row] for row in one.first],
                looked_at=one.rows,
            )
            for one in seen
        ],
        mapping=list(mapping),
        facts=[
            TableFactOut(subject=_shown(one), relation=relation, object=_shown(other))
            for one, relation, other in islice(facts, _FACTS_SHOWN)
        ],
        reported=[f"row {line.number}: {line.reason}" for line in reader.lines.examples],
    )


def _shown(cell: str) -> str:
    cell = cell.replace(LIST, ", ")
    return cell if len(cell) <= _LONGEST_CELL else f"{cell[:_LONGEST_CELL]} \u2026"
