"""The one interface to a model: given the state of a run and a pool, the probabilities of the options."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol, TypeAlias, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from pathlib import Path

    from kgstore.store import GraphStore
    from kgstore.terms import Relation
    from reasoning.core.options import DecisionState, OptionPool
    from reasoning.facts.relation_paths import PathEnd, RelationPath


Ends: TypeAlias = "Callable[[Sequence[RelationPath]], Sequence[PathEnd]]"
"""Looks up some of what each of some relation paths leads to."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What scoring took."""

    calls: int = 0
    """Forward passes of the model, or requests to its server."""
    tokens_in: int = 0
    tokens_out: int = 0

    def __add__(self, other: Cost) -> Cost:
        return Cost(self.calls + other.calls, self.tokens_in + other.tokens_in, self.tokens_out + other.tokens_out)


@dataclass(frozen=True, slots=True)
class PathsRead:
    """What a decision that is a marginal was computed from: P(path given the question)."""

    likeliest: Sequence[tuple[RelationPath, float]]
    """The most probable paths."""
    none: float
    """The probability that no path is meant."""
    total: int
    """The number of paths that were found."""
    extended: int
    """The number of paths that were extended by a relation."""
    extensible: int
    """The number of paths that could have been."""


@dataclass(frozen=True, slots=True)
class Distribution:
    """P(option given S_k, Q): of the whole pool, or of those options that were read.

    A probability is an option's share of the pool: what the model gives the option, divided by what it gives all of
    them together. Where some were not read, the most that they can have is counted as theirs. So what stands here sums
    to one, the ratio of two listed options is exact, and one listed with ``p`` has from ``p`` to ``p / (1 - rest)``.
    """

    probabilities: Mapping[int, float]
    """By the option's index in the pool: every option, or those that were read."""
    rest: float
    """What the others have together, at most; 0.0 where there are none."""
    cost: Cost
    next: float = 0.0
    """What any one of the others has, at most."""
    exact: bool = True
    """Whether these are the model's probabilities; False where it only said which option it picks."""
    paths: PathsRead | None = None
    """Where whole paths were read for it."""

    @property
    def best(self) -> int:
        """The index of the most probable option; of equals the first."""
        return max(self.probabilities, key=lambda index: (self.probabilities[index], -index))

    def led_by(self, indices: Collection[int]) -> Distribution:
        """The same, led by the likeliest of some options: it and the best one change their probabilities.

        Without such options it stays as it is.
        """
        if not indices:
            return self
        index = max(indices, key=lambda each: self.probabilities.get(each, 0.0))
        shares = dict(self.probabilities)
        shares[index], shares[self.best] = shares[self.best], shares.get(index, 0.0)
        return replace(self, probabilities=shares)


class Scorer(Protocol):
    """A model that chooses. Safe to share between threads. Probabilities are exact to 1e-4 unless marked otherwise."""

    @property
    def name(self) -> str:
        """How users see which model decided."""

    def score(self, state: DecisionState, pool: OptionPool, *, best: int | None = None) -> Distribution:
        """The distribution over ``pool``: all of it, or no more than it takes to be certain of the ``best`` n.

        Those are listed, and whatever else is known by then.

        Raises:
            ScorerUnavailableError: the model cannot be reached or loaded.
            UndecidedError: it is there, but makes nothing of this decision.

        """


@runtime_checkable
class PathScorer(Protocol):
    """A scorer that may give a whole relation path a probability, and not only the next relation of it."""

    @property
    def reads_paths(self) -> bool:
        """Whether it does; one that learned to choose relation by relation alone does not."""

    def score_paths(
        self, state: DecisionState, paths: Sequence[tuple[Relation, ...]], *, best: int | None = None
    ) -> Distribution:
        """The distribution over relation paths from the topic entity: all, or until the ``best`` n are certain.

        ``state`` is that of the first search decision. Errors as for `Scorer.score`.
        """


@runtime_checkable
class WholePathReader(Scorer, Protocol):
    """A scorer that compares complete relation paths with a question, so that search decisions are marginals."""

    def searches_by_paths(self, store: GraphStore) -> bool:
        """Whether whole paths decide the search over a graph; where they do not, `score` does."""

    def path_likenesses(self, state: DecisionState, paths: Sequence[RelationPath]) -> Sequence[float]:
        """How like the question each path is, at little cost; only their order counts."""

    def path_log_odds(
        self, state: DecisionState, paths: Sequence[RelationPath], ends: Ends
    ) -> tuple[Sequence[float], Cost]:
        """The log-odds of each path, and last those of the case that none of them is meant.

        ``state`` is that of the first search decision. ``ends`` looks up what some of the paths lead to. Errors as for
        `Scorer.score`.
        """


@runtime_checkable
class Comparing(Protocol):
    """A scorer that learned from whole pools: its odds of two options may depend on what else a pool holds."""

    @property
    def compares(self) -> bool:
        """Whether they do. If so, the odds within a part of a pool need a request for the whole pool."""


@runtime_checkable
class Reading(Protocol):
    """A scorer that reads what a graph offers before it is asked, so that the first question is as fast as others."""

    def read_ahead(self, store: GraphStore, folder: Path) -> None:
        """Read the texts of a graph's relations, and keep what comes of it in a folder for the next start.

        Raises:
            GraphStoreError: the graph cannot be read.

        """
