"""What another system predicted, as a file tells it; ``docs/other-systems.md`` lists the shapes.

A file is a JSON object of question → answers, a list of objects, or one object a line. An answer is an id, a name or a
value: which, only the graph and the gold answers can tell, see `reasoning.evaluation.predictions.others`.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self, TypeAlias

from kgstore.characters import character_fault
from kgstore.names import literal_label
from kgstore.terms import Number, parse_term
from reasoning.core.derivation import Derivation
from reasoning.datasets.errors import DatasetError, QuestionError
from reasoning.datasets.source import json_entries, object_from, read_json, read_lines
from reasoning.evaluation.predictions.predicted_field import CANDIDATES, RESULTS, predicted_field, values_at
from reasoning.evaluation.predictions.predicted_text import answers_in_braces, answers_in_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from reasoning.datasets.question import BenchmarkQuestion
    from reasoning.evaluation.judging.outcome import Outcome

MOST_ANSWERS = 10_000
"""So many answers a question may have, and so many characters one of them."""
MOST_AT_ONCE = 500_000_000
"""So many bytes a file may have that is one document; one object a line has no bound."""
_QUESTION_ID = ("id", "ID", "qid", "QuestionId", "QuestionID", "question_id")
_QUESTION_TEXT = ("question", "Question", "RawQuestion", "ProcessedQuestion")
_ID = ("id", "mid", "kb_id", "AnswerArgument", "answer_argument")
_NAME = ("name", "text", "EntityName", "entity_name", "label")
_WORD_PIECE = re.compile(r"\s*##|\W+")
_EXPECTED = "expected a question's “id” (or “qid”, “QuestionId”, or its text as “question”)"


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """An answer as a file tells it: an id, a name, or a text of which it is not told which it is."""

    id: str = ""
    name: str = ""
    text: str = ""

    @classmethod
    def from_json(cls, document: Sequence[str]) -> Self:
        """Read what `to_json` gives."""
        return cls(*document)

    def to_json(self) -> list[str]:
        """The three texts."""
        return [self.id, self.name, self.text]


Given: TypeAlias = tuple[GivenAnswer, ...]
"""What was predicted for a question, the first answer first; empty where it was said that there is none."""


@dataclass(frozen=True, slots=True)
class Predictions:
    """What a file predicts."""

    by_question: Mapping[str, Given]
    """By a question's id, or by its text where the file tells no ids."""
    by_text: Mapping[str, Given]
    """The same by texts as they are compared."""
    by_letters: Mapping[str, Given]
    """The same by the letters and digits of a text, for files that keep a question as a tokenizer split it."""
    repeated: int
    """Of so many a later one took the place."""
    fields: Mapping[str, int]
    """How many predictions were read from each field; empty for a file of question → answers."""

    def of(self, question: BenchmarkQuestion) -> Given | None:
        """What is predicted for a question; None where nothing is said of it."""
        for known, key in (
            (self.by_question, question.id),
            (self.by_text, _folded(question.text)),
            (self.by_letters, _letters(question.text)),
        ):
            if (found := known.get(key)) is not None:
                return found
        return None

    def matched(self, questions: Iterable[BenchmarkQuestion]) -> int:
        """How many of some questions have a prediction.

        Raises:
            DatasetError: none has.

        """
        asked = list(questions)
        found = sum(self.of(question) is not None for question in asked)
        if not found:
            raise DatasetError(
                f"None of the {len(self.by_question):,} predictions is of one of the {len(asked):,} questions that are "
                f"asked. The first is of “{_shortened(next(iter(self.by_question)))}”, and the first question is "
                f"“{asked[0].id}”. Choose the dataset and the split that the predictions are of."
            )
        return found


def read_predictions(path: Path) -> Predictions:
    """What a file predicts.

    Raises:
        DatasetError: it cannot be read, or an entry is no prediction; the message says where and what was expected.

    """
    found: dict[str, Given] = {}
    repeated = 0
    fields: Counter[str] = Counter()
    for place, key, field, answers in _told(path):
        try:
            given = _given(answers)
        except (TypeError, ValueError) as error:
            raise DatasetError.at(path, place, str(error)) from error
        fields[field] += 1
        repeated += key in found
        # A run that was broken off and begun again appends to its file: the last word counts, as in other scripts.
        found.pop(key, None)
        found[key] = given
    if not found:
        raise DatasetError(f"{path} holds no prediction. Name a file of a question's id and its answers.")
    del fields[""]
    return Predictions(
        found, {_folded(key): given for key, given in found.items()}, _by_letters(found), repeated, dict(fields)
    )


