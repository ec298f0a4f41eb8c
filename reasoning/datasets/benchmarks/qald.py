"""QALD-9 and QALD-10 (Usbeck et al.), and QALD-9-plus: questions in several languages with SPARQL and its results.

The wording in English is asked. Answers are the results of the query, which are what the graph said then; where a file
has none, as that of a challenge's test, they are not known: the label ``answers: unknown``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kgstore.freebase_ids import plain_id
from kgstore.terms import Entity, Term, Text, literal_of
from reasoning.datasets.benchmarks.queries import parse_of
from reasoning.datasets.benchmarks.values import YES_OR_NO
from reasoning.datasets.errors import QuestionError
from reasoning.datasets.question import ANSWERS, UNKNOWN, BenchmarkQuestion, Refusal
from reasoning.datasets.source import (
    Format,
    json_entries,
    list_at,
    object_from,
    objects_in,
    read_questions,
    text_at,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from reasoning.datasets.question import RefusedQuestion

_EXPECTED = 'expected "id", "question" with "language" and "string", "query" with "sparql", and "answers" where known'
_LABELS = ("answertype", "aggregation", "onlydbo", "hybrid")


def read_qald(path: Path) -> Iterator[BenchmarkQuestion | RefusedQuestion]:
    """The questions of a ``qald-9-train-multilingual.json`` or the like.

    Raises:
        DatasetError: the file cannot be read.

    """
    return read_questions(json_entries(path, within="questions"), _question, _EXPECTED)


def _question(_place: str, entry: Any) -> Iterator[BenchmarkQuestion]:
    entry = object_from(entry)
    number = entry["id"]
    labels = {name: str(entry[name]).lower() for name in _LABELS if entry.get(name) not in (None, "")}
    results = objects_in(entry, "answers")
    if not results:
        labels[ANSWERS] = UNKNOWN
    answers = frozenset(term for result in results for term in _answers(result))
    query = entry.get("query") or {}
    sparql = text_at(query, "sparql") if query.get("sparql") else ""
    yield BenchmarkQuestion(
        str(number) if isinstance(number, int) else text_at(entry, "id"),
        _in_english(entry),
        (parse_of(sparql, None, answers),),
        labels=labels,
    )


def _in_english(entry: Mapping[str, Any]) -> str:
    wordings = {text_at(one, "language").lower(): one.get("string") for one in list_at(entry, "question")}
    text = next((wordings[language] for language in ("en", "en-us", "en-gb") if wordings.get(language)), None)
    if not isinstance(text, str):
        raise QuestionError(Refusal.UNREADABLE, "it has no wording in English")
    return text.strip()


def _answers(result: Mapping[str, Any]) -> Iterator[Term]:
    """The terms of a result of SPARQL, as JSON writes it; of several variables the first one's."""
    if isinstance(result.get("boolean"), bool):
        yield YES_OR_NO[result["boolean"]]
        return
    variables = result.get("head", {}).get("vars") or []
    for binding in objects_in(result.get("results"), "bindings"):
        for value in [binding[name] for name in variables if name in binding][:1] or [*binding.values()][:1]:
            yield _term(value)


def _term(value: Mapping[str, Any]) -> Term:
    text = text_at(value, "value")
    if value["type"] == "uri":
        return Entity(plain_id(text))
    if value.get("xml:lang"):
        return Text(text, text_at(value, "xml:lang").lower())
    return literal_of(text, datatype=value.get("datatype") or "")


FORMAT = Format(
    name="qald",
    title="QALD-9, QALD-10",
    looks='{"questions": [{"id": …, "question": [{"language": "en", "string": …}], "query": …, "answers": …}]}',
    read=read_qald,
    has_gold_queries=True,
)
