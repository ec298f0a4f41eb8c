"""The lists of words that lie beside this module."""

from __future__ import annotations

from pathlib import Path


def word_list(name: str) -> list[str]:
    """The lines of a list, without the notes, which begin with ``# ``."""
    lines = Path(__file__).with_name(name).read_text(encoding="utf-8").splitlines()
    return [line for line in lines if not line.startswith("# ")]
