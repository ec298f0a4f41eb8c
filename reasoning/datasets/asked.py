"""Questions that people asked of a site, of which nothing else is known: one JSON object a line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reasoning.datasets.question import ANSWERS, UNKNOWN, BenchmarkQuestion
from reasoning.datasets.source import Format, line_entries, object_of, read_questions, text_at

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from reasoning.datasets.question import RefusedQuestion

_EXPECTED = 'expected {"id", "question"}'


def read_asked(path: Path) -> Iterator[BenchmarkQuestion | RefusedQuestion]:
    """The questions of a file without gold answers.

    Raises:
        DatasetError: it cannot be read.

    """
    yield from read_questions(line_entries(path), _question, _EXPECTED)


def _question(_place: str, line: bytes) -> Iterator[BenchmarkQuestion]:
    entry = object_of(line)
    yield BenchmarkQuestion(text_at(entry, "id"), text_at(entry, "question"), (), labels={ANSWERS: UNKNOWN})


FORMAT = Format(
    name="asked",
    title="Questions of users",
    looks='{"id": …, "question": …}, a line each; nothing is known of the answers',
    read=read_asked,
    of_people=True,
)
