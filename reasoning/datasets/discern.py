"""Discern's own questions with gold derivations, as bundled with the sample graph: one JSON object a line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reasoning.datasets.errors import DatasetError
from reasoning.datasets.question import BenchmarkQuestion, GoldParse
from reasoning.datasets.sample_questions import SampleQuestion, read_question
from reasoning.datasets.source import Format, read_json_lines

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_EXPECTED = (
    'expected {"id", "phrasings", "topic", "search", "constraints", "answer", "answers"}, '
    'or "unanswerable" instead of the way to the answer'
)


def read_discern(path: Path) -> Iterator[BenchmarkQuestion]:
    """Every phrasing of the questions of a file, or of all ``*.jsonl`` files of a folder.

    Raises:
        DatasetError: a file cannot be read, or a line is not what it should be.

    """
    files = sorted(path.glob("*.jsonl")) if path.is_dir() else [path]
    if not files:
        raise DatasetError(f"{path} holds no .jsonl file.")
    for file in files:
        for number, document in read_json_lines(file):
            try:
                question = read_question(document)
            except (KeyError, TypeError, ValueError) as error:
                raise DatasetError.at(file, f"line {number}", f"{_EXPECTED}; {error!r}") from error
            yield from phrasings(question, file.stem)


def phrasings(question: SampleQuestion, domain: str = "") -> Iterator[BenchmarkQuestion]:
    """A question in each of its phrasings."""
    parse = GoldParse(question.topic, question.answers, question.derivation, question.unanswerable or "")
    for number, text in enumerate(question.phrasings, start=1):
        yield BenchmarkQuestion(
            f"{question.id}/{number}",
            text,
            (parse,),
            group=question.id,
            labels={"domain": domain} if domain else {},
        )


FORMAT = Format(
    name="discern",
    title="Discern's own questions",
    looks='{"id": …, "phrasings": […], "topic": …, "search": […], "constraints": […], "answer": 1, "answers": […]}',
    read=read_discern,
)
