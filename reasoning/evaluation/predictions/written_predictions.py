"""Tell what was predicted: as a file that `prediction_files` reads, and as notes on the figures."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from kgstore.names import literal_label
from kgstore.terms import Number, parse_term
from reasoning.core.compared import compared_term
from reasoning.core.derivation import Derivation

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from reasoning.evaluation.judging.outcome import Outcome


def prediction_notes(fields: Iterable[str], *, asked: int, matched: int, f1: float | None) -> list[str]:
    """What a reader of the figures must know about a judged file of predictions, as sentences.

    ``fields`` are those that the predictions were read from, ``asked`` and ``matched`` count questions, and ``f1`` is
    their macro-F1; None if none was judged yet.
    """
    notes = []
    if listed := ", ".join(f"“{field}”" for field in fields):
        notes.append(f"The predictions were read from the field {listed}.")
    if matched < asked:
        notes.append(f"{asked - matched:,} of {asked:,} questions have no prediction. Each counts 0.")
    if f1 == 1:
        notes.append("Every question is right. Check that the file holds predictions, and not the gold answers.")
    if f1 == 0:
        notes.append("No question is right. Check that the file is of this dataset, and that it holds answers.")
    return notes


def predictions_of(outcomes: Iterable[Outcome]) -> Iterator[tuple[str, dict[str, Any]]]:
    """What was predicted for each question, as `prediction_files` reads it: its id, its answers, how many there are.

    Where a run counted its answers and a number is asked for, that number is the answer.
    """
    for outcome in outcomes:
        if _has_number(outcome):
            number = Number(float(outcome.predicted_total))
            yield outcome.id, {"answers": [{"id": str(number), "name": literal_label(number)}], "total": 1}
            continue
        named = zip(outcome.predicted, outcome.predicted_labels, strict=True)
        answers = [{"id": term, "name": label} for term, label in named]
        yield outcome.id, {"answers": answers, "total": outcome.predicted_total}


def predictions_json(outcomes: Iterable[Outcome]) -> Iterator[str]:
    """The same as the parts of one JSON document."""
    before = "{\n"
    for name, value in predictions_of(outcomes):
        yield f"{before}{json.dumps(name, ensure_ascii=False)}: {json.dumps(value, ensure_ascii=False)}"
        before = ",\n"
    yield "{}\n" if before == "{\n" else "\n}\n"


def _has_number(outcome: Outcome) -> bool:
    """Whether the number of answers was compared, and not which they are."""
    counted = isinstance(outcome.derivation, Derivation) and outcome.derivation.counted
    return counted and len(outcome.gold) == 1 and isinstance(compared_term(parse_term(outcome.gold[0])), Number)
