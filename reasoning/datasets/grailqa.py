"""GrailQA (Gu et al., WWW 2021): the official JSON list with SPARQL and answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from reasoning.datasets.errors import DatasetError
from reasoning.datasets.queries import parse_of
from reasoning.datasets.question import BenchmarkQuestion
from reasoning.datasets.source import Format, list_at, read_json, read_questions, text_at
from reasoning.datasets.values import read_entity, read_value

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from kgstore.terms import Term
    from reasoning.datasets.question import RefusedQuestion

_EXPECTED = 'expected "qid", "question", "sparql_query", "topic_entity" and "answer"'


def read_grailqa(path: Path) -> Iterator[BenchmarkQuestion | RefusedQuestion]:
    """The questions of a ``grailqa_v1.0_train.json`` or the like.

    A question about one entity has it as its topic; of several, the query's own is taken.

    Raises:
        DatasetError: the file cannot be read.

    """
    entries = read_json(path)
    if not isinstance(entries, list):
        raise DatasetError(f"{path}: expected a list of questions, as in the official file.")
    places = ((f"question {number}", entry) for number, entry in enumerate(entries, start=1))
    return read_questions(places, _question, _EXPECTED)


def _question(_place: str, entry: Any) -> Iterator[BenchmarkQuestion]:
    if not isinstance(entry["topic_entity"], dict):
        raise TypeError('"topic_entity" is no object')
    topics = list(entry["topic_entity"])
    topic = read_entity(topics[0]) if len(topics) == 1 else None
    answers = frozenset(_answer(answer) for answer in list_at(entry, "answer"))
    number = entry["qid"]
    yield BenchmarkQuestion(
        str(number) if isinstance(number, int) else text_at(entry, "qid"),
        text_at(entry, "question").strip(),
        (parse_of(text_at(entry, "sparql_query"), topic, answers),),
        labels={name: text_at(entry, name) for name in ("level", "function") if entry.get(name)},
    )


def _answer(answer: Mapping[str, Any]) -> Term:
    argument = text_at(answer, "answer_argument")
    return read_entity(argument) if answer["answer_type"] == "Entity" else read_value(argument)


FORMAT = Format(
    name="grailqa",
    title="GrailQA",
    looks='[{"qid": …, "question": …, "sparql_query": …, "topic_entity": {mid: name}, "answer": […]}]',
    read=read_grailqa,
)
