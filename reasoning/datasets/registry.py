"""The formats that benchmarks can be read from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reasoning.datasets import cwq, discern, grailqa, metaqa, pathquestion, rog, webqsp
from reasoning.datasets.errors import DatasetError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from reasoning.datasets.question import BenchmarkQuestion
    from reasoning.datasets.source import Format

FORMATS: dict[str, Format] = {
    module.FORMAT.name: module.FORMAT for module in (webqsp, cwq, grailqa, metaqa, pathquestion, rog, discern)
}
"""By name."""


def dataset_format(name: str) -> Format:
    """The format of a name.

    Raises:
        DatasetError: there is none.

    """
    if name not in FORMATS:
        raise DatasetError(f"There is no format named {name!r}. Use one of {', '.join(FORMATS)}.")
    return FORMATS[name]


def read_dataset(path: Path, format: str) -> Iterator[BenchmarkQuestion]:  # noqa: A002 - what it is called everywhere
    """The questions of a file, in its order.

    Raises:
        DatasetError: there is no such format, or the file cannot be read, or is not of it; in part while it is read.

    """
    return dataset_format(format).read(path)
