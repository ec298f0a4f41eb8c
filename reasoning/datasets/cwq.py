"""ComplexWebQuestions (Talmor and Berant, NAACL 2018): the official JSON list, or JSON lines with questions and SPARQL.

Where a question has no list of answers, they are not known, which is not to have none: the label ``answers: unknown``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from reasoning.datasets.queries import parse_of
from reasoning.datasets.question import BenchmarkQuestion
from reasoning.datasets.source import (
    Entry,
    Format,
    line_entries,
    list_at,
    object_of,
    read_json,
    read_lines,
    read_questions,
    text_at,
)
from reasoning.datasets.values import read_answer

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from kgstore.terms import Term
    from reasoning.datasets.question import RefusedQuestion

_EXPECTED = 'expected "ID" or "id", "question", "sparql", and "answers" with "answer_id" and "answer" where known'


def read_cwq(path: Path) -> Iterator[BenchmarkQuestion | RefusedQuestion]:
    """The questions of a ``ComplexWebQuestions_*.json``, or of JSON lines.

    Raises:
        DatasetError: the file cannot be read.

    """
    return read_questions(_entries(path), _question, _EXPECTED)


def _entries(path: Path) -> Iterator[Entry]:
    _, first = next(read_lines(path), (0, b""))
    if first.lstrip().startswith(b"["):
        for number, entry in enumerate(read_json(path), start=1):
            yield f"question {number}", entry
    else:
        yield from line_entries(path)


def _question(_place: str, entry: Any) -> Iterator[BenchmarkQuestion]:
    entry = object_of(entry) if isinstance(entry, bytes) else entry
    given = None if entry.get("answers") is None else list_at(entry, "answers")
    labels = {"type": text_at(entry, "compositionality_type")} if entry.get("compositionality_type") else {}
    if given is None:
        labels["answers"] = "unknown"
    answers = frozenset(_answer(answer) for answer in given or ())
    yield BenchmarkQuestion(
        text_at(entry, "ID" if "ID" in entry else "id"),
        text_at(entry, "question").strip(),
        (parse_of(text_at(entry, "sparql"), None, answers),),
        group=text_at(entry, "webqsp_ID") if entry.get("webqsp_ID") else "",
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
