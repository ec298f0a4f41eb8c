"""What can be wrong with a benchmark's file."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


class DatasetError(Exception):
    """A benchmark's file cannot be read. The message names the place and says what was expected."""

    @classmethod
    def at(cls, path: Path, place: str, expected: str) -> DatasetError:
        """The error at a place of a file: ``line 12``, ``question WebQTrn-3``."""
        return cls(f"{path}, {place}: {expected}.")
