"""A learned order of the entities that a question may be about.

A small network (one hidden layer) scores each candidate by `topic_features`. It was trained on questions with known
topics over graphs that hold many entities with confusable names; `reasoning.training.topic_ranking` trains it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from reasoning.core.options import Mention
from reasoning.question.literals import within_a_date
from reasoning.question.topics.candidates import topic_candidates
from reasoning.question.topics.features import topic_features

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from kgstore.store import EntityCard, EntityMatch, GraphStore, RelationCount
    from kgstore.terms import Entity
    from reasoning.question.literals import Span
    from reasoning.question.name_spans import Words
    from reasoning.question.topics.candidates import TopicCandidate
    from reasoning.question.topics.name_matches import Likeness, NameMatches

MAX_TOPICS = 10
"""Of all candidates, this many become topics to choose among."""
MAX_BEHIND = 5.0
"""Candidates whose log-odds are lower than the best one's by more than this are not among them."""
RANKING_FILE = Path(__file__).with_name("ranking.json")


@dataclass(frozen=True, slots=True)
class RankedTopic:
    """An entity that the question may be about."""

    mention: Mention
    """The part of the question that names it best."""
    card: EntityCard
    likeness: Likeness
    log_odds: float
    """By its name and what it is; comparable within a question alone."""
    is_asked_for: bool = False
    """Whether it is a type whose instances the question asks for."""


@dataclass(frozen=True, slots=True)
class TopicRanking:
    """The network: tanh(features scaled · hidden + bias) · output."""

    names: tuple[str, ...]
    means: NDArray[np.float64]
    scales: NDArray[np.float64]
    hidden: NDArray[np.float64]
    """(features, hidden)."""
    hidden_bias: NDArray[np.float64]
    output: NDArray[np.float64]
    """(hidden,)."""

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> Self:
        """Read what `to_json` wrote."""
        arrays = ("means", "scales", "hidden", "hidden_bias", "output")
        return cls(tuple(document["names"]), *(np.array(document[name]) for name in arrays))

    def to_json(self) -> dict[str, Any]:
        """As one JSON document."""
        arrays = {name: getattr(self, name) for name in ("means", "scales", "hidden", "hidden_bias", "output")}
        return {"names": self.names, **{name: np.round(array, 4).tolist() for name, array in arrays.items()}}

    def log_odds(self, names: Sequence[str], features: NDArray[np.float64]) -> NDArray[np.float64]:
        """(candidates,), for (candidates, features) with these names.

        Raises:
            ValueError: the features are not those that it learned.

        """
        if tuple(names) != self.names:
            raise ValueError("the order of topics was learned from other features; train it again")
        scaled = (features - self.means) / self.scales
        odds: NDArray[np.float64] = np.tanh(scaled @ self.hidden + self.hidden_bias) @ self.output
        return odds


@cache
def bundled_ranking() -> TopicRanking:
    """The one that is part of the product."""
    return TopicRanking.from_json(json.loads(RANKING_FILE.read_text(encoding="utf-8")))


@dataclass(frozen=True, slots=True)
class TopicChoice:
    """The candidates of a question with what is known of them."""

    candidates: Sequence[TopicCandidate]
    words: Words
    relations: Mapping[Entity, Sequence[RelationCount]]

    @classmethod
    def read(
        cls, words: Words, matches: NameMatches, linked: Mapping[Span, Sequence[EntityMatch]], store: GraphStore
    ) -> Self:
        """Find the candidates, and read their relations from the graph."""
        candidates = topic_candidates(matches, linked)
        dates = within_a_date(words.question, {each.span for each in candidates})
        candidates = [each for each in candidates if each.span not in dates]
        return cls(candidates, words, store.relations_each({each.match.card.entity for each in candidates}))

    def features(self) -> tuple[Sequence[str], NDArray[np.float64]]:
        """See `topic_features`."""
        return topic_features(self.candidates, self.words, self.relations)

    def ranked(self) -> tuple[RankedTopic, ...]:
        """The likeliest topics, each entity once, the likeliest first; at most `MAX_TOPICS`."""
        if not self.candidates:
            return ()
        odds = bundled_ranking().log_odds(*self.features())
        lowest = odds.max() - MAX_BEHIND
        topics: dict[Entity, RankedTopic] = {}
        for place in np.argsort(-odds, kind="stable").tolist():
            if odds[place] < lowest or len(topics) == MAX_TOPICS:
                break
            candidate = self.candidates[place]
            card = candidate.match.card
            if card.entity not in topics:
                topics[card.entity] = RankedTopic(
                    Mention(candidate.span[0], candidate.span[1], card.entity),
                    card,
                    candidate.likeness,
                    float(odds[place]),
                )
        return tuple(topics.values())
