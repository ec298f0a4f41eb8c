"""A time of day that can be set while processes run; see `sitecustomize.py` in this folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def set_clock(offset: Path, seconds: int) -> None:
    """Set the clock of the processes that read the file this number of seconds ahead, at once."""
    draft = offset.with_suffix(".draft")
    draft.write_text(f"{seconds:+d}\n", encoding="utf-8")
    draft.replace(offset)
