"""The one interface of benchmark readers, and how a format is described.

A new format is one file with its reader and its `Format`, and one entry in `reasoning.datasets.registry`. A reader that
comes to read a file otherwise than before raises its `Format.reader_version`.
"""

from __future__ import annotations

import codecs
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from kgstore.characters import character_fault
from kgstore.packed import DAMAGED, ArchiveError, unpacked
from reasoning.core.boundary import UnforeseenError, one_question
from reasoning.datasets.errors import DatasetError, QuestionError
from reasoning.datasets.question import Refusal, RefusedQuestion
from reasoning.question.linking import question_fault

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from reasoning.datasets.question import BenchmarkQuestion

MAX_ID_LENGTH = 200
MAX_DOCUMENT_BYTES = 1 << 31
"""Of a file that is one JSON document, unpacked: it is held in memory as a whole."""
MAX_STEPS = 40
"""Maximum of steps of a gold path. The benchmarks' longest has nine."""
_MAX_SHOWN_LENGTH = 300


@dataclass(frozen=True, slots=True)
class SecondFile:
    """A second file that some formats have, with more about the questions."""

    title: str
    """What people call it."""
    looks: str
    """What a line of it looks like."""
    ending: str
    """How its name ends."""
    name_for: Callable[[str], str]
    """Its name, for the name of the file of questions."""

    def of(self, questions: Path) -> Path | None:
        """The one of a file of questions: in the same folder, or else a folder above; None where there is none."""
        name = self.name_for(questions.name)
        return next((file for folder in list(questions.parents)[:2] if (file := folder / name).is_file()), None)


@dataclass(frozen=True, slots=True)
class Format:
    """A format of benchmark files."""

    name: str
    """What it is called in commands: ``metaqa``."""
    title: str
    """What people call it."""
    looks: str
    """What a file of it looks like."""
    read: Callable[[Path], Iterator[BenchmarkQuestion | RefusedQuestion]]
    """The questions in the file's order. Raises `DatasetError` where the file itself is wrong."""
    own_graphs: bool = False
    """Whether every question comes with its own graph, as a row of the file that graphs are loaded from too."""
    second: SecondFile | None = None
    """The second file next to the questions, if there is one."""
    of_people: bool = False
    """Whether the questions are what people of a site asked, which not everybody may read."""
    has_gold_queries: bool = False
    """Whether gold derivations are read from queries, some of which may not be readable."""
    reader_version: int = 1
    """Rises whenever some file is read otherwise than before, so that a snapshot says which reading it holds."""


Entry: TypeAlias = tuple[str, Any]
"""Where something stands in a file, in words for people, and what stands there."""


def read_questions(
    entries: Iterable[Entry], read: Callable[[str, Any], Iterable[BenchmarkQuestion]], expected: str
) -> Iterator[BenchmarkQuestion | RefusedQuestion]:
    """The questions of a file's entries, those that cannot be asked with their reasons: none of them ends the rest.

    ``read`` is given an entry's place and the entry, and may raise `QuestionError`, or whatever comes of an entry that
    is not what was ``expected``.

    Raises:
        DatasetError: the entries cannot be read.

    """
    for place, entry in entries:
        try:
            with one_question(place, QuestionError):
                questions = _read(read, place, entry, expected)
        except QuestionError as error:
            yield RefusedQuestion(place, error.reason, str(error))
        except UnforeseenError as error:
            yield RefusedQuestion(place, str(error), "Reading it broke; see the log.")
        else:
            yield from questions


def _read(
    read: Callable[[str, Any], Iterable[BenchmarkQuestion]], place: str, entry: Any, expected: str
) -> Sequence[BenchmarkQuestion]:
    try:
        questions = list(read(place, entry))
    except QuestionError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        raise QuestionError(Refusal.NOT_OF_FORMAT, f"{expected}; {_shown(error)}") from error
    for question in questions:
        check(question)
    return questions


