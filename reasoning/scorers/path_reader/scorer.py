"""A scorer that decides search by whole relation paths, and everything else as the encoder does."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Self

from reasoning.facts.verbalize import masked_question, question_without_targets
from reasoning.scorers.encoder.minilm import EncoderFiles, Words, quick_kind
from reasoning.scorers.encoder.scorer import EncoderScorer
from reasoning.scorers.encoder.text_vectors import TextVectors
from reasoning.scorers.path_reader.reader import PathReader
from reasoning.scorers.path_reader.weights import load_path_encoders
from reasoning.scorers.threads import compute_with, small_model_threads

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from kgstore.store import GraphStore
    from reasoning.core.options import DecisionState, OptionPool
    from reasoning.facts.relation_paths import RelationPath
    from reasoning.scorers.base import Cost, Distribution, Ends

PATH_TEXTS_KEPT = 50_000


class PathReaderScorer:
    """The encoder with a reader of whole paths; see `WholePathReader`. Safe to share between threads."""

    name = "Path reader"
    compares = True
    """See `Comparing`: conditions and positions are chosen by the encoder."""

    def __init__(self, encoder: EncoderScorer, reader: PathReader) -> None:
        self._encoder = encoder
        self._reader = reader

    @classmethod
    def open(cls) -> Self:
        """Load the bundled weights of the path reader and of the encoder.

        Raises:
            ScorerUnavailableError: weights or sentence encoder are missing or damaged.

        """
        compute_with(small_model_threads())
        files = EncoderFiles.locate()
        kind = quick_kind()
        words = Words(files)
        encoder = EncoderScorer.open()
        encoders = load_path_encoders(files)
        apart = TextVectors(encoders.apart.to(kind), words, PATH_TEXTS_KEPT)
        encoders = encoders._replace(together=encoders.together.to(kind))
        return cls(encoder, PathReader(encoders, apart, encoder.option_vectors, words))

    def score(self, state: DecisionState, pool: OptionPool, *, best: int | None = None) -> Distribution:
        """See `Scorer.score`."""
        return self._encoder.score(state, pool, best=best)

    def path_likenesses(self, state: DecisionState, paths: Sequence[RelationPath]) -> Sequence[float]:
        """See `WholePathReader.path_likenesses`."""
        compute_with(small_model_threads())
        likenesses: list[float] = self._reader.likenesses(_path_question(state), paths)[0].tolist()
        return likenesses

    def path_log_odds(
        self, state: DecisionState, paths: Sequence[RelationPath], ends: Ends
    ) -> tuple[Sequence[float], Cost]:
        """See `WholePathReader.path_log_odds`."""
        compute_with(small_model_threads())
        return self._reader.log_odds(_path_question(state), question_without_targets(state), paths, ends)

    def read_ahead(self, store: GraphStore, folder: Path) -> None:
        """See `Reading.read_ahead`."""
        self._encoder.read_ahead(store, folder)


def _path_question(state: DecisionState) -> str:
    """The question with *it* for the topic, as the path reader was trained to read it."""
    return masked_question(replace(state, types={}, targets=()))
