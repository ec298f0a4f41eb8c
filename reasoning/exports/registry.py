"""The formats that labels can be exported in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reasoning.exports import cypher, discern, grailqa, rog, sparql, table, webqsp

if TYPE_CHECKING:
    from reasoning.exports.source import ExportFormat

EXPORT_FORMATS: dict[str, ExportFormat] = {
    module.FORMAT.name: module.FORMAT for module in (discern, webqsp, grailqa, rog, sparql, cypher, table)
}
"""By name."""
