"""Questions that people asked of a site, with the ways to answers that people called right: one JSON object a line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reasoning.datasets.question import BenchmarkQuestion, GoldParse
from reasoning.datasets.sample_questions import read_question
from reasoning.datasets.source import Format, line_entries, object_of, read_questions, text_at

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from reasoning.datasets.question import RefusedQuestion

_EXPECTED = 'expected {"id", "question", "confirmed": true, "topic", "search", "constraints", "answer", "answers"}'


def read_confirmed(path: Path) -> Iterator[BenchmarkQuestion | RefusedQuestion]:
    """The questions of a file, each with the one way that was confirmed.

    Raises:
        DatasetError: it cannot be read.

    """
    yield from read_questions(line_entries(path), _question, _EXPECTED)


def _question(_place: str, line: bytes) -> Iterator[BenchmarkQuestion]:
    entry = object_of(line)
    text = text_at(entry, "question")
    found = read_question(entry)
    if entry["confirmed"] is not True or found.derivation is None or not found.answers:
        raise ValueError("no way to an answer was confirmed")
    parse = GoldParse(found.derivation.topic, found.answers, found.derivation)
    yield BenchmarkQuestion(text_at(entry, "id"), text, (parse,))


FORMAT = Format(
    name="confirmed",
    title="Questions of users, with confirmed answers",
    looks='{"id": …, "question": …, "confirmed": true, "topic": …, "search": …, "answers": …}, a line each',
    read=read_confirmed,
    of_people=True,
)
