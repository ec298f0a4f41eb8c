"""The cells of tables that spreadsheets open.

A spreadsheet would take a text that begins like a formula for one: it gets an apostrophe before it, as OWASP says.
"""

from __future__ import annotations

import json
import re
from typing import Any

_FORMULA_BEGINS = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""What begins a formula in a spreadsheet; the last four are ``=+-@`` in full width."""
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.IGNORECASE | re.ASCII)


def cell(value: Any) -> str:
    """A value as a cell: lists have their parts separated by bars, structures are JSON, nothing is empty."""
    match value:
        case None:
            return ""
        case bool():
            return str(value).lower()
        case list():
            return harmless(" | ".join(value))
        case dict():
            return json.dumps(value, ensure_ascii=False)
        case str():
            return harmless(value)
        case _:
            return str(value)


def harmless(text: str) -> str:
    """A text for a cell of a CSV file: with an apostrophe before it where a spreadsheet would take it for a formula."""
    return f"'{text}" if text.startswith(_FORMULA_BEGINS) and not _NUMBER.fullmatch(text) else text