def check(question: BenchmarkQuestion) -> None:
    """See that a question can be asked, kept and shown.

    Raises:
        QuestionError: it cannot.

    """
    if not isinstance(question.id, str) or not question.id.strip() or len(question.id) > MAX_ID_LENGTH:
        raise QuestionError(Refusal.NOT_OF_FORMAT, f"expected an id of 1 to {MAX_ID_LENGTH} characters")
    if not isinstance(question.text, str) or not question.text.strip():
        raise QuestionError(Refusal.UNREADABLE, "there is no text in the question")
    document = question.to_json()
    if fault := next((fault for text in _texts(document) if (fault := character_fault(text))), ""):
        raise QuestionError(Refusal.NOT_TEXT, f"it {fault}")
    if fault := question_fault(question.text):
        raise QuestionError(Refusal.UNREADABLE, fault)
    if any(parse.derivation is not None and len(parse.derivation.steps) > MAX_STEPS for parse in question.parses):
        raise QuestionError(Refusal.NOT_OF_FORMAT, f"a gold path of more than {MAX_STEPS} steps")
    try:
        same = type(question).from_json(document) == question
    except (KeyError, TypeError, ValueError) as error:
        raise QuestionError(Refusal.NOT_OF_FORMAT, f"a term that cannot be written: {_shown(error)}") from error
    if not same:
        raise QuestionError(Refusal.NOT_OF_FORMAT, "a term that is another once it was written")


def _texts(document: Any) -> Iterator[str]:
    """Every text within a document."""
    match document:
        case str():
            yield document
        case dict():
            for key, value in document.items():
                yield from _texts(key)
                yield from _texts(value)
        case list() | tuple():
            for value in document:
                yield from _texts(value)


def _shown(error: Exception) -> str:
    return repr(error)[:_MAX_SHOWN_LENGTH]


def read_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """The lines that are not blank, without their ends, each with its number from 1.

    Raises:
        DatasetError: the file cannot be read.

    """
    try:
        with unpacked(path) as (_, file):
            for number, line in enumerate(file, start=1):
                if number == 1:
                    _refuse_utf16(path, line)
                    line = line.removeprefix(codecs.BOM_UTF8)  # noqa: PLW2901
                if line.strip():
                    yield number, line.rstrip(b"\r\n")
    except (ArchiveError, *DAMAGED, OSError) as error:
        raise _unreadable(path, error) from error


def line_entries(path: Path) -> Iterator[Entry]:
    """Each line as an entry.

    Raises:
        DatasetError: as `read_lines`.

    """
    return ((f"line {number}", line) for number, line in read_lines(path))


def text_of(line: bytes) -> str:
    """A line as text.

    Raises:
        QuestionError: it is not UTF-8.

    """
    try:
        return line.decode()
    except UnicodeDecodeError as error:
        detail = f"expected UTF-8: {error.reason} at byte {error.start + 1} of the line"
        raise QuestionError(Refusal.NOT_UTF8, detail) from error


def object_of(line: bytes) -> dict[str, Any]:
    """A line as the JSON object that it is.

    Raises:
        QuestionError: it is none.

    """
    try:
        document = json.loads(text_of(line))
    except QuestionError:
        raise
    except json.JSONDecodeError as error:
        raise QuestionError(Refusal.NOT_JSON, f"expected a JSON object: {error.msg}") from error
    except (ValueError, RecursionError) as error:
        raise QuestionError(Refusal.NOT_JSON, f"expected a JSON object: {_shown(error)}") from error
    if not isinstance(document, dict):
        raise QuestionError(Refusal.NOT_JSON, "expected a JSON object")
    return document


