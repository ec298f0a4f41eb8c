"""What another system predicted, as a file tells it; ``docs/other-systems.md`` lists the shapes.

A file is a JSON object of question → answers, a list of objects, or one object a line. An answer is an id, a name or a
value: which, only the graph and the gold answers can tell, see `reasoning.evaluation.judging.others`.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Any, Self

from kgstore.characters import character_fault
from kgstore.names import literal_label
from kgstore.terms import Number, parse_term
from reasoning.core.compared import compared_term
from reasoning.core.derivation import Derivation
from reasoning.datasets.errors import DatasetError, QuestionError
from reasoning.datasets.source import json_entries, object_from, read_json, read_lines
from reasoning.evaluation.predictions.predicted_field import CANDIDATES, RESULTS, predicted_field, values_at
from reasoning.evaluation.predictions.predicted_text import answers_in_braces, answers_in_text

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from reasoning.datasets.question import BenchmarkQuestion
    from reasoning.evaluation.judging.outcome import Outcome

MOST_ANSWERS = 10_000
"""So many answers a question may have, and so many characters one of them."""
LOOKED_AT = 1_000
"""So many predictions of a file are read to show what it holds."""
MOST_LOOKED_AT = 50_000_000
"""So many bytes a file may have that is one document, to be read while somebody waits for it."""
MOST_AT_ONCE = 500_000_000
"""So many bytes a file may have that is one document; one object a line has no bound."""
_QUESTION_ID = ("id", "ID", "qid", "QuestionId", "QuestionID", "question_id")
_QUESTION_TEXT = ("question", "Question", "RawQuestion", "ProcessedQuestion")
_ID = ("id", "mid", "kb_id", "AnswerArgument", "answer_argument")
_NAME = ("name", "text", "EntityName", "entity_name", "label")
_ANSWER = "answer"
_FORM = "logical_form"
_GROUND_TRUTH = "ground_truth"
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


@dataclass(frozen=True, slots=True)
class Given:
    """What was predicted for a question."""

    answers: tuple[GivenAnswer, ...] = ()
    """The first answer first; empty if the file says that there is none."""
    said: str | tuple[str, ...] | None = None
    """The text, or the list of texts, in which the answers were found; None if the file writes neither."""
    ground_truth: tuple[str, ...] = ()
    """The names of the gold answers, if they are in the file; only RoG's own rules read them."""
    logical_form: str = ""
    """GrailQA's s-expression; empty if the file has none."""

    @classmethod
    def from_json(cls, document: Mapping[str, Any] | Sequence[Sequence[str]]) -> Self:
        """Read what `to_json` gives, or what an earlier version kept: the answers alone."""
        if not isinstance(document, dict):
            return cls(tuple(map(GivenAnswer.from_json, document)))
        answers, said, ground_truth = (document[name] for name in ("answers", "said", "ground_truth"))
        return cls(
            tuple(map(GivenAnswer.from_json, answers)),
            tuple(said) if isinstance(said, list) else said,
            tuple(ground_truth),
            document["logical_form"],
        )

    def to_json(self) -> dict[str, Any]:
        """The prediction as a document of plain values."""
        return {
            "answers": [answer.to_json() for answer in self.answers],
            "said": self.said,
            "ground_truth": self.ground_truth,
            "logical_form": self.logical_form,
        }