def prediction_notes(fields: Iterable[str], *, asked: int, matched: int, f1: float | None) -> list[str]:
    """What a reader of the figures must know about a judged file of predictions, as sentences.

    ``fields`` are those that the predictions were read from, ``asked`` and ``matched`` count questions, and ``f1`` is
    their macro-F1; None if none was judged yet.
    """
    notes = []
    if listed := ", ".join(f"“{field}”" for field in fields):
        notes.append(f"The predictions were read from the field {listed}.")
    if matched < asked:
        notes.append(f"{asked - matched:,} of {asked:,} questions have no prediction. Each counts 0.")
    if f1 == 1:
        notes.append("Every question is right. Check that the file holds predictions, and not the gold answers.")
    if f1 == 0:
        notes.append("No question is right. Check that the file is of this dataset, and that it holds answers.")
    return notes


def predictions_of(outcomes: Iterable[Outcome]) -> Iterator[tuple[str, dict[str, Any]]]:
    """What was predicted for each question, as `read_predictions` reads it: its id, its answers, how many there are.

    Where a run counted its answers and a number is asked for, that number is the answer.
    """
    for outcome in outcomes:
        if _tells_number(outcome):
            number = Number(float(outcome.predicted_total))
            yield outcome.id, {"answers": [{"id": str(number), "name": literal_label(number)}], "total": 1}
            continue
        named = zip(outcome.predicted, outcome.predicted_labels, strict=True)
        answers = [{"id": term, "name": label} for term, label in named]
        yield outcome.id, {"answers": answers, "total": outcome.predicted_total}


def _tells_number(outcome: Outcome) -> bool:
    """Whether the number of answers was compared, and not which they are."""
    counted = isinstance(outcome.derivation, Derivation) and outcome.derivation.counted
    return counted and len(outcome.gold) == 1 and isinstance(parse_term(outcome.gold[0]), Number)


def predictions_json(outcomes: Iterable[Outcome]) -> Iterator[str]:
    """The same as the parts of one JSON document."""
    before = "{\n"
    for name, told in predictions_of(outcomes):
        yield f"{before}{json.dumps(name, ensure_ascii=False)}: {json.dumps(told, ensure_ascii=False)}"
        before = ",\n"
    yield "{}\n" if before == "{\n" else "\n}\n"


def _by_letters(found: Mapping[str, Given]) -> dict[str, Given]:
    """Predictions by the letters and digits of what names their question; those that are not unique are left out."""
    letters = Counter(map(_letters, found))
    return {plain: given for key, given in found.items() if letters[plain := _letters(key)] == 1 and plain}


def _told(path: Path) -> Iterator[tuple[str, str, str, Any]]:
    """Where each prediction stands, of which question it is, the field that holds it, and its answers there."""
    _, first = next(read_lines(path), (0, b""))
    if _is_one_object(first) and isinstance(document := _document(path), dict):
        for key, value in document.items():
            place = f"“{_shortened(key)}”"
            try:
                field, answers = _field_of(value) if isinstance(value, dict) else ("", value)
                yield place, _key(key), field, answers
            except (TypeError, ValueError) as error:
                raise DatasetError.at(path, place, str(error)) from error
        return
    if first.lstrip().startswith(b"["):
        _document_ensure(path)
    for place, entry in json_entries(path):
        yield (_place(place), *_of_entry(path, _place(place), entry))


def _is_one_object(first: bytes) -> bool:
    """Whether a file whose first line this is holds one object of all questions, and not one object a line."""
    if not first.lstrip().startswith(b"{"):
        return False
    try:
        told = json.loads(first)
    except ValueError:
        # One object over many lines begins with a brace, or with its first question.
        return not first.rstrip().endswith(b"}")
    except RecursionError:
        return False
    return isinstance(told, dict) and not any(name in told for name in (*_QUESTION_ID, *_QUESTION_TEXT, CANDIDATES))


