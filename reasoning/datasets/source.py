"""The one interface of benchmark readers, and how a format is described.

A new format is one file with its reader and its `Format`, and one entry in `reasoning.datasets.registry`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from reasoning.datasets.errors import DatasetError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from reasoning.datasets.question import BenchmarkQuestion


@dataclass(frozen=True, slots=True)
class Format:
    """A format of benchmark files."""

    name: str
    """What it is called in commands: ``metaqa``."""
    title: str
    """What people call it."""
    looks: str
    """What a file of it looks like."""
    read: Callable[[Path], Iterator[BenchmarkQuestion]]
    """The questions in the file's order. Raises `DatasetError`."""
    own_graphs: bool = False
    """Whether every question comes with its own graph, as a row of the file that graphs are loaded from too."""


def read_lines(path: Path) -> Iterator[tuple[int, str]]:
    """The lines that are not blank, without their ends, each with its number from 1.

    Raises:
        DatasetError: the file cannot be read, or it is not UTF-8.

    """
    try:
        with path.open(encoding="utf-8", newline="\n") as file:
            for number, line in enumerate(file, start=1):
                if line.strip():
                    yield number, line.rstrip("\r\n")
    except OSError as error:
        raise DatasetError(f"{path} cannot be read: {error.strerror or error}.") from error
    except UnicodeDecodeError as error:
        raise DatasetError(f"{path} is not a text in UTF-8.") from error


def read_json_lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The JSON object of each line, with the line's number.

    Raises:
        DatasetError: the file cannot be read, or a line is no JSON object.

    """
    for number, line in read_lines(path):
        try:
            document = json.loads(line)
        except json.JSONDecodeError as error:
            raise DatasetError.at(path, f"line {number}", f"expected a JSON object: {error.msg}") from error
        if not isinstance(document, dict):
            raise DatasetError.at(path, f"line {number}", "expected a JSON object")
        yield number, document


def read_json(path: Path) -> Any:
    """The one JSON document of a file.

    Raises:
        DatasetError: the file cannot be read, or is not JSON.

    """
    try:
        return json.loads(path.read_bytes())
    except OSError as error:
        raise DatasetError(f"{path} cannot be read: {error.strerror or error}.") from error
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        place = f"line {error.lineno}" if isinstance(error, json.JSONDecodeError) else "the start"
        raise DatasetError.at(path, place, f"expected JSON: {error}") from error
