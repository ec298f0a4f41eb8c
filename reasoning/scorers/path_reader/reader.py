"""Scores of complete relation paths for a question, in three stages of growing cost.

1. All paths are ranked by the mean of the vectors of their relations. These vectors are cached for a graph. The mean is
   comparable between paths of one length only: of thousands of long paths, many have a better one than the right path.
2. The text of the best of each length is compared with the question by the bi-encoder.
3. The cross-encoder reads the question together with each of the best of those. Three more figures are computed for
   them: how far the path explains the words of the question, how well its end fits what is asked for, and whether it
   leads to the entities that conditions name.

The log-odds of a path read in stage 3 are a weighted sum of these figures. A path that was not read there gets less
than all that were.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Self

import torch

from kgstore.terms import TermKind
from reasoning.facts.verbalize import relation_words
from reasoning.question.words import content_words
from reasoning.scorers.base import Cost
from reasoning.scorers.encoder.minilm import quick_kind
from reasoning.scorers.encoder.text_vectors import TextVectors
from reasoning.scorers.path_reader.coverage import (
    asked_nouns,
    end_texts,
    explained_share,
    relation_names,
    shared_stems,
)
from reasoning.scorers.path_reader.texts import PairTokens, path_text
from reasoning.scorers.path_reader.weights import FIGURES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch import Tensor

    from reasoning.facts.relation_paths import PathEnd, RelationPath
    from reasoning.scorers.base import Ends
    from reasoning.scorers.encoder.minilm import Words
    from reasoning.scorers.path_reader.weights import PathEncoders

MAX_COMPARED = 16
"""Maximum of paths of one length whose text is compared with the question. Of questions over a large graph, the right
path is among the first 8 of its length for all; among the first 96 of any length it is for 73 of 100."""
MAX_READ_TOGETHER = 8
"""Maximum of paths that the cross-encoder reads together with the question. With 24 no more questions are right."""
_APART = FIGURES.index("apart")
_TEXTS_KEPT = 50_000
_LITERAL_FIT = {
    TermKind.DATE: {"date": 0.6, "year": 0.5, "month": 0.5, "day": 0.5},
    TermKind.NUMBER: {"number": 0.6},
}
"""How well a date or a number fits what is asked for."""


class PathReader:
    """Compares relation paths with a question. Safe to share between threads."""

    def __init__(self, encoders: PathEncoders, apart: TextVectors, published: TextVectors, words: Words) -> None:
        """Take the encoders. ``apart`` and ``published`` keep the vectors that the two of them computed."""
        self._encoders = encoders
        self._figure_weights = encoders.figures
        self._apart = apart
        self._published = published
        self._tokens = PairTokens(words)

    @classmethod
    def of_encoders(cls, encoders: PathEncoders, words: Words, published: TextVectors) -> Self:
        """Take encoders for reading alone: their changes become part of their weights."""
        encoders.merge()
        apart = TextVectors(encoders.apart.to(quick_kind()), words, _TEXTS_KEPT)
        encoders.together.to(quick_kind())
        return cls(encoders, apart, published, words)

    def likenesses(self, question: str, paths: Sequence[RelationPath]) -> tuple[Tensor, Cost]:
        """Stage 1: (n,), how like the question each path is, by the mean of its relations' vectors."""
        relations = {relation: place for place, relation in enumerate(dict.fromkeys(r for path in paths for r in path))}
        vectors, cost = self._apart.of([relation_words(relation) for relation in relations])
        [asked], asked_cost = self._apart.of([question])
        longest = max(map(len, paths), default=0)
        # One row more, of zeros, for what shorter paths lack.
        places = torch.tensor([[*(relations[r] for r in path), *[-1] * (longest - len(path))] for path in paths])
        rows = torch.cat([vectors, torch.zeros(1, vectors.shape[1])])
        sums = rows[places].sum(1)
        return (sums @ asked) / sums.norm(dim=-1).clamp(min=1e-6), cost + asked_cost

    def log_odds(
        self, question: str, to_explain: str, paths: Sequence[RelationPath], ends: Ends
    ) -> tuple[list[float], Cost]:
        """All stages: the log-odds of each path, and last those of the case that none of them is meant.

        ``to_explain`` is the part of the question whose words a path should explain.
        """
        ranked, compared, likeness, cost = self._ranked(question, paths)
        first = likeness.topk(min(MAX_READ_TOGETHER, len(compared))).indices.tolist()
        best = [compared[place] for place in first]
        chosen = [paths[place] for place in best]
        figures, read_cost = self._figures(question, to_explain, chosen, likeness[first], ends(chosen))
        scores = _put_first(
            self._figure_weights.weights[_APART] * ranked, compared, self._figure_weights.weights[_APART] * likeness
        )
        scores = _put_first(scores, best, figures @ self._figure_weights.weights)
        return [*scores.tolist(), self._figure_weights.no_path], cost + read_cost

    def best(self, question: str, paths: Sequence[RelationPath], most: int) -> list[RelationPath]:
        """At most ``most`` paths, those that stage 2 takes for the best first."""
        _, compared, likeness, _ = self._ranked(question, paths)
        return [paths[compared[place]] for place in likeness.topk(min(most, len(compared))).indices.tolist()]

    def _ranked(self, question: str, paths: Sequence[RelationPath]) -> tuple[Tensor, list[int], Tensor, Cost]:
        """Stages 1 and 2: the likeness of all paths, and the places and text likenesses of those of stage 2."""
        ranked, cost = self.likenesses(question, paths)
        compared = _best_of_each_length(ranked, paths)
        likeness, read_cost = self._compared(question, [paths[place] for place in compared])
        return ranked, compared, likeness, cost + read_cost

    def figures(
        self, question: str, to_explain: str, paths: Sequence[RelationPath], ends: Sequence[PathEnd]
    ) -> tuple[Tensor, Cost]:
        """(n, `FIGURES`), of paths that are chosen already."""
        likeness, cost = self._compared(question, paths)
        figures, read_cost = self._figures(question, to_explain, paths, likeness, ends)
        return figures, cost + read_cost

    def _figures(
        self,
        question: str,
        to_explain: str,
        paths: Sequence[RelationPath],
        likeness: Tensor,
        ends: Sequence[PathEnd],
    ) -> tuple[Tensor, Cost]:
        together, cost = self._read_together(question, paths)
        covered, read_cost = self._covered(question, to_explain, paths, ends)
        return torch.cat([likeness[:, None], together[:, None], covered], 1), cost + read_cost

    def _compared(self, question: str, paths: Sequence[RelationPath]) -> tuple[Tensor, Cost]:
        """Stage 2: (n,), the likenesses of question and text."""
        read, cost = self._apart.of([question, *map(path_text, paths)])
        return read[1:] @ read[0], cost

    def _covered(
        self, question: str, to_explain: str, paths: Sequence[RelationPath], ends: Sequence[PathEnd]
    ) -> tuple[Tensor, Cost]:
        """(n, 3): how far each path explains the words, how well its end fits, and its share of the targets."""
        words = content_words(to_explain)
        nouns = asked_nouns(question)
        names = [relation_names(path) for path in paths]
        at_end = [end_texts(end) for end in ends]
        texts = list(dict.fromkeys([*words, *nouns, *chain(*names), *chain(*at_end)]))
        vectors, cost = self._published.of(texts)
        row = {text: place for place, text in enumerate(texts)}
        covered = torch.zeros(len(paths), 3)
        asked = vectors[[row[noun] for noun in nouns]]
        of_words = vectors[[row[word] for word in words]]
        for place, (relations, end, end_names) in enumerate(zip(names, ends, at_end, strict=True)):
            covered[place, 2] = end.targets
            if words:
                likeness = (of_words @ vectors[[row[name] for name in relations]].T).clamp(min=0.0)
                likeness[shared_stems(words, relations)] = 1.0
                covered[place, 0] = explained_share(likeness)
            if nouns and end.kind in _LITERAL_FIT:
                covered[place, 1] = max(_LITERAL_FIT[end.kind].get(noun, 0.0) for noun in nouns)
            elif nouns and end_names:
                covered[place, 1] = float((vectors[[row[name] for name in end_names]] @ asked.T).max())
        return covered, cost

    def _read_together(self, question: str, paths: Sequence[RelationPath]) -> tuple[Tensor, Cost]:
        """(n,): the cross-encoder's scores."""
        asked = self._tokens.question(question)
        ids = [self._tokens.path(path) for path in paths]
        with torch.inference_mode():
            scores = self._encoders.scores(asked, ids)
        return scores, Cost(calls=1, tokens_in=sum(len(asked) + len(each) for each in ids))


def _best_of_each_length(ranked: Tensor, paths: Sequence[RelationPath]) -> list[int]:
    lengths = torch.tensor([len(path) for path in paths])
    places: list[int] = []
    for length in sorted({len(path) for path in paths}):
        of_length = (lengths == length).nonzero().flatten()
        best = ranked[of_length].topk(min(MAX_COMPARED, len(of_length))).indices
        places += of_length[best].tolist()
    return places


def _put_first(scores: Tensor, places: list[int], values: Tensor) -> Tensor:
    """Scores with values for some places. All others are lowered alike until none is above these."""
    others = torch.ones(len(scores), dtype=torch.bool)
    others[places] = False
    put = scores.clone()
    put[places] = values
    if others.any():
        put[others] += torch.minimum(values.min() - put[others].max(), torch.tensor(0.0))
    return put
