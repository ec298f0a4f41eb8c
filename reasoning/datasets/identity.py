"""What makes two questions the same: their identity, or their wording once it is normalised.

Evaluations use it to say which of their questions a model learned from. A model card keeps hashes, not questions.
"""

from __future__ import annotations

import hashlib
import json
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

    from reasoning.datasets.question import BenchmarkQuestion

NORMALISATION = "nfkc-casefold-words-1"
"""The name of what `normalised` does. Another rule gets another name."""
SNAPSHOT_ALGORITHM = "sha256-questions-1"
"""The name of what `SnapshotDigest` does."""
_INVISIBLE = "Cf"
_SEPARATING = ("P", "Z", "C")
_ASCII_SPACED = {code: " " for code in range(128) if unicodedata.category(chr(code)).startswith(_SEPARATING)}


def normalised(text: str) -> str:
    """A question's wording without what changes between copies of a benchmark.

    In this order: Unicode NFKC; case folding, and NFKC again; format characters (zero-width spaces, joiners) go;
    every run of punctuation, whitespace and control characters becomes one space; none stays at either end. Symbols
    such as ``+`` stay, since they tell things apart (``C`` and ``C++``). A text of punctuation alone stays as it is
    after case folding, so that no two of them become one.
    """
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    if folded.isascii():
        spaced = folded.translate(_ASCII_SPACED)
    else:
        kinds = ((character, unicodedata.category(character)) for character in folded)
        spaced = "".join(
            " " if kind.startswith(_SEPARATING) else character for character, kind in kinds if kind != _INVISIBLE
        )
    return " ".join(spaced.split()) or folded.strip()


def text_hash(text: str) -> str:
    """SHA-256 of the normalised text, in hexadecimal."""
    return hashlib.sha256(normalised(text).encode()).hexdigest()


def identity_hash(dataset: str, question_id: str) -> str:
    """SHA-256 of which question of which dataset it is, in hexadecimal; its text does not count."""
    return hashlib.sha256(canonical([dataset, question_id])).hexdigest()


def canonical(document: Any) -> bytes:
    """A document of plain values as JSON that is the same however it was made: sorted keys, no spaces, UTF-8."""
    return json.dumps(document, sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode()


class SnapshotDigest:
    """The identity of a snapshot: SHA-256 over its questions in their order, a line of canonical JSON each."""

    def __init__(self) -> None:
        self._digest = hashlib.sha256()

    def add(self, document: Any) -> None:
        """Take up the next question, as `BenchmarkQuestion.to_json` has it."""
        self._digest.update(canonical(document) + b"\n")

    def hexdigest(self) -> str:
        """The identity so far, in hexadecimal."""
        return self._digest.hexdigest()


@dataclass(frozen=True, slots=True)
class QuestionKey:
    """What a question is recognised by."""

    identity: str
    """See `identity_hash`."""
    text: str
    """See `text_hash`."""

    @classmethod
    def of(cls, dataset: str, question: BenchmarkQuestion) -> QuestionKey:
        """The key of a question in the dataset of a name."""
        return cls(identity_hash(dataset, question.id), text_hash(question.text))


def keys_of(dataset: str, questions: Iterable[BenchmarkQuestion]) -> list[QuestionKey]:
    """The keys of a dataset's questions, in their order."""
    return [QuestionKey.of(dataset, question) for question in questions]
