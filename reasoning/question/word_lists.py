"""The lists of words in the folder ``data``."""

from __future__ import annotations

from pathlib import Path


def word_list(name: str) -> list[str]:
    """The lines of a list, without the notes, which begin with ``# ``."""
    lines = (Path(__file__).parent / "data" / name).read_text(encoding="utf-8").splitlines()
    return [line for line in lines if not line.startswith("# ")]


def word_pairs(name: str) -> dict[str, str]:
    """A list of two columns: what stands before the tab, and what after it."""
    return dict(line.split("\t") for line in word_list(name))


def word_sets(name: str) -> dict[str, frozenset[str]]:
    """The same, with several words after the tab."""
    return {before: frozenset(words.split()) for before, words in word_pairs(name).items()}
