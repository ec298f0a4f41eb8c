"""ComplexWebQuestions (Talmor and Berant, NAACL 2018): the official JSON list, or JSON lines with questions and SPARQL.

Where a question has no list of answers, they are not known, which is not to have none: the label ``answers: unknown``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from reasoning.datasets.errors import DatasetError
from reasoning.datasets.queries import parse_of
from reasoning.datasets.question import BenchmarkQuestion
from reasoning.datasets.source import Format, read_json, read_json_lines, read_lines
from reasoning.datasets.values import read_answer

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from kgstore.terms import Term

_EXPECTED = 'expected "ID" or "id", "question", "sparql", and "answers" with "answer_id" and "answer" where known'


def read_cwq(path: Path) -> Iterator[BenchmarkQuestion]:
    """The questions of a ``ComplexWebQuestions_*.json``, or of JSON lines.

    Raises:
        DatasetError: the file cannot be read, or a question is not what it should be.

    """
    for place, entry in _entries(path):
        try:
            yield _question(entry)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise DatasetError.at(path, place, f"{_EXPECTED}; {error!r}") from error


def _entries(path: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    _, first = next(read_lines(path), (0, ""))
    if first.lstrip().startswith("["):
        for number, entry in enumerate(read_json(path), start=1):
            yield f"question {number}", entry
    else:
        for number, entry in read_json_lines(path):
            yield f"line {number}", entry


def _question(entry: Mapping[str, Any]) -> BenchmarkQuestion:
    given = entry.get("answers")
    labels = {"type": entry["compositionality_type"]} if entry.get("compositionality_type") else {}
    if given is None:
        labels["answers"] = "unknown"
    answers = frozenset(_answer(answer) for answer in given or ())
    return BenchmarkQuestion(
        entry["ID"] if "ID" in entry else entry["id"],
        entry["question"].strip(),
        (parse_of(entry["sparql"], None, answers),),
        group=entry.get("webqsp_ID") or "",
        labels=labels,
    )


def _answer(answer: Mapping[str, Any]) -> Term:
    return read_answer(answer["answer_id"] or answer["answer"])


FORMAT = Format(
    name="cwq",
    title="ComplexWebQuestions",
    looks='[{"ID": …, "question": …, "sparql": …, "answers": [{"answer_id": …}]}], or one such object a line',
    read=read_cwq,
)
