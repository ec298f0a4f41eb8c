"""A scorer that decides search by whole relation paths, and everything else as the encoder does.

Over a graph whose relations the encoder learned, such as the bundled sample, the encoder decides the search, too: it is
right more often there, and faster. docs/results/small-graphs.md has the figures.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from reasoning.scorers.calibration import Calibration
from reasoning.scorers.cards import BUNDLED_PATH_READER, BUNDLED_WEIGHTS, read_card
from reasoning.scorers.encoder.learned_relations import knows_relations, read_learned_relations
from reasoning.scorers.encoder.minilm import EncoderFiles, Words
from reasoning.scorers.encoder.scorer import EncoderScorer
from reasoning.scorers.path_reader.reader import PathReader
from reasoning.scorers.path_reader.texts import question_texts
from reasoning.scorers.path_reader.weights import read_path_encoders
from reasoning.scorers.threads import compute_with, small_model_threads

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from kgstore.store import GraphStore
    from reasoning.core.options import DecisionState, OptionPool
    from reasoning.facts.relation_paths import RelationPath
    from reasoning.scorers.base import Cost, Distribution, Ends


class PathReaderScorer:
    """The encoder with a reader of whole paths; see `WholePathReader`. Safe to share between threads."""

    name = "Path reader"
    compares = True
    """See `Comparing`: conditions and positions are chosen by the encoder."""

    def __init__(
        self,
        encoder: EncoderScorer,
        reader: PathReader,
        *,
        learned_relations: frozenset[str],
        calibration: Calibration | None,
    ) -> None:
        """Take the encoder with the relations that it learned, and the reader with its calibration."""
        self._encoder = encoder
        self._reader = reader
        self._learned_relations = learned_relations
        self._calibration = calibration
        self._searched_by_paths: dict[str, bool] = {}
        """By the version of a graph. Each run asks several times, and a graph may have thousands of relations."""

    @classmethod
    def open(cls, weights: Path | None = None) -> Self:
        """Load the path reader, from a folder of weights or the bundled ones, and the bundled encoder.

        Raises:
            ScorerUnavailableError: weights or sentence encoder are missing or damaged.

        """
        compute_with(small_model_threads())
        files = EncoderFiles.locate()
        encoder = EncoderScorer.open()
        folder = weights or BUNDLED_PATH_READER
        encoders = read_path_encoders(files, folder)
        return cls(
            encoder,
            PathReader.of_encoders(encoders, Words(files), encoder.option_vectors),
            learned_relations=read_learned_relations(BUNDLED_WEIGHTS),
            calibration=Calibration.of_card(read_card(folder)),
        )

    def calibration_over(self, store: GraphStore) -> Calibration | None:
        """See `Calibrated`: the encoder's where it decides the search, else what the model card says."""
        return self._calibration if self.searches_by_paths(store) else self._encoder.calibration_over(store)

    def score(self, state: DecisionState, pool: OptionPool, *, best: int | None = None) -> Distribution:
        """See `Scorer.score`."""
        return self._encoder.score(state, pool, best=best)

    def searches_by_paths(self, store: GraphStore) -> bool:
        """See `WholePathReader.searches_by_paths`."""
        version = store.info().version
        if version not in self._searched_by_paths:
            self._searched_by_paths[version] = not knows_relations(self._learned_relations, store)
        return self._searched_by_paths[version]

    def path_likenesses(self, state: DecisionState, paths: Sequence[RelationPath]) -> Sequence[float]:
        """See `WholePathReader.path_likenesses`."""
        compute_with(small_model_threads())
        likenesses: list[float] = self._reader.likenesses(question_texts(state)[0], paths)[0].tolist()
        return likenesses

    def path_log_odds(
        self, state: DecisionState, paths: Sequence[RelationPath], ends: Ends
    ) -> tuple[Sequence[float], Cost]:
        """See `WholePathReader.path_log_odds`."""
        compute_with(small_model_threads())
        return self._reader.log_odds(*question_texts(state), paths, ends)

    def read_ahead(self, store: GraphStore, folder: Path) -> None:
        """See `Reading.read_ahead`."""
        self._encoder.read_ahead(store, folder)
