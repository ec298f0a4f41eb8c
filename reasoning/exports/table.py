"""Labels as a table that spreadsheets open."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Any

from reasoning.evaluation.reporting.cells import cell
from reasoning.exports.source import ExportFormat

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reasoning.exports.label import ExportedLabel

_DRAFT = ("rewording", "benchmark", "note", "flagged")
_COLUMNS = (
    *("id", "question_id", "question", "kind", "topic", "topic_name", "answers", "answer_names", "derivation"),
    *("facts", "missing", *_DRAFT, "round", "who", "seconds", "moves", "submitted_at"),
)


def _row(cells: Sequence[Any]) -> str:
    line = io.StringIO()
    csv.writer(line).writerow([cell(each) for each in cells])
    return line.getvalue()


def _entry(label: ExportedLabel) -> str:
    draft = label.about.get("draft", {})
    topic = label.topic if label.derivation is None else label.derivation.topic
    return _row(
        [
            label.id,
            label.question_id,
            label.text,
            label.kind,
            None if topic is None else str(topic),
            None if topic is None else label.name(topic),
            [str(answer) for answer in label.answers],
            [label.name(answer) for answer in label.answers],
            None if label.derivation is None else label.derivation.to_json(),
            [f"{fact.subject} {fact.predicate} {fact.object}" for fact in label.facts],
            label.missing,
            *(draft.get(name) for name in _DRAFT),
            *(label.about.get(name) for name in ("round", "who", "seconds", "moves", "submitted_at")),
        ]
    )


FORMAT = ExportFormat(
    name="csv",
    title="CSV",
    says="One row a label, of every kind, for spreadsheets. A text that a spreadsheet would take for a formula has an "
    "apostrophe before it.",
    cannot_say=(
        "The several readings of a question, reports of facts, and the moves of a label.",
        "Facts of a derivation: only labels that are sets of facts have theirs.",
    ),
    ending="csv",
    media_type="text/csv",
    has_people=True,
    entry=_entry,
    before=_row(_COLUMNS),
)
