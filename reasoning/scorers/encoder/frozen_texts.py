"""Vectors of texts by the sentence encoder as it was published, for weights that strategies have of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kgstore.terms import Relation
from reasoning.facts.verbalize import relation_words
from reasoning.scorers.encoder.minilm import EncoderFiles, MiniLm, Words
from reasoning.scorers.encoder.text_vectors import TextVectors

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch import Tensor

_TEXTS_KEPT = 50_000


class FrozenTexts:
    """The frozen encoder: means over the last layer, of length 1. Threads may share it."""

    def __init__(self) -> None:
        """Load the sentence encoder.

        Raises:
            ScorerUnavailableError: it is not there.

        """
        files = EncoderFiles.locate()
        self._vectors = TextVectors(MiniLm.load(files), Words(files), _TEXTS_KEPT)

    def of(self, texts: Sequence[str]) -> Tensor:
        """enc(text): (n, t)."""
        return self._vectors.of(texts)[0]

    def of_relations(self, relations: Sequence[Relation]) -> Tensor:
        """enc(r) of the predicates, in plain words, whichever way they are followed: (r, t)."""
        return self.of([relation_words(Relation(one.predicate, label=one.label)) for one in relations])
