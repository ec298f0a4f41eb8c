"""FreebaseQA (Jiang et al., NAACL 2019): the official JSON file, or the tab-separated files of its early release.

A question has one or more readings, each a topic entity and a chain of one or two relations. The JSON file writes a
chain as ``relation..relation``, the tab-separated one as two columns, the second ``null`` where there is one relation:

``topic name⇥mention⇥topic mid⇥relation⇥second relation⇥answer mid⇥answer⇥question``

There one question has a line for each reading and each wording of an answer.
"""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING, Any

from kgstore.terms import Entity, Relation, read_entity
from reasoning.core.derivation import Derivation, SearchStep
from reasoning.datasets.benchmarks.values import read_answer
from reasoning.datasets.errors import QuestionError
from reasoning.datasets.question import BenchmarkQuestion, GoldParse, Refusal
from reasoning.datasets.source import (
    Format,
    first_text,
    json_entries,
    list_at,
    object_from,
    read_lines,
    read_questions,
    text_at,
    text_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from kgstore.terms import Term
    from reasoning.datasets.question import RefusedQuestion
    from reasoning.datasets.source import Entry

_COLUMNS = 8
_NO_RELATION = {"", "null", "none"}
_EXPECTED_JSON = (
    'expected "Question-ID", "RawQuestion" and "Parses" with "TopicEntityMid", "InferentialChain" and "Answers"'
)
_EXPECTED_TAB = "expected topic name⇥mention⇥topic mid⇥relation⇥second relation or null⇥answer mid⇥answer⇥question"


def read_freebaseqa(path: Path) -> Iterator[BenchmarkQuestion | RefusedQuestion]:
    """The questions of a ``FreebaseQA-*.json``, or of a ``.tab`` file.

    Raises:
        DatasetError: the file cannot be read.

    """
    _, first = next(read_lines(path), (0, b""))
    if first.lstrip().startswith((b"{", b"[")):
        return read_questions(json_entries(path), _from_json, _EXPECTED_JSON)
    return read_questions(_questions_of(path), _from_rows, _EXPECTED_TAB)


def _from_json(_place: str, entry: Any) -> Iterator[BenchmarkQuestion]:
    entry = object_from(entry)
    yield BenchmarkQuestion(
        first_text(entry, "Question-ID", "QuestionId"),
        first_text(entry, "RawQuestion", "ProcessedQuestion").strip(),
        tuple(_parse(parse) for parse in list_at(entry, "Parses")),
    )


def _parse(parse: Mapping[str, Any]) -> GoldParse:
    topic = read_entity(text_at(parse, "TopicEntityMid"))
    answers = (first_text(answer, "AnswersMid", "AnswerMid") for answer in list_at(parse, "Answers"))
    return _reading(topic, text_at(parse, "InferentialChain").split(".."), map(read_answer, answers))


def _questions_of(path: Path) -> Iterator[Entry]:
    """The lines of each question, in the order in which questions first appear."""
    lines: dict[bytes, list[tuple[int, bytes]]] = {}
    for number, line in read_lines(path):
        lines.setdefault(line.rpartition(b"\t")[2].strip(), []).append((number, line))
    for own in lines.values():
        first = own[0][0]
        yield f"line {first}", (f"{path.stem}/{first}", [line for _, line in own])


def _from_rows(_place: str, entry: tuple[str, Sequence[bytes]]) -> Iterator[BenchmarkQuestion]:
    name, lines = entry
    answers: dict[tuple[Entity, tuple[str, ...]], list[Term]] = {}
    text = ""
    for line in lines:
        columns = _columns(line)
        if len(columns) != _COLUMNS:
            raise QuestionError(Refusal.NOT_OF_FORMAT, _EXPECTED_TAB)
        _, _, topic, first, second, answer, _, text = (column.strip() for column in columns)
        chain = (first,) if second.lower() in _NO_RELATION else (first, second)
        answers.setdefault((read_entity(topic), chain), []).append(read_answer(answer))
    readings = (_reading(topic, chain, found) for (topic, chain), found in answers.items())
    yield BenchmarkQuestion(name, text, tuple(readings), group=text)


def _columns(line: bytes) -> list[str]:
    text = text_of(line)
    try:
        return next(csv.reader([text], delimiter="\t"))
    except csv.Error as error:
        raise QuestionError(Refusal.NOT_OF_FORMAT, f"{_EXPECTED_TAB}; {error}") from error


def _reading(topic: Entity, chain: Sequence[str], answers: Iterable[Term]) -> GoldParse:
    relations = [name.strip() for name in chain]
    if not all(relations) or any(character.isspace() for name in relations for character in name):
        raise QuestionError(Refusal.NOT_OF_FORMAT, "a chain with a relation that has no name")
    steps = tuple(SearchStep(place, Relation(name)) for place, name in enumerate(relations))
    return GoldParse(topic, frozenset(answers), Derivation(topic, steps, (), len(steps)))


FORMAT = Format(
    name="freebaseqa",
    title="FreebaseQA",
    looks='{"Questions": [{"Question-ID": …, "RawQuestion": …, "Parses": [{"TopicEntityMid": …}]}]}, or its .tab files',
    read=read_freebaseqa,
    reader_version=2,
)
