"""ComplexWebQuestions (Talmor and Berant, NAACL 2018): the official JSON list, or JSON lines with questions and SPARQL.

The data set circulates with ``answers`` (objects or texts), with ``answer`` (a text or a list), and without either.
Where a question has no answers, they are not known, which is not to have none: the label ``answers: unknown``.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from kgstore.terms import Text
from reasoning.datasets.benchmarks.queries import parse_of
from reasoning.datasets.benchmarks.values import answer_names, read_answer
from reasoning.datasets.benchmarks.webqsp import ASKED_ON
from reasoning.datasets.question import ANSWERS, UNKNOWN, BenchmarkQuestion
from reasoning.datasets.source import Format, first_text, json_entries, object_from, read_questions, text_at

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from kgstore.terms import Term
    from reasoning.datasets.question import RefusedQuestion

_EXPECTED = (
    'expected "ID" or "id", "question", "sparql", and "answers" with "answer_id" and "answer", or "answer", where known'
)


def read_cwq(path: Path) -> Iterator[BenchmarkQuestion | RefusedQuestion]:
    """The questions of a ``ComplexWebQuestions_*.json``, or of JSON lines.

    Raises:
        DatasetError: the file cannot be read.

    """
    return read_questions(json_entries(path), _question, _EXPECTED)


def _question(_place: str, entry: Any) -> Iterator[BenchmarkQuestion]:
    entry = object_from(entry)
    given = _given(entry)
    labels = {"type": text_at(entry, "compositionality_type")} if entry.get("compositionality_type") else {}
    if given is None:
        labels[ANSWERS] = UNKNOWN
    answers = [_answer(answer) for answer in given or ()]
    named = bool(answers) and all(isinstance(answer, Text) for answer in answers)
    parse = parse_of(text_at(entry, "sparql") if entry.get("sparql") else "", None, frozenset(answers))
    yield BenchmarkQuestion(
        first_text(entry, "ID", "id"),
        text_at(entry, "question").strip(),
        (replace(parse, answer_names=answer_names(given or (), "answer", "answer_id")),),
        group=text_at(entry, "webqsp_ID") if entry.get("webqsp_ID") else "",
        labels=labels,
        compared_by="name" if named else "id",
        asked_on=ASKED_ON,
    )


def _given(entry: Mapping[str, Any]) -> Sequence[Any] | None:
    """The answers as they stand in the entry, whatever they are; None where there are none to be known."""
    found = entry.get("answer") if entry.get("answers") is None else entry["answers"]
    if isinstance(found, dict | str):
        return [found]
    if found is not None and not isinstance(found, list):
        raise TypeError('"answers" is no list')
    return found


def _answer(answer: Any) -> Term:
    if isinstance(answer, str):
        return read_answer(answer.strip())
    return read_answer(answer.get("answer_id") or answer["answer"])


FORMAT = Format(
    name="cwq",
    title="ComplexWebQuestions",
    looks='[{"ID": …, "question": …, "sparql": …, "answers": [{"answer_id": …}]}], or one such object a line',
    read=read_cwq,
    has_gold_queries=True,
    reader_version=4,
)
