"""The questions that a model learned from, as hashes in a file next to its card.

The file begins with one line of JSON (`FORMAT`, the normalisation, and how many hashes follow). Then come the hashes of
identities, and those of normalised texts: the first `HASH_BYTES` bytes of each SHA-256, sorted, without repetition.
With 20,000 learned questions, one of fourteen billion others is taken for a learned one by chance.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Self

from reasoning.core.errors import ScorerUnavailableError
from reasoning.core.plain import PlainRecord
from reasoning.datasets.identity import NORMALISATION

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping
    from pathlib import Path

    from reasoning.datasets.identity import QuestionKey

LEARNED_FILE = "learned_questions.bin"
FORMAT = "discern-learned-questions-1"
HASH_BYTES = 6
_SHORT = 2 * HASH_BYTES


@dataclass(frozen=True, slots=True)
class Overlap(PlainRecord):
    """How many questions a model has seen in training."""

    questions: int
    """How many were looked at."""
    seen: int
    """How many of them were seen: the sum of the two below, since a question counts once."""
    same_identity: int
    """The same question of the same dataset."""
    same_text: int
    """Another question with the same normalised text."""


@dataclass(frozen=True, slots=True)
class LearnedQuestions:
    """The hashes of the questions that a model learned from, shortened to `HASH_BYTES` bytes."""

    identities: frozenset[bytes] = field(default_factory=frozenset)
    texts: frozenset[bytes] = field(default_factory=frozenset)

    @classmethod
    def of(cls, keys: Iterable[QuestionKey]) -> Self:
        """Those of some questions."""
        known = list(keys)
        return cls(
            frozenset(_short(key.identity) for key in known),
            frozenset(_short(key.text) for key in known),
        )

    @classmethod
    def of_texts(cls, hashes: Iterable[str]) -> Self:
        """Those of which only the `text_hash` is known."""
        return cls(texts=frozenset(map(_short, hashes)))

    @classmethod
    def read(cls, folder: Path) -> Self | None:
        """Those next to a card; None where the card is of a training that did not write them.

        Raises:
            ScorerUnavailableError: the file is damaged, or cannot be read.

        """
        path = folder / LEARNED_FILE
        try:
            head, _, hashes = path.read_bytes().partition(b"\n")
        except FileNotFoundError:
            return None
        except OSError as error:
            raise ScorerUnavailableError(f"{path} cannot be read: {error.strerror or error}.") from error
        try:
            about: dict[str, Any] = json.loads(head)
            counts = about["identities"], about["texts"]
            if (about["format"], about["normalisation"]) != (FORMAT, NORMALISATION):
                return None
            whole = len(hashes) == sum(counts) * HASH_BYTES
        except (ValueError, KeyError, TypeError) as error:
            raise ScorerUnavailableError(f"{path} is damaged ({error}); train the scorer again.") from error
        if not whole:
            raise ScorerUnavailableError(f"{path} is cut off; train the scorer again.")
        parts = [hashes[at : at + HASH_BYTES] for at in range(0, len(hashes), HASH_BYTES)]
        return cls(frozenset(parts[: counts[0]]), frozenset(parts[counts[0] :]))

    def joined(self, more: Self) -> Self:
        """These and others: a training that went on from other weights learned from both."""
        return replace(self, identities=self.identities | more.identities, texts=self.texts | more.texts)

    def write(self, folder: Path) -> None:
        """Write them next to a card; an earlier file is replaced once the new one is complete."""
        head = {
            "format": FORMAT,
            "normalisation": NORMALISATION,
            "identities": len(self.identities),
            "texts": len(self.texts),
        }
        partial = folder / f"{LEARNED_FILE}.partial"
        hashes = b"".join((*sorted(self.identities), *sorted(self.texts)))
        partial.write_bytes(json.dumps(head).encode() + b"\n" + hashes)
        partial.replace(folder / LEARNED_FILE)

    @classmethod
    def keep(cls, folder: Path, learned: Self | None) -> None:
        """Write them next to a card, or remove those of earlier weights if these are unknown."""
        if learned is None:
            (folder / LEARNED_FILE).unlink(missing_ok=True)
        else:
            learned.write(folder)

    def has_identity(self, key: QuestionKey) -> bool:
        """Whether the same question of the same dataset was learned."""
        return _short(key.identity) in self.identities

    def has_text(self, key: QuestionKey) -> bool:
        """Whether a question with the same normalised text was learned."""
        return _short(key.text) in self.texts

    def has(self, key: QuestionKey) -> bool:
        """Whether either holds."""
        return self.has_identity(key) or self.has_text(key)

    def overlap(self, keys: Collection[QuestionKey]) -> Overlap:
        """How many of some questions were learned."""
        same_identity = sum(map(self.has_identity, keys))
        seen = sum(map(self.has, keys))
        return Overlap(len(keys), seen, same_identity, seen - same_identity)

    def to_json(self) -> Mapping[str, Any]:
        """What the card says of the file next to it."""
        return {
            "file": LEARNED_FILE,
            "normalisation": NORMALISATION,
            "identities": len(self.identities),
            "texts": len(self.texts),
        }


def _short(hexadecimal: str) -> bytes:
    return bytes.fromhex(hexadecimal[:_SHORT])
