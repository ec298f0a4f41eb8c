"""The formats that graphs can be loaded from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kgstore.loading import freebase_rdf, metaqa, pathquestion, rog, tsv
from kgstore.loading.errors import GraphLoadError
from kgstore.loading.lines import LineReader

if TYPE_CHECKING:
    from pathlib import Path

    from kgstore.loading.source import Format

FORMATS: dict[str, Format] = {
    known.name: known for known in (tsv.FORMAT, freebase_rdf.FORMAT, metaqa.FORMAT, pathquestion.FORMAT, rog.FORMAT)
}
"""By name."""

_LINES_LOOKED_AT = 20


def format_of(path: Path) -> Format:
    """The one format that the first lines of a file can be of.

    Raises:
        GraphLoadError: the file cannot be read, or it is empty, or it could be of none or of several.

    """
    head = [line for line in LineReader(path).head(_LINES_LOOKED_AT) if line.strip() and not line.startswith("# ")]
    if not head:
        raise GraphLoadError(f"{path} is empty.")
    able = [known for known in FORMATS.values() if known.recognises(head)]
    if len(able) != 1:
        formats = "; ".join(f"{known.name} ({known.looks})" for known in FORMATS.values())
        raise GraphLoadError(
            f"The format of {path} cannot be told by its first lines. Name it with --format: {formats}."
        )
    return able[0]
