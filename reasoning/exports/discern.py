"""Labels as lines of Discern's own dataset format.

A label that is a derivation is a question with its way to the answers, and is read again as one. Answers, sets of facts
and what cannot be answered are questions without a way. Other kinds say that the question is not right as it is: they
are no questions to that format, and their lines are passed over when it is read. Everything that a label says stands
under one key, ``label``. Labels of a qualification round are marked there, and say nothing in terms of the format.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from reasoning.exports.source import ExportFormat

if TYPE_CHECKING:
    from reasoning.exports.label import ExportedLabel


def _entry(label: ExportedLabel) -> str:
    document = {
        "id": label.id,
        "group": label.group or label.question_id,
        "question": label.text,
        **({} if label.of_round else _said(label)),
        "label": dict(label.about),
    }
    return json.dumps(document, ensure_ascii=False) + "\n"


def _said(label: ExportedLabel) -> dict[str, Any]:
    """What the label says in terms of the dataset format; nothing for kinds that it has no words for."""
    answers = [str(answer) for answer in label.answers]
    topic = None if label.topic is None else str(label.topic)
    if label.kind == "derivation" and label.derivation is not None:
        return label.derivation.to_json() | {"answers": answers}
    if label.kind in ("answers", "facts"):
        return {"topic": topic, "answers": answers}
    if label.kind == "unanswerable" and label.missing:
        return {"topic": topic, "unanswerable": f"{label.missing} missing"}
    return {}


FORMAT = ExportFormat(
    name="discern",
    title="Discern JSON lines",
    says="Everything that labels say, a line each. Discern reads the file again as a dataset.",
    cannot_say=(),
    ending="jsonl",
    media_type="application/jsonl",
    entry=_entry,
    reads_graph=False,
    has_people=True,
    has_moves=True,
    has_agreement=True,
)
