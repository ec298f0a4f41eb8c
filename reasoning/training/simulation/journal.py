"""A folder of long work: each result as it comes, so that the same command resumes where it stopped broken off."""

from __future__ import annotations

import csv
import json
from typing import TYPE_CHECKING, Any

from reasoning.core.errors import ReasoningError
from reasoning.evaluation.files.resuming import complete_lines, differences

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

RUN_FILE = "run.json"
ROWS_FILE = "rows.jsonl"
REPORT_FILE = "report.json"
TABLE_FILE = "rows.csv"


class JournalError(ReasoningError):
    """A folder cannot take the results; the message says why and what to do."""

    code = "journal"


class Journal:
    """``run.json`` says what is done, ``rows.jsonl`` grows by a line a result; report and table end it.

    Without a folder, results are only held in memory.
    """

    def __init__(self, folder: Path | None, run: Mapping[str, Any]) -> None:
        """Open a new folder, or one that was begun with the same ``run``.

        Raises:
            JournalError: it holds other work, or cannot be read or written.

        """
        self._folder = folder
        self.rows: list[dict[str, Any]] = []
        """Those of earlier, and then every one that is added."""
        if folder is None:
            return
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._check(folder / RUN_FILE, json.loads(json.dumps(run)))
            self.rows = [json.loads(line) for line in complete_lines(folder / ROWS_FILE)]
        except (OSError, UnicodeDecodeError, json.JSONDecodeError) as error:
            raise JournalError(f"{folder} cannot be used: {error}. Choose another folder.") from error

    def add(self, row: dict[str, Any]) -> None:
        """Write a result down at once.

        Raises:
            JournalError: it cannot be written.

        """
        self.rows.append(row)
        if self._folder is not None:
            self._write(ROWS_FILE, json.dumps(row, ensure_ascii=False) + "\n", "a")

    def finish(self, report: Mapping[str, Any], columns: Iterable[str] = ()) -> None:
        """Write the report, and where columns are named, the rows as a table.

        Raises:
            JournalError: they cannot be written.

        """
        if self._folder is None:
            return
        self._write(REPORT_FILE, json.dumps(report, indent=2, ensure_ascii=False) + "\n")
        if names := list(columns):
            try:
                with (self._folder / TABLE_FILE).open("w", encoding="utf-8", newline="") as file:
                    table = csv.DictWriter(file, names, extrasaction="ignore")
                    table.writeheader()
                    table.writerows(self.rows)
            except OSError as error:
                raise self._unwritable(TABLE_FILE, error) from error

    def write(self, name: str, lines: Iterable[str]) -> None:
        """Write another file next to them.

        Raises:
            JournalError: it cannot be written.

        """
        if self._folder is not None:
            self._write(name, "".join(lines))

    def _write(self, name: str, text: str, mode: str = "w") -> None:
        folder = self._folder
        if folder is not None:
            try:
                with (folder / name).open(mode, encoding="utf-8") as file:
                    file.write(text)
            except OSError as error:
                raise self._unwritable(name, error) from error

    def _unwritable(self, name: str, error: OSError) -> JournalError:
        return JournalError(f"{name} in {self._folder} cannot be written: {error.strerror or error}.")

    def _check(self, path: Path, run: dict[str, Any]) -> None:
        if not path.exists():
            path.write_text(json.dumps(run, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
            return
        before = json.loads(path.read_text(encoding="utf-8"))
        if other := differences(before, run):
            raise JournalError(f"{self._folder} holds other work ({other}). Choose another folder.")
