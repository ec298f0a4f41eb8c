"""Errors of a benchmark's file, and of one question in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from reasoning.datasets.question import Refusal


class DatasetError(Exception):
    """A benchmark's file cannot be read. The message names the place and says what was expected."""

    @classmethod
    def at(cls, path: Path, place: str, expected: str) -> DatasetError:
        """The error at a place of a file: ``line 12``, ``question WebQTrn-3``."""
        return cls(f"{path}, {place}: {expected}.")


class QuestionError(ValueError):
    """One entry of a file is no question that can be asked; the message says what is wrong with it."""

    def __init__(self, reason: Refusal, detail: str) -> None:
        super().__init__(detail)
        self.reason = reason
