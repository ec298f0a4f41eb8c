"""Discern's own questions with gold derivations, as bundled with the sample graph: one JSON object a line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reasoning.datasets.errors import DatasetError
from reasoning.datasets.question import BenchmarkQuestion, GoldParse
from reasoning.datasets.sample_questions import SampleQuestion, read_question
from reasoning.datasets.source import Format, line_entries, object_of, read_questions

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from reasoning.datasets.question import RefusedQuestion

_EXPECTED = (
    'expected {"id", "question" or "phrasings", "topic", "answers"}, with "search", "constraints" and "answer" where '
    'the way to the answer is known, or "unanswerable" instead of answers'
)
_NO_WAY = "no gold path"


def read_discern(path: Path) -> Iterator[BenchmarkQuestion | RefusedQuestion]:
    """Every phrasing of the questions of a file, or of all ``*.jsonl`` files of a folder.

    Raises:
        DatasetError: a file cannot be read.

    """
    files = sorted(path.glob("*.jsonl")) if path.is_dir() else [path]
    if not files:
        raise DatasetError(f"{path} contains no .jsonl file.")
    for file in files:
        named = f"{file.name}, " if path.is_dir() else ""
        entries = ((f"{named}{place}", (file.stem, line)) for place, line in line_entries(file))
        yield from read_questions(entries, _questions, _EXPECTED)


def _questions(_place: str, entry: tuple[str, bytes]) -> Iterator[BenchmarkQuestion]:
    domain, line = entry
    return phrasings(read_question(object_of(line)), domain)


def phrasings(question: SampleQuestion, domain: str = "") -> Iterator[BenchmarkQuestion]:
    """A question in each of its phrasings."""
    problem = question.unanswerable or ("" if question.derivation else _NO_WAY)
    parse = GoldParse(question.topic, question.answers, question.derivation, problem)
    for number, text in enumerate(question.phrasings, start=1):
        yield BenchmarkQuestion(
            f"{question.id}/{number}",
            text,
            (parse,),
            group=question.group or question.id,
            labels={"domain": domain} if domain else {},
        )


def says_unanswerable(question: BenchmarkQuestion) -> bool:
    """Whether a question of this format is one that the file calls unanswerable."""
    return bool(question.parses) and not any(
        parse.answers or parse.derivation or parse.problem == _NO_WAY for parse in question.parses
    )


FORMAT = Format(
    name="discern",
    title="Discern's own questions",
    looks='{"id": …, "question": …, "topic": …, "answers": […]}, one object per line; a derivation is optional',
    read=read_discern,
    reader_version=3,
)
