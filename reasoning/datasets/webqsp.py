"""WebQSP (Yih et al., ACL 2016): the official JSON file, with every parse of a question.

The official script leaves out questions without a parse that is complete and of a good question; they are read with
the label ``scored: no``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from reasoning.datasets.errors import DatasetError
from reasoning.datasets.queries import parse_of
from reasoning.datasets.question import BenchmarkQuestion, GoldParse
from reasoning.datasets.source import Format, read_json
from reasoning.datasets.values import read_entity, read_value

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from kgstore.terms import Term


def read_webqsp(path: Path) -> Iterator[BenchmarkQuestion]:
    """The questions of a ``WebQSP.train.json`` or ``WebQSP.test.json``, in their raw wording.

    Raises:
        DatasetError: the file cannot be read, or a question is not what it should be.

    """
    document = read_json(path)
    questions = document.get("Questions") if isinstance(document, dict) else None
    if not isinstance(questions, list):
        raise DatasetError(f'{path}: expected an object with a list of "Questions", as in the official file.')
    for number, entry in enumerate(questions, start=1):
        try:
            yield BenchmarkQuestion(
                entry["QuestionId"],
                entry["RawQuestion"].strip(),
                tuple(_parse(parse) for parse in entry["Parses"]),
                labels={} if _is_scored(entry) else {"scored": "no"},
            )
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            place = (
                f"question {number} ({entry.get('QuestionId')})" if isinstance(entry, dict) else f"question {number}"
            )
            expected = 'expected "QuestionId", "RawQuestion" and "Parses" with "Sparql", "TopicEntityMid" and "Answers"'
            raise DatasetError.at(path, place, f"{expected}; {error!r}") from error


def _is_scored(entry: Mapping[str, Any]) -> bool:
    return any(
        parse["AnnotatorComment"]["QuestionQuality"] == "Good"
        and parse["AnnotatorComment"]["ParseQuality"] == "Complete"
        for parse in entry["Parses"]
    )


def _parse(parse: Mapping[str, Any]) -> GoldParse:
    mid = parse["TopicEntityMid"]
    answers = frozenset(_answer(answer) for answer in parse["Answers"])
    return parse_of(parse["Sparql"] or "", read_entity(mid) if mid else None, answers)


def _answer(answer: Mapping[str, Any]) -> Term:
    argument = answer["AnswerArgument"]
    return read_entity(argument) if answer["AnswerType"] == "Entity" else read_value(argument)


FORMAT = Format(
    name="webqsp",
    title="WebQSP",
    looks='{"Questions": [{"QuestionId": …, "RawQuestion": …, "Parses": [{"Sparql": …, "Answers": […]}]}]}',
    read=read_webqsp,
)
