"""WebQSP (Yih et al., ACL 2016): the official JSON file, with every parse of a question.

The official script leaves out questions without a parse that is complete and of a good question; they are read with
the label ``scored: no``. A parse without a comment of its annotators is taken for such a one.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from kgstore.terms import read_entity
from reasoning.datasets.benchmarks.queries import parse_of
from reasoning.datasets.benchmarks.values import answer_names, read_value
from reasoning.datasets.errors import QuestionError
from reasoning.datasets.question import BenchmarkQuestion, GoldParse
from reasoning.datasets.source import (
    Entry,
    Format,
    first_text,
    json_entries,
    list_at,
    object_from,
    read_questions,
    text_at,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from kgstore.terms import Term
    from reasoning.datasets.question import RefusedQuestion

ASKED_ON = "2015-08-10"
"""The day that WebQSP's queries, and those of ComplexWebQuestions that were made of them, take for today."""
_EXPECTED = (
    'expected "QuestionId", "RawQuestion" and "Parses" with "Answers", and "Sparql" and "TopicEntityMid" if known'
)


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
    for place, entry in json_entries(path):
        question = _object(entry)
        named = "" if question is None else f" ({str(question.get('QuestionId'))[:40]})"
        yield f"{place}{named}", entry if question is None else question


def _object(entry: Any) -> dict[str, Any] | None:
    try:
        return object_from(entry)
    except QuestionError:
        return None


def _question(_place: str, entry: Any) -> Iterator[BenchmarkQuestion]:
    entry = object_from(entry)
    yield BenchmarkQuestion(
        text_at(entry, "QuestionId"),
        first_text(entry, "RawQuestion", "ProcessedQuestion").strip(),
        tuple(_parse(parse) for parse in list_at(entry, "Parses")),
        labels={} if _is_scored(entry) else {"scored": "no"},
        asked_on=ASKED_ON,
    )


def _is_scored(entry: Mapping[str, Any]) -> bool:
    return any(
        "AnnotatorComment" not in parse
        or (
            parse["AnnotatorComment"]["QuestionQuality"] == "Good"
            and parse["AnnotatorComment"]["ParseQuality"] == "Complete"
        )
        for parse in entry["Parses"]
    )


def _parse(parse: Mapping[str, Any]) -> GoldParse:
    topic = read_entity(text_at(parse, "TopicEntityMid")) if parse.get("TopicEntityMid") else None
    answers_given = list_at(parse, "Answers")
    read = parse_of(
        text_at(parse, "Sparql") if parse.get("Sparql") else "", topic, frozenset(map(_answer, answers_given))
    )
    return replace(read, answer_names=answer_names(answers_given, "EntityName", "AnswerArgument"))


def _answer(answer: Mapping[str, Any]) -> Term:
    argument = text_at(answer, "AnswerArgument")
    return read_entity(argument) if answer["AnswerType"] == "Entity" else read_value(argument)


FORMAT = Format(
    name="webqsp",
    title="WebQSP",
    looks='{"Questions": [{"QuestionId": …, "RawQuestion": …, "Parses": [{"Sparql": …, "Answers": […]}]}]}',
    read=read_webqsp,
    has_gold_queries=True,
    reader_version=4,
)