@dataclass(frozen=True, slots=True)
class Predictions:
    """What a file predicts."""

    entries: Sequence[tuple[str, Given]]
    """In the file's order, each with the question's id, or its text where the file tells no ids."""
    by_question: Mapping[str, Given]
    """By a question's id, or by its text; of several the last."""
    by_text: Mapping[str, Given]
    """The same by texts as they are compared."""
    by_letters: Mapping[str, Given]
    """The same by the letters and digits of a text, for files that keep a question as a tokenizer split it."""
    repeated: int
    """Of so many a later one took the place."""
    fields: Mapping[str, int]
    """How many predictions were read from each field; empty for a file of question → answers."""

    @property
    def questions(self) -> int:
        """How many questions the file names."""
        return len(self.entries) - self.repeated

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

    def told_apart(self, wordings: Mapping[str, str], asked: Collection[str]) -> Predictions:
        """These predictions, matched by id where several questions of the dataset share a wording.

        The file then has as many predictions of that wording: the first is of the first question. Of more, the last
        count.

        Args:
            wordings: the text of each question of the dataset by its id, in the dataset's order.
            asked: the ids of the questions that are judged.

        Raises:
            DatasetError: a question that is asked shares its wording with others, and there are fewer predictions of
                it than questions.

        """
        found = dict(self.by_question)
        repeated = self.repeated
        for compared in (_folded, _letters):
            told = self._by(compared, wordings)
            for plain, ids in _alike(compared, wordings, found, self.by_text).items():
                entries = told[plain]
                if not entries or (len(entries) < len(ids) and not any(each in asked for each in ids)):
                    continue
                if len(entries) < len(ids):
                    raise DatasetError(
                        f"“{_shortened(wordings[ids[0]])}” is the text of {len(ids)} questions ({', '.join(ids[:5])}), "
                        f"and the file has {_predictions(len(entries))} of that text. Write the question's “id” beside "
                        "each."
                    )
                found.update(zip(ids, (given for _, given in entries[-len(ids) :]), strict=True))
                repeated += len({key for key, _ in entries}) - len(ids)
        return replace(self, by_question=found, repeated=repeated)

    def _by(self, compared: Callable[[str], str], ids: Collection[str]) -> defaultdict[str, list[tuple[str, Given]]]:
        """The entries of each wording as it is compared, in the file's order; without those that tell an id."""
        told: defaultdict[str, list[tuple[str, Given]]] = defaultdict(list)
        for key, given in self.entries:
            if key not in ids:
                told[compared(key)].append((key, given))
        return told

    def matched(self, questions: Iterable[BenchmarkQuestion]) -> int:
        """How many of some questions have a prediction.

        Raises:
            DatasetError: none has.

        """
        asked = list(questions)
        found = sum(self.of(question) is not None for question in asked)
        if not found:
            raise DatasetError(
                f"None of the {self.questions:,} predictions is of one of the {len(asked):,} questions that are "
                f"asked. The first is of “{_shortened(next(iter(self.by_question)))}”, and the first question is "
                f"“{asked[0].id}”. Choose the dataset and the split that the predictions are of."
            )
        return found


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
    """What a file predicts first; None where it is one document of more than `MOST_LOOKED_AT` bytes.

    Raises:
        DatasetError: it cannot be read, or one of these entries is no prediction.

    """
    _, first = next(read_lines(path), (0, b""))
    is_one_document = first.lstrip().startswith(b"[") or _is_one_object(first)
    if is_one_document and path.stat().st_size > MOST_LOOKED_AT:
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
    # A run that was broken off and begun again appends to its file: the last prediction counts, as in other scripts.
    found = dict(entries)
    return Predictions(
        entries=entries,
        by_question=found,
        by_text={_folded(key): given for key, given in entries},
        by_letters=_by_letters(found),
        repeated=len(entries) - len(found),
        fields=dict(fields),
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
    return counted and len(outcome.gold) == 1 and isinstance(compared_term(parse_term(outcome.gold[0])), Number)


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


def _nothing_predicted(path: Path) -> DatasetError:
    return DatasetError(f"{path} holds no prediction. Name a file of a question's id and its answers.")


def _alike(
    compared: Callable[[str], str],
    wordings: Mapping[str, str],
    by_id: Collection[str],
    by_text: Collection[str],
) -> dict[str, list[str]]:
    """The ids of questions that share a wording as it is compared, where it alone can tell what is predicted."""
    alike: defaultdict[str, list[str]] = defaultdict(list)
    for id_, text in wordings.items():
        if id_ not in by_id and (compared is _folded or _folded(text) not in by_text):
            alike[compared(text)].append(id_)
    return {plain: ids for plain, ids in alike.items() if len(ids) > 1}


def _predictions(count: int) -> str:
    return "1 prediction" if count == 1 else f"{count} predictions"


def _read(path: Path) -> Iterator[tuple[str, str, Given]]:
    """Each prediction: of which question it is, the field that holds it, and what is predicted."""
    _, first = next(read_lines(path), (0, b""))
    if _is_one_object(first) and isinstance(document := _document(path), dict):
        for key, value in _by_question(document).items():
            place = f"“{_shortened(key)}”"
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


def _by_question(document: Mapping[str, Any]) -> Mapping[str, Any]:
    """A document by question, also if it has ``answer`` and ``logical_form`` by question, as GrailQA's may have."""
    answers, forms = document.get(_ANSWER), document.get(_FORM)
    if len(document) != 2 or not (isinstance(answers, dict) and isinstance(forms, dict)):  # noqa: PLR2004 - both
        return document
    return {key: {_ANSWER: answers.get(key), _FORM: forms.get(key)} for key in {**forms, **answers}}


def _of_entry(path: Path, place: str, entry: Any) -> tuple[str, str, Given]:
    """The question of an entry, the field that holds its prediction, and what is predicted."""
    try:
        told = object_from(entry)
        key = next((str(told[name]) for name in _QUESTION_ID if isinstance(told.get(name), str | int)), "")
        if not key:
            key = next((told[name] for name in _QUESTION_TEXT if isinstance(told.get(name), str)), "")
        if not key.strip():
            raise DatasetError.at(path, place, _EXPECTED)
        return _key(key), *_prediction(told)
    except QuestionError as error:
        raise DatasetError.at(path, place, str(error)) from error
    except (TypeError, ValueError) as error:
        raise DatasetError.at(path, place, str(error)) from error


def _prediction(told: Mapping[str, Any]) -> tuple[str, Given]:
    """The field of an object that holds its prediction, and what is predicted.

    Raises:
        ValueError: see `predicted_field` and `_given`.

    """
    name = predicted_field(told)
    given = _given(values_at(told, name), in_braces=name == RESULTS)
    form, truth = told.get(_FORM), told.get(_GROUND_TRUTH)
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
    if len(parts) > MOST_ANSWERS:
        raise ValueError(f"expected at most {MOST_ANSWERS:,} answers; these are {len(parts):,}")
    for text in (said,) if isinstance(said, str) else said or ():
        _readable(text)
    return Given(tuple(each for each in map(_answer, parts) if each != GivenAnswer()), said)


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
