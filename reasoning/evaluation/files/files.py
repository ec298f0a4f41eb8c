"""An evaluation's folder: outcomes as they come, so that it can be resumed; then the table and the report."""

from __future__ import annotations

import csv
import json
from typing import TYPE_CHECKING, Any

from reasoning.evaluation.files.manifest import resumed
from reasoning.evaluation.files.resuming import complete_lines, differences
from reasoning.evaluation.judging.outcome import Outcome
from reasoning.evaluation.judging.settings import EvaluationSettings
from reasoning.evaluation.predictions.written_predictions import predictions_json
from reasoning.evaluation.reporting.report import csv_rows

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

RUN_FILE = "run.json"
OUTCOMES_FILE = "outcomes.jsonl"
TABLE_FILE = "outcomes.csv"
REPORT_FILE = "report.json"
PREDICTIONS_FILE = "predictions.json"
MANIFEST_FILE = "manifest.json"


class EvaluationFolderError(Exception):
    """A folder cannot take an evaluation's outcomes. The message says why and what to do."""


class EvaluationFolder:
    """``run.json`` says what is evaluated, ``manifest.json`` with what; ``outcomes.jsonl`` grows.

    ``outcomes.csv``, ``predictions.json`` and ``report.json`` end it.
    """

    def __init__(self, folder: Path, run: Mapping[str, Any]) -> None:
        """Open a folder for an evaluation: a new one, or one that was begun with the same ``run``.

        Raises:
            EvaluationFolderError: it holds another evaluation, or cannot be read or written.

        """
        self._folder = folder
        self.outcomes: list[Outcome] = []
        """Those of earlier, and then every one that is added."""
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._check(dict(run))
            self._read()
        except OSError as error:
            raise EvaluationFolderError(f"{folder} cannot be used: {error.strerror or error}.") from error

    def add(self, outcome: Outcome) -> None:
        """Write an outcome down at once."""
        with (self._folder / OUTCOMES_FILE).open("a", encoding="utf-8") as file:
            file.write(json.dumps(outcome.to_json(), ensure_ascii=False) + "\n")
        self.outcomes.append(outcome)

    def write_manifest(self, manifest: Mapping[str, Any]) -> dict[str, Any]:
        """Write the provenance of the evaluation, or what changed when it is resumed; return the complete manifest.

        Another machine or other libraries are no reason to refuse: they are reported.
        """
        path = self._folder / MANIFEST_FILE
        known = json.loads(path.read_text(encoding="utf-8")) if path.exists() else manifest
        manifest_new = resumed(known, {name: manifest[name] for name in ("code", "versions", "machine")})
        _write(path, manifest_new)
        return manifest_new

    def finish(self, report: Mapping[str, Any]) -> None:
        """Write the table, the predictions and the report."""
        with (self._folder / TABLE_FILE).open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows(csv_rows(self.outcomes, topics=report["topics"], graph=report["graph"]))
        with (self._folder / PREDICTIONS_FILE).open("w", encoding="utf-8") as file:
            file.writelines(predictions_json(self.outcomes))
        _write(self._folder / REPORT_FILE, report)

    def _check(self, run: dict[str, Any]) -> None:
        path = self._folder / RUN_FILE
        if not path.exists():
            _write(path, run)
            return
        before = json.loads(path.read_text(encoding="utf-8"))
        if "settings" in before:
            # One that an earlier version began lacks the settings that came since.
            before["settings"] = EvaluationSettings.from_json(before["settings"]).to_json()
        if other := differences(before, run):
            raise EvaluationFolderError(f"{self._folder} holds another evaluation ({other}). Choose another folder.")

    def _read(self) -> None:
        lines = complete_lines(self._folder / OUTCOMES_FILE)
        self.outcomes = [Outcome.from_json(json.loads(line)) for line in lines]


def _write(path: Path, document: Mapping[str, Any]) -> None:
    path.write_text(json.dumps(document, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
