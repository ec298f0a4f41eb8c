"""Scores of complete relation paths for a question, in three stages of growing cost.

1. All paths are ranked by the mean of the vectors of their relations. These vectors are cached for a graph.
2. The text of the best of them is compared with the question by the published encoder and by the bi-encoder.
3. The cross-encoder reads the question together with each of the best of those. Two more figures are computed for
   them: how far the path explains the words of the question, and how well its end fits what is asked for.

The log-odds of a path read in stage 3 are a weighted sum of these. A path that was not read there gets less than all
that were.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

import torch

from kgstore.terms import TermKind
from reasoning.facts.verbalize import relation_words
from reasoning.question.words import content_words
from reasoning.scorers.base import Cost
from reasoning.scorers.encoder.minilm import mean_vectors
from reasoning.scorers.path_reader.coverage import (
    asked_noun,
    end_texts,
    explained_share,
    relation_names,
    shared_stems,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch import Tensor

    from kgstore.terms import Relation
    from reasoning.facts.relation_paths import PathEnd, RelationPath
    from reasoning.scorers.base import Ends
    from reasoning.scorers.encoder.minilm import Words
    from reasoning.scorers.encoder.text_vectors import TextVectors
    from reasoning.scorers.path_reader.weights import PathEncoders

MAX_COMPARED = 96
"""Maximum of paths whose text is compared with the question."""
MAX_READ_TOGETHER = 24
"""Maximum of paths that the cross-encoder reads together with the question."""
# Fitted on held-out questions: docs/explanation/scorer.md.
_PUBLISHED_WEIGHT = 2.6
_APART_WEIGHT = 11.7
_TOGETHER_WEIGHT = 0.23
_EXPLAINED_WEIGHT = 9.5
_FIT_WEIGHT = 6.2
_LITERAL_FIT = {
    TermKind.DATE: {"date": 0.6, "year": 0.5, "month": 0.5, "day": 0.5},
    TermKind.NUMBER: {"number": 0.6},
}
"""How well a date or a number fits what is asked for."""
NO_PATH_LOG_ODDS = 7.0
"""Of the case that no path is meant: 99 of 100 right paths have more, see docs/explanation/scorer.md."""
_MAX_QUESTION_TOKENS = 40
_MAX_RELATION_TOKENS = 14
_MAX_PATH_TOKENS = 46


class PathReader:
    """Compares relation paths with a question. Safe to share between threads."""

    def __init__(self, encoders: PathEncoders, apart: TextVectors, published: TextVectors, words: Words) -> None:
        """Take the encoders. ``apart`` and ``published`` keep the vectors that the two of them computed."""
        self._together = encoders.together
        self._weight, self._bias = encoders.weight, encoders.bias
        self._apart = apart
        self._published = published
        self._words = words
        _, self._comma, self._end = words.ids([","])[0]

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
        ranked, cost = self.likenesses(question, paths)
        compared = ranked.topk(min(MAX_COMPARED, len(paths))).indices.tolist()
        likeness, read_cost = self._compared(question, [paths[place] for place in compared])
        cost += read_cost
        best = likeness.topk(min(MAX_READ_TOGETHER, len(compared))).indices.tolist()
        read = [paths[compared[place]] for place in best]
        together, read_cost = self._read_together(question, read)
        cost += read_cost
        covered, read_cost = self._covered(to_explain, read, ends(read))
        cost += read_cost
        gained = _TOGETHER_WEIGHT * together + covered
        final = likeness + gained.min()
        final[best] = likeness[best] + gained
        scores = _APART_WEIGHT * ranked
        rest = torch.ones(len(paths), dtype=torch.bool)
        rest[compared] = False
        if rest.any():
            scores[rest] += torch.minimum(final.min() - scores[rest].max(), torch.tensor(0.0))
        scores[compared] = final
        return [*scores.tolist(), NO_PATH_LOG_ODDS], cost

    def _compared(self, question: str, paths: Sequence[RelationPath]) -> tuple[Tensor, Cost]:
        """Stage 2: (n,), the weighted likenesses of question and text."""
        texts = [path_text(path) for path in paths]
        likeness = torch.zeros(len(texts))
        cost = Cost()
        for vectors, weight in ((self._published, _PUBLISHED_WEIGHT), (self._apart, _APART_WEIGHT)):
            read, read_cost = vectors.of([question, *texts])
            likeness += weight * (read[1:] @ read[0])
            cost += read_cost
        return likeness, cost

    def _covered(self, question: str, paths: Sequence[RelationPath], ends: Sequence[PathEnd]) -> tuple[Tensor, Cost]:
        """(n,): the weighted sum of how far each path explains the words, and how well its end fits what is asked."""
        words = content_words(question)
        noun = asked_noun(question)
        names = [relation_names(path) for path in paths]
        at_end = [end_texts(end) for end in ends]
        texts = list(dict.fromkeys([*words, noun, *chain(*names), *chain(*at_end)]))
        vectors, cost = self._published.of(texts)
        row = {text: place for place, text in enumerate(texts)}
        covered = torch.zeros(len(paths))
        asked = vectors[row[noun]]
        of_words = vectors[[row[word] for word in words]]
        for place, (relations, end, end_names) in enumerate(zip(names, ends, at_end, strict=True)):
            if words:
                likeness = (of_words @ vectors[[row[name] for name in relations]].T).clamp(min=0.0)
                likeness[shared_stems(words, relations)] = 1.0
                covered[place] += _EXPLAINED_WEIGHT * explained_share(likeness)
            if noun and end.kind in _LITERAL_FIT:
                covered[place] += _FIT_WEIGHT * _LITERAL_FIT[end.kind].get(noun, 0.0)
            elif noun and end_names:
                covered[place] += _FIT_WEIGHT * float((vectors[[row[name] for name in end_names]] @ asked).max())
        return covered, cost

    def _read_together(self, question: str, paths: Sequence[RelationPath]) -> tuple[Tensor, Cost]:
        """(n,): the cross-encoder's scores."""
        asked = self._words.ids([question])[0]
        asked = [*asked[:-1][: _MAX_QUESTION_TOKENS - 1], asked[-1]]
        by_length: dict[int, list[tuple[int, list[int]]]] = {}
        for place, path in enumerate(paths):
            ids = self._path_ids(path)
            by_length.setdefault(len(ids), []).append((place, ids))
        scores = torch.zeros(len(paths))
        with torch.inference_mode():
            for group in by_length.values():
                batch = torch.tensor([[*asked, *ids] for _, ids in group])
                hidden = self._together.embed(batch, second_from=len(asked))
                vectors = mean_vectors(self._together.run(hidden, None, slice(None)), None, unit=False)
                scores[[place for place, _ in group]] = (vectors @ self._weight.T + self._bias)[:, 0]
        tokens = sum((len(asked) + length) * len(group) for length, group in by_length.items())
        return scores, Cost(calls=len(by_length), tokens_in=tokens)

    def _path_ids(self, path: Sequence[Relation]) -> list[int]:
        """The tokens of a path's text and the token that ends a text, cut as in training."""
        tokens: list[int] = []
        for ids in self._words.ids([relation_words(relation) for relation in path]):
            tokens += [*([self._comma] if tokens else []), *ids[1:-1][:_MAX_RELATION_TOKENS]]
        return [*tokens[: _MAX_PATH_TOKENS - 1], self._end]


def path_text(path: Sequence[Relation]) -> str:
    """A relation path in words, as the encoders were trained to read it."""
    return ", ".join(relation_words(relation) for relation in path)