def read_json(path: Path) -> Any:
    """The one JSON document of a file.

    Raises:
        DatasetError: the file cannot be read, or is not JSON.

    """
    try:
        with unpacked(path) as (_, file):
            content = file.read(MAX_DOCUMENT_BYTES + 1)
    except (ArchiveError, *DAMAGED, OSError) as error:
        raise _unreadable(path, error) from error
    if len(content) > MAX_DOCUMENT_BYTES:
        raise DatasetError(f"{path} holds more than {MAX_DOCUMENT_BYTES >> 30} GiB. Write one question a line instead.")
    _refuse_utf16(path, content)
    if not content.strip():
        raise DatasetError(f"{path} is empty. Name a file with questions.")
    try:
        return json.loads(content)
    except UnicodeDecodeError as error:
        raise DatasetError.at(path, f"byte {error.start + 1}", f"expected JSON in UTF-8: {error.reason}") from error
    except json.JSONDecodeError as error:
        ends_early = error.msg.startswith("Unterminated string") or not error.doc[error.pos :].strip()
        cut = ". The file ends too early: copy it again" if ends_early else ""
        raise DatasetError.at(path, f"line {error.lineno}", f"expected JSON: {error}{cut}") from error
    except (ValueError, RecursionError) as error:
        raise DatasetError.at(path, "the whole file", f"expected JSON: {_shown(error)}") from error


def json_entries(path: Path, *, within: str = "Questions") -> Iterator[Entry]:
    """Each object of a list, of the list that an object holds under ``within``, or of JSON lines, as an entry.

    Which of the three it is shows in the first line. A line of JSON lines is given as it stands; see `object_of`.

    Raises:
        DatasetError: the file cannot be read, or is none of the three.

    """
    _, first = next(read_lines(path), (0, b""))
    if not _is_whole_object(first, within):
        document = read_json(path)
        entries = document.get(within) if isinstance(document, dict) else document
        if not isinstance(entries, list):
            raise DatasetError(
                f'{path}: expected a list of questions, an object with a list of "{within}", or one object a line.'
            )
        for number, entry in enumerate(entries, start=1):
            yield f"question {number}", entry
    else:
        yield from line_entries(path)


def _is_whole_object(line: bytes, within: str) -> bool:
    """Whether a line is an object by itself, and not the whole file in one line."""
    if not line.lstrip().startswith(b"{"):
        return False
    try:
        document = json.loads(line)
    except ValueError:
        # The first line of a document over many lines is one brace, or an object that is broken off.
        return line.rstrip().endswith(b"}")
    except RecursionError:
        return True
    return isinstance(document, dict) and within not in document


def object_from(entry: Any) -> dict[str, Any]:
    """An entry of `json_entries` as the object that it is.

    Raises:
        QuestionError: it is none.

    """
    if isinstance(entry, bytes):
        return object_of(entry)
    if not isinstance(entry, dict):
        raise QuestionError(Refusal.NOT_OF_FORMAT, "expected a JSON object")
    return entry


def text_at(entry: Mapping[str, Any], name: str) -> str:
    """What an object holds under a name, which must be a text.

    Raises:
        TypeError: it is something else.
        KeyError: there is nothing.

    """
    value = entry[name]
    if not isinstance(value, str):
        raise TypeError(f'"{name}" is no text')
    return value


def list_at(entry: Mapping[str, Any], name: str) -> list[Any]:
    """What an object holds under a name, which must be a list.

    Raises:
        TypeError: it is something else.
        KeyError: there is nothing.

    """
    value = entry[name]
    if not isinstance(value, list):
        raise TypeError(f'"{name}" is no list')
    return value


def first_text(entry: Mapping[str, Any], *names: str) -> str:
    """What an object holds under the first of the names that it has; files of one format differ in them.

    Raises:
        TypeError: it is no text.
        KeyError: it has none of the names.

    """
    return text_at(entry, next((name for name in names if entry.get(name) is not None), names[0]))


def objects_in(entry: Any, name: str) -> list[dict[str, Any]]:
    """The objects of the list that an object holds under a name; whatever is something else is passed over."""
    found = entry.get(name) if isinstance(entry, dict) else None
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []


def _unreadable(path: Path, error: Exception) -> DatasetError:
    if isinstance(error, DAMAGED):
        return DatasetError(f"{path} is damaged: {error}. Copy it again.")
    said = error.strerror if isinstance(error, OSError) else None
    return DatasetError(f"{path} cannot be read: {said or error}.")


def _refuse_utf16(path: Path, beginning: bytes) -> None:
    if beginning.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise DatasetError(f"{path} is UTF-16. Save it as UTF-8.")
