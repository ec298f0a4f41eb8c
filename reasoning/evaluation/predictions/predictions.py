"""What another system predicted, and which prediction is of which question.

An answer is an id, a name or a value: which, only the graph and the gold answers can tell, see
`reasoning.evaluation.judging.others`.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

from reasoning.datasets.errors import DatasetError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from reasoning.datasets.question import BenchmarkQuestion

_WORD_PIECE = re.compile(r"\s*##|\W+")


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """An answer as a file states it: an id, a name, or a text that may be either."""

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
    """The number of predictions that a later one replaced."""
    fields: Mapping[str, int]
    """How many predictions were read from each field; empty for a file of question → answers."""

    @classmethod
    def of_entries(cls, entries: Sequence[tuple[str, Given]], fields: Mapping[str, int]) -> Self:
        """The predictions of a file's entries.

        A run that was broken off and begun again appends to its file: the last prediction counts, as in other scripts.
        """
        found = dict(entries)
        return cls(
            entries=entries,
            by_question=found,
            by_text={_folded(key): given for key, given in entries},
            by_letters=_by_letters(found),
            repeated=len(entries) - len(found),
            fields=fields,
        )

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

    def distinguished(self, wordings: Mapping[str, str], asked: Collection[str]) -> Predictions:
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
            by_wording = self._by(compared, wordings)
            for plain, ids in _alike(compared, wordings, found, self.by_text).items():
                entries = by_wording[plain]
                if not entries or (len(entries) < len(ids) and not any(each in asked for each in ids)):
                    continue
                if len(entries) < len(ids):
                    raise DatasetError(
                        f"“{shortened(wordings[ids[0]])}” is the text of {len(ids)} questions ({', '.join(ids[:5])}), "
                        f"and the file has {_predictions(len(entries))} of that text. Write the question's “id” "
                        "next to "
                        "each."
                    )
                found.update(zip(ids, (given for _, given in entries[-len(ids) :]), strict=True))
                repeated += len({key for key, _ in entries}) - len(ids)
        return replace(self, by_question=found, repeated=repeated)

    def _by(self, compared: Callable[[str], str], ids: Collection[str]) -> defaultdict[str, list[tuple[str, Given]]]:
        """The entries of each wording as it is compared, in the file's order; without those that tell an id."""
        by_key: defaultdict[str, list[tuple[str, Given]]] = defaultdict(list)
        for key, given in self.entries:
            if key not in ids:
                by_key[compared(key)].append((key, given))
        return by_key

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
                f"asked. The first is of “{shortened(next(iter(self.by_question)))}”, and the first question is "
                f"“{asked[0].id}”. Choose the dataset and the split that the predictions are of."
            )
        return found


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


def _by_letters(found: Mapping[str, Given]) -> dict[str, Given]:
    """Predictions by the letters and digits of what names their question; those that are not unique are left out."""
    letters = Counter(map(_letters, found))
    return {plain: given for key, given in found.items() if letters[plain := _letters(key)] == 1 and plain}


def _folded(text: str) -> str:
    """A question's text as it is compared: spaces, capital letters and its mark at the end do not count."""
    return " ".join(text.casefold().split()).rstrip("?. ")


def _letters(text: str) -> str:
    """The letters and digits of a question's text: *mo ##hn ##ton* is *mohnton*."""
    return _WORD_PIECE.sub("", text.casefold())


def _predictions(count: int) -> str:
    return "1 prediction" if count == 1 else f"{count} predictions"


def shortened(text: str) -> str:
    """A text as a message shows it."""
    return text if len(text) <= 80 else f"{text[:80]}…"  # noqa: PLR2004 - as much as a message can hold
