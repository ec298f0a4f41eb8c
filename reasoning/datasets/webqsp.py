"""WebQSP (Yih et al., ACL 2016): the official JSON file, with every parse of a question.

The official script leaves out questions without a parse that is complete and of a good question; they are read with
the label ``scored: no``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from reasoning.datasets.errors import DatasetError
from reasoning.datasets.queries import parse_of
from reasoning.datasets.question import BenchmarkQuestion, GoldParse
from reasoning.datasets.source import Entry, Format, list_at, read_json, read_questions, text_at
from reasoning.datasets.values import read_entity, read_value

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from kgstore.terms import Term
    from reasoning.datasets.question import RefusedQuestion


_EXPECTED = 'expected "QuestionId", "RawQuestion" and "Parses" with "Sparql", "TopicEntityMid" and "Answers"'


def read_webqsp(path: Path) -> Iterator[BenchmarkQuestion | RefusedQuestion]:
    """The questions of a ``WebQSP.train.json`` or ``WebQSP.test.json``, in their raw wording.

    Raises:
        DatasetError: the file cannot be read.

    """
    return read_questions(webqsp_entries(path), _question, _EXPECTED)


def webqsp_entries(path: Path) -> Iterator[Entry]:
    """What stands in the file for each question, whatever it is.

    Raises:
        DatasetError: the file cannot be read, or has no list of questions.

    """
    document = read_json(path)
    questions = document.get("Questions") if isinstance(document, dict) else None
    if not isinstance(questions, list):
        raise DatasetError(f'{path}: expected an object with a list of "Questions", as in the official file.')
    for number, entry in enumerate(questions, start=1):
        named = f" ({str(entry.get('QuestionId'))[:40]})" if isinstance(entry, dict) else ""
        yield f"question {number}{named}", entry


def _question(_place: str, entry: Any) -> Iterator[BenchmarkQuestion]:
    yield BenchmarkQuestion(
        text_at(entry, "QuestionId"),
        text_at(entry, "RawQuestion").strip(),
        tuple(_parse(parse) for parse in list_at(entry, "Parses")),
        labels={} if _is_scored(entry) else {"scored": "no"},
    )


def _is_scored(entry: Mapping[str, Any]) -> bool:
    return any(
        parse["AnnotatorComment"]["QuestionQuality"] == "Good"
        and parse["AnnotatorComment"]["ParseQuality"] == "Complete"
        for parse in entry["Parses"]
    )


def _parse(parse: Mapping[str, Any]) -> GoldParse:
    topic = read_entity(text_at(parse, "TopicEntityMid")) if parse["TopicEntityMid"] else None
    answers = frozenset(_answer(answer) for answer in list_at(parse, "Answers"))
    return parse_of(text_at(parse, "Sparql") if parse["Sparql"] is not None else "", topic, answers)


def _answer(answer: Mapping[str, Any]) -> Term:
    argument = text_at(answer, "AnswerArgument")
    return read_entity(argument) if answer["AnswerType"] == "Entity" else read_value(argument)


FORMAT = Format(
    name="webqsp",
    title="WebQSP",
    looks='{"Questions": [{"QuestionId": …, "RawQuestion": …, "Parses": [{"Sparql": …, "Answers": […]}]}]}',
    read=read_webqsp,
)
