"""Read what another system predicted from a file; ``docs/how-to/other-systems.md`` lists the shapes.

A file is a JSON object of question → answers, a list of objects, or one object a line.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Any

from kgstore.characters import character_fault
from reasoning.datasets.errors import DatasetError, QuestionError
from reasoning.datasets.source import json_entries, object_from, read_json, read_lines
from reasoning.evaluation.predictions.predicted_field import CANDIDATES, RESULTS, predicted_field, values_at
from reasoning.evaluation.predictions.predicted_text import answers_in_braces, answers_in_text
from reasoning.evaluation.predictions.predictions import Given, GivenAnswer, Predictions, shortened

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

MAX_ANSWERS = 10_000
"""Maximum of answers of a question, and of characters of an answer."""
LOOKED_AT = 1_000
"""Maximum of predictions that are read to preview a file."""
MAX_LOOKED_AT = 50_000_000
"""Maximum size in bytes of a file that is one JSON document, for a preview."""
MAX_AT_ONCE = 500_000_000
"""Maximum size in bytes of a file that is one JSON document. A file with one object on each line has no maximum."""
_QUESTION_ID = ("id", "ID", "qid", "QuestionId", "QuestionID", "question_id")
_QUESTION_TEXT = ("question", "Question", "RawQuestion", "ProcessedQuestion")
_ID = ("id", "mid", "kb_id", "AnswerArgument", "answer_argument")
_NAME = ("name", "text", "EntityName", "entity_name", "label")
_ANSWER = "answer"
_FORM = "logical_form"
_GROUND_TRUTH = "ground_truth"
_EXPECTED = "expected a question's “id” (or “qid”, “QuestionId”, or its text as “question”)"


@dataclass(frozen=True, slots=True)
class FirstPredictions:
    """The beginning of a file of predictions."""

    entries: Sequence[tuple[str, Given]]
    """At most `LOOKED_AT`, each with the question's id or text."""
    fields: Mapping[str, int]
    """How many of them were read from each field; empty for a file of question → answers."""
    is_all: bool
    """Whether the file holds no more."""


def first_predictions(path: Path) -> FirstPredictions | None:
    """What a file predicts first; None where it is one document of more than `MAX_LOOKED_AT` bytes.

    Raises:
        DatasetError: it cannot be read, or one of these entries is no prediction.

    """
    _, first = next(read_lines(path), (0, b""))
    is_one_document = first.lstrip().startswith(b"[") or _is_one_object(first)
    if is_one_document and path.stat().st_size > MAX_LOOKED_AT:
        return None
    found = list(islice(_read(path), LOOKED_AT + 1))
    kept = found[:LOOKED_AT]
    if not kept:
        raise _nothing_predicted(path)
    return FirstPredictions(
        entries=[(key, given) for key, _, given in kept],
        fields=Counter(field for _, field, _ in kept if field),
        is_all=len(found) == len(kept),
    )


def read_predictions(path: Path) -> Predictions:
    """What a file predicts.

    Raises:
        DatasetError: it cannot be read, or an entry is no prediction; the message says where and what was expected.

    """
    entries: list[tuple[str, Given]] = []
    fields: Counter[str] = Counter()
    for key, field, given in _read(path):
        fields[field] += 1
        entries.append((key, given))
    if not entries:
        raise _nothing_predicted(path)
    del fields[""]
    return Predictions.of_entries(entries, dict(fields))


def _nothing_predicted(path: Path) -> DatasetError:
    return DatasetError(f"{path} contains no prediction. Name a file of a question's id and its answers.")


def _read(path: Path) -> Iterator[tuple[str, str, Given]]:
    """Each prediction: of which question it is, the field that holds it, and what is predicted."""
    _, first = next(read_lines(path), (0, b""))
    if _is_one_object(first) and isinstance(document := _document(path), dict):
        for key, value in _by_question(document).items():
            place = f"“{shortened(key)}”"
            try:
                yield _key(key), *(_prediction(value) if isinstance(value, dict) else ("", _given(value)))
            except (TypeError, ValueError) as error:
                raise DatasetError.at(path, place, str(error)) from error
        return
    if first.lstrip().startswith(b"["):
        _document_ensure(path)
    for place, entry in json_entries(path):
        yield _of_entry(path, _place(place), entry)


def _is_one_object(first: bytes) -> bool:
    """Whether a file whose first line this is holds one object of all questions, and not one object a line."""
    if not first.lstrip().startswith(b"{"):
        return False
    try:
        entry = json.loads(first)
    except ValueError:
        # One object over many lines begins with a brace, or with its first question.
        return not first.rstrip().endswith(b"}")
    except RecursionError:
        return False
    return isinstance(entry, dict) and not any(name in entry for name in (*_QUESTION_ID, *_QUESTION_TEXT, CANDIDATES))


def _document(path: Path) -> Any:
    _document_ensure(path)
    return read_json(path)


