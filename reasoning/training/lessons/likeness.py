"""How like a question is to derivations, in words, as the published encoder reads both; nothing of it is trained."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reasoning.facts.verbalize import constraint_words, path_words
from reasoning.scorers.encoder.minilm import EncoderFiles, MiniLm, Words
from reasoning.scorers.encoder.scorer import OPTION_TEXTS_KEPT
from reasoning.scorers.encoder.text_vectors import TextVectors
from reasoning.strategies.asking import masked_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reasoning.labels.ways import Way
    from reasoning.question.linking import Linking


class Likeness:
    """The published encoder, with the vectors that it read last."""

    def __init__(self, encoder: str | None = None) -> None:
        """Load the encoder.

        Raises:
            ScorerUnavailableError: it is not there.

        """
        files = EncoderFiles.locate(encoder)
        self._vectors = TextVectors(MiniLm.load(files), Words(files), OPTION_TEXTS_KEPT)

    def of(self, question: str, linking: Linking, ways: Sequence[Way]) -> list[float]:
        """The cosine of the question, its topic masked, with each way: its relations and what it demands."""
        vectors, _ = self._vectors.of([masked_text(question, linking), *map(_words, ways)])
        found: list[float] = (vectors[1:] @ vectors[0]).tolist()
        return found


def _words(way: Way) -> str:
    path = path_words(way.structure, way.derivation.answer_position)
    return "; ".join([path, *(constraint_words(way.structure, each) for each in way.derivation.constraints)])
