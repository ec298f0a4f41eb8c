"""The lists of words in the folder ``data``."""

from __future__ import annotations

from pathlib import Path


def word_list(name: str) -> list[str]:
    """The lines of a list, without the notes, which begin with ``# ``."""
    lines = (Path(__file__).parent / "data" / name).read_text(encoding="utf-8").splitlines()
    return [line for line in lines if not line.startswith("# ")]