def _document_ensure(path: Path) -> None:
    if path.stat().st_size > MAX_AT_ONCE:
        raise DatasetError(
            f"{path} is one document of more than {MAX_AT_ONCE / 1e6:,.0f} MB. Write one object a line instead."
        )


def _by_question(document: Mapping[str, Any]) -> Mapping[str, Any]:
    """A document by question, also if it has ``answer`` and ``logical_form`` by question, as GrailQA's may have."""
    answers, forms = document.get(_ANSWER), document.get(_FORM)
    if len(document) != 2 or not (isinstance(answers, dict) and isinstance(forms, dict)):  # noqa: PLR2004 - both
        return document
    return {key: {_ANSWER: answers.get(key), _FORM: forms.get(key)} for key in {**forms, **answers}}


def _of_entry(path: Path, place: str, entry: Any) -> tuple[str, str, Given]:
    """The question of an entry, the field that holds its prediction, and what is predicted."""
    try:
        entry_object = object_from(entry)
        key = next(
            (str(entry_object[name]) for name in _QUESTION_ID if isinstance(entry_object.get(name), str | int)), ""
        )
        if not key:
            key = next((entry_object[name] for name in _QUESTION_TEXT if isinstance(entry_object.get(name), str)), "")
        if not key.strip():
            raise DatasetError.at(path, place, _EXPECTED)
        return _key(key), *_prediction(entry_object)
    except QuestionError as error:
        raise DatasetError.at(path, place, str(error)) from error
    except (TypeError, ValueError) as error:
        raise DatasetError.at(path, place, str(error)) from error


def _prediction(fields: Mapping[str, Any]) -> tuple[str, Given]:
    """The field of an object that holds its prediction, and what is predicted.

    Raises:
        ValueError: see `predicted_field` and `_given`.

    """
    name = predicted_field(fields)
    given = _given(values_at(fields, name), in_braces=name == RESULTS)
    form, truth = fields.get(_FORM), fields.get(_GROUND_TRUTH)
    return name, replace(
        given,
        logical_form=_readable(form.strip()) if isinstance(form, str) else "",
        ground_truth=tuple(_readable(each) for each in truth if isinstance(each, str))
        if isinstance(truth, list)
        else (),
    )


def _given(answers: Any, *, in_braces: bool = False) -> Given:
    """Answers as they stand in a file: a list, one alone, or a text, see `predicted_text`.

    Raises:
        ValueError: they are something else; the message says what.

    """
    said: str | tuple[str, ...] | None = None
    match answers:
        case None:
            return Given()
        case str():
            said = answers
            parts: list[Any] = answers_in_braces(answers) if in_braces else answers_in_text(answers)
        case list():
            if all(isinstance(each, str) for each in answers):
                said = tuple(answers)
            parts = [part for each in answers for part in (answers_in_text(each) if isinstance(each, str) else [each])]
        case _:
            parts = [answers]
    if len(parts) > MAX_ANSWERS:
        raise ValueError(f"expected at most {MAX_ANSWERS:,} answers; these are {len(parts):,}")
    for text in (said,) if isinstance(said, str) else said or ():
        _readable(text)
    return Given(tuple(each for each in map(_answer, parts) if each != GivenAnswer()), said)


def _answer(value: Any) -> GivenAnswer:
    match value:
        case str():
            answer = GivenAnswer(text=value.strip())
        case bool():
            answer = GivenAnswer(text="yes" if value else "no")
        case int() | float():
            answer = GivenAnswer(text=f"{value:g}" if isinstance(value, float) else str(value))
        case [str() as text, int() | float()]:
            # With its probability.
            answer = GivenAnswer(text=text.strip())
        case dict():
            id_, name = (
                next((value[key] for key in keys if isinstance(value.get(key), str)), "") for keys in (_ID, _NAME)
            )
            if not id_ and not name:
                raise ValueError(f"expected an answer with an “id” or a “name”; it has {', '.join(map(str, value))}")
            answer = GivenAnswer(id_.strip(), name.strip())
        case [int(), *_]:
            raise ValueError(
                "expected ids or names; these are numbers of the system's own vocabulary. Write what they stand for"
            )
        case _:
            raise ValueError(f"expected an answer to be a text, a number or an object; it is {type(value).__name__}")
    for text in answer.to_json():
        if len(text) > MAX_ANSWERS:
            raise ValueError(f"expected answers of at most {MAX_ANSWERS:,} characters; one has {len(text):,}")
        _readable(text)
    return answer


def _readable(text: str) -> str:
    if fault := character_fault(text):
        raise ValueError(f"expected an answer that can be kept; it {fault}")
    return text


def _key(text: str) -> str:
    if fault := character_fault(text):
        raise ValueError(f"expected a question's id; it {fault}")
    return text.strip()


def _place(place: str) -> str:
    return place.replace("question ", "prediction ", 1)