def _document(path: Path) -> Any:
    _document_ensure(path)
    return read_json(path)


def _document_ensure(path: Path) -> None:
    if path.stat().st_size > MOST_AT_ONCE:
        raise DatasetError(
            f"{path} is one document of more than {MOST_AT_ONCE / 1e6:,.0f} MB. Write one object a line instead."
        )


def _of_entry(path: Path, place: str, entry: Any) -> tuple[str, str, Any]:
    """The question of an entry, the field that holds its prediction, and the answers in it."""
    try:
        told = object_from(entry)
        key = next((str(told[name]) for name in _QUESTION_ID if isinstance(told.get(name), str | int)), "")
        if not key:
            key = next((told[name] for name in _QUESTION_TEXT if isinstance(told.get(name), str)), "")
        if not key.strip():
            raise DatasetError.at(path, place, _EXPECTED)
        return _key(key), *_field_of(told)
    except QuestionError as error:
        raise DatasetError.at(path, place, str(error)) from error
    except (TypeError, ValueError) as error:
        raise DatasetError.at(path, place, str(error)) from error


def _field_of(told: Mapping[str, Any]) -> tuple[str, Any]:
    """The field of an object that holds its prediction, and the answers in it.

    Raises:
        ValueError: see `predicted_field`.

    """
    name = predicted_field(told)
    answers = values_at(told, name)
    if name == RESULTS and isinstance(answers, str):
        answers = answers_in_braces(answers)
    return name, answers


def _given(answers: Any) -> Given:
    """Answers as they stand in a file: a list, one alone, or a text, see `predicted_text`.

    Raises:
        ValueError: they are something else; the message says what.

    """
    match answers:
        case None:
            return ()
        case str():
            parts: list[Any] = [*answers_in_text(answers)]
        case list():
            parts = [part for each in answers for part in (answers_in_text(each) if isinstance(each, str) else [each])]
        case _:
            parts = [answers]
    if len(parts) > MOST_ANSWERS:
        raise ValueError(f"expected at most {MOST_ANSWERS:,} answers; these are {len(parts):,}")
    return tuple(each for each in map(_answer, parts) if each != GivenAnswer())


def _answer(told: Any) -> GivenAnswer:
    match told:
        case str():
            answer = GivenAnswer(text=told.strip())
        case bool():
            answer = GivenAnswer(text="yes" if told else "no")
        case int() | float():
            answer = GivenAnswer(text=f"{told:g}" if isinstance(told, float) else str(told))
        case [str() as text, int() | float()]:
            # With its probability.
            answer = GivenAnswer(text=text.strip())
        case dict():
            id_, name = (
                next((told[key] for key in keys if isinstance(told.get(key), str)), "") for keys in (_ID, _NAME)
            )
            if not id_ and not name:
                raise ValueError(f"expected an answer with an “id” or a “name”; it has {', '.join(map(str, told))}")
            answer = GivenAnswer(id_.strip(), name.strip())
        case [int(), *_]:
            raise ValueError(
                "expected ids or names; these are numbers of the system's own vocabulary. Write what they stand for"
            )
        case _:
            raise ValueError(f"expected an answer to be a text, a number or an object; it is {type(told).__name__}")
    for text in answer.to_json():
        if len(text) > MOST_ANSWERS:
            raise ValueError(f"expected answers of at most {MOST_ANSWERS:,} characters; one has {len(text):,}")
        if fault := character_fault(text):
            raise ValueError(f"expected an answer that can be kept; it {fault}")
    return answer


def _key(text: str) -> str:
    if fault := character_fault(text):
        raise ValueError(f"expected a question's id; it {fault}")
    return text.strip()


def _folded(text: str) -> str:
    """A question's text as it is compared: spaces, capital letters and its mark at the end do not count."""
    return " ".join(text.casefold().split()).rstrip("?. ")


def _letters(text: str) -> str:
    """The letters and digits of a question's text: *mo ##hn ##ton* is *mohnton*."""
    return _WORD_PIECE.sub("", text.casefold())


def _place(place: str) -> str:
    return place.replace("question ", "prediction ", 1)


def _shortened(text: str) -> str:
    return text if len(text) <= 80 else f"{text[:80]}…"  # noqa: PLR2004 - as much as a message can hold
