"""The formats that benchmarks can be read from."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from reasoning.datasets import asked as asked_questions
from reasoning.datasets import confirmed, discern
from reasoning.datasets.benchmarks import (
    cwq,
    freebaseqa,
    grailqa,
    lcquad,
    metaqa,
    pathquestion,
    qald,
    rog,
    simplequestions,
    webqsp,
)
from reasoning.datasets.errors import DatasetError
from reasoning.datasets.question import BenchmarkQuestion, Refusal, RefusedQuestion

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from reasoning.datasets.source import Format

FORMATS: dict[str, Format] = {
    module.FORMAT.name: module.FORMAT
    for module in (
        webqsp,
        cwq,
        grailqa,
        metaqa,
        pathquestion,
        simplequestions,
        freebaseqa,
        qald,
        lcquad,
        rog,
        discern,
        asked_questions,
        confirmed,
    )
}
"""By name."""
_ENTRIES_LOOKED_AT = 20


def dataset_format(name: str) -> Format:
    """The format of a name.

    Raises:
        DatasetError: there is none.

    """
    if name not in FORMATS:
        raise DatasetError(f"There is no format named {name!r}. Use one of {', '.join(FORMATS)}.")
    return FORMATS[name]


def read_dataset(
    path: Path,
    format: str,  # noqa: A002 - what it is called everywhere
) -> Iterator[BenchmarkQuestion | RefusedQuestion]:
    """The questions of a file, in its order, and in their places those that cannot be asked, with their reasons.

    Raises:
        DatasetError: there is no such format, or the file cannot be read, or is not of it; in part while it is read.
            So it is where no entry at all is a question: the error then tells the first one's fault.

    """
    return _whole(path, dataset_format(format).read(path))


def recognised(path: Path) -> list[Format]:
    """The formats in which most of a file's first entries are questions."""
    return [known for known in FORMATS.values() if _is_of(path, known)]


def asked(questions: Iterable[BenchmarkQuestion | RefusedQuestion]) -> Iterator[BenchmarkQuestion]:
    """Only the questions that can be asked."""
    return (question for question in questions if isinstance(question, BenchmarkQuestion))


def _is_of(path: Path, known: Format) -> bool:
    try:
        first = list(islice(known.read(path), _ENTRIES_LOOKED_AT))
    except DatasetError:
        return False
    return 2 * sum(isinstance(entry, BenchmarkQuestion) for entry in first) > len(first)


def _whole(
    path: Path, found: Iterable[BenchmarkQuestion | RefusedQuestion]
) -> Iterator[BenchmarkQuestion | RefusedQuestion]:
    known: set[str] = set()
    first: RefusedQuestion | None = None
    for question in found:
        if isinstance(question, RefusedQuestion):
            first = first or question
            yield question
        elif question.id in known:
            yield RefusedQuestion(
                f"question {question.id}", Refusal.KNOWN_ID, f"another question has the id {question.id} too"
            )
        else:
            known.add(question.id)
            yield question
    if first is not None and not known:
        raise DatasetError.at(path, first.place, first.detail)
