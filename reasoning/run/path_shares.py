"""READS' search decisions as marginals of a distribution over complete relation paths.

P(next step is r) is the share of the paths that go on with r among all that begin as S_k does. P(None) is the share of
the path that ends there. If a user chose another step, the rest is normalized again, and no model is asked.

Where the path ends, S_k may still need a branch for a condition. The share of the path that ends there is then divided
between None and the steps that may lead to what a condition compares, as another scorer weighs these.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import partial
from heapq import nlargest
from typing import TYPE_CHECKING

from kgstore.store_parts.types_as_entities import INSTANCES
from kgstore.terms import Date, Number, TermKind
from reasoning.core.options import NoneOption, StepOption
from reasoning.core.structure import AbstractStructure
from reasoning.facts.relation_paths import relation_paths
from reasoning.question.ordinals import place_asked
from reasoning.question.words import says_an_order
from reasoning.scorers.base import Cost, Distribution, PathsRead

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kgstore.store import GraphStore
    from kgstore.terms import Entity
    from reasoning.core.options import DecisionState, OptionPool
    from reasoning.core.switches import EngineSwitches
    from reasoning.facts.relation_paths import RelationPath, RelationPaths
    from reasoning.scorers.base import WholePathReader


LIKELIEST_SHOWN = 5
"""Number of the most probable paths that the event log keeps."""


@dataclass(frozen=True, slots=True)
class PathShares:
    """P(path given the question) over the relation paths around a topic entity."""

    shares: Mapping[RelationPath, float]
    """By path; they sum to one. That of the empty path says that none is meant."""

    def read(self, found: RelationPaths) -> PathsRead:
        """What decisions are computed from, with the most probable paths."""
        paths = nlargest(LIKELIEST_SHOWN, found.paths, key=self.shares.__getitem__)
        likeliest = [(path, self.shares[path]) for path in paths]
        return PathsRead(likeliest, self.shares[()], len(found.paths), found.extended, found.extensible)

    @classmethod
    def of_scores(cls, paths: Sequence[RelationPath], scores: Sequence[float]) -> PathShares:
        """The softmax of scores that are log-odds."""
        most = max(scores, default=0.0)
        weights = [math.exp(score - most) for score in scores]
        total = sum(weights)
        return cls({path: weight / total for path, weight in zip(paths, weights, strict=True)})

    def marginals(self, structure: AbstractStructure, pool: OptionPool) -> list[float] | None:
        """P(option) for each option of a search pool; None where no path begins as S_k does, or S_k branches."""
        if structure.branches > 1:
            return None
        begun = tuple(node.relation for node in structure.nodes if node.relation is not None)
        ends = 0.0
        goes_on: dict[object, float] = {}
        for path, share in self.shares.items():
            if path[: len(begun)] == begun:
                if len(path) == len(begun):
                    ends += share
                else:
                    relation = path[len(begun)]
                    goes_on[relation] = goes_on.get(relation, 0.0) + share
        last = structure.nodes[-1].position
        masses = [
            ends
            if isinstance(option, NoneOption)
            else goes_on.get(option.step.relation, 0.0)
            if isinstance(option, StepOption) and option.step.position == last
            else 0.0
            for option in pool.options
        ]
        total = sum(masses)
        return None if total <= 0 else [mass / total for mass in masses]


def ends_here(shares: Sequence[float], pool: OptionPool) -> bool:
    """Whether None is the most probable option of a pool."""
    return bool(shares) and isinstance(pool.options[max(range(len(shares)), key=shares.__getitem__)], NoneOption)


def branch_kinds(state: DecisionState) -> frozenset[TermKind]:
    """What a step may lead to, besides a target itself, where a condition of the question can be compared.

    Dates, numbers and mediators, which may have one, if the question names one or a place in an order; mediators, which
    may lead to the target, if it names an entity.
    """
    kinds = {type(mention.term) for mention in state.targets}
    compares = says_an_order(state.question) or place_asked(state.question, state.name_spans) is not None
    if compares or kinds & {Date, Number}:
        return frozenset({TermKind.DATE, TermKind.NUMBER, TermKind.MEDIATOR})
    return frozenset({TermKind.MEDIATOR}) if kinds else frozenset()


def branch_places(pool: OptionPool, state: DecisionState) -> list[int]:
    """The places in a pool of None and of the steps that may lead to what a condition compares.

    These lead to a target that the question names, or to one of `branch_kinds`. Empty where there is no such step.
    """
    kinds = branch_kinds(state)
    steps = [
        place
        for place, option in enumerate(pool.options)
        if isinstance(option, StepOption) and (option.reaches or option.kind in kinds)
    ]
    none = [place for place, option in enumerate(pool.options) if isinstance(option, NoneOption)]
    return [*none, *steps] if steps else []


def with_branches(
    shares: Sequence[float] | None, pool: OptionPool, places: Sequence[int], weighed: Mapping[int, float]
) -> list[float]:
    """The shares of a pool where that of None is divided among ``places`` as another scorer weighed them.

    Without shares, S_k branches already: all is divided.
    """
    divided = [0.0] * len(pool) if shares is None else list(shares)
    none = [place for place, option in enumerate(pool.options) if isinstance(option, NoneOption)]
    ends = 1.0 if shares is None else sum(divided[place] for place in none)
    total = sum(weighed.get(place, 0.0) for place in places)
    if total <= 0:
        return divided
    for place in places:
        share = ends * weighed.get(place, 0.0) / total
        divided[place] = share if place in none else divided[place] + share
    return divided


def _from_instances(path: RelationPath) -> RelationPath:
    """A path without the step from a type to its instances, which says nothing of the question."""
    return path[1:] if path[:1] == (INSTANCES,) else path


@dataclass(slots=True)
class PathDecisions:
    """The search decisions of a run by whole paths. Those around a topic entity are read once for a question."""

    store: GraphStore
    switches: EngineSwitches
    _read: dict[tuple[Entity, str], PathShares | None] = field(default_factory=dict)
    """None where there is no path."""

    def decide(self, scorer: WholePathReader, state: DecisionState, pool: OptionPool, topic: Entity) -> Distribution:
        """P(option) for a search pool: marginals of the paths, else what the scorer gives the options.

        ``state`` and ``pool`` are what the scorer may see.

        Raises:
            GraphStoreError: the graph cannot be read.
            ScorerUnavailableError, UndecidedError: see `Scorer.score`.

        """
        paths, read, cost = self._shares(scorer, state, topic)
        shares = None if paths is None else paths.marginals(state.structure, pool)
        places: Sequence[int] = range(len(pool))
        if shares is not None:
            may_branch = bool(state.structure.step) and ends_here(shares, pool)
            places = branch_places(pool, state) if may_branch else ()
        elif paths is not None:
            places = branch_places(pool, state) or places
        if places:
            among = scorer.score(state, pool)
            shares = with_branches(shares, pool, places, among.probabilities)
            cost += among.cost
        return Distribution(dict(enumerate(shares or ())), 0.0, cost, paths=read)

    def _shares(
        self, scorer: WholePathReader, state: DecisionState, topic: Entity
    ) -> tuple[PathShares | None, PathsRead | None, Cost]:
        """The shares, and what was read for them if it was just now."""
        key = (topic, state.question)
        if key in self._read:
            return self._read[key], None, Cost()
        first = replace(state, structure=AbstractStructure(state.structure.nodes[:1]))

        def rank(paths: Sequence[RelationPath]) -> Sequence[float]:
            return scorer.path_likenesses(first, [_from_instances(path) or path for path in paths])

        found = relation_paths(self.store, topic, rank, topic_may_recur=self.switches.topic_may_recur)
        if not found.paths:
            self._read[key] = None
            return None, None, Cost()
        targets, typed = state.target_entities, self.switches.entity_types
        ends = partial(found.ends, self.store, targets=targets, typed=typed)
        full = {_from_instances(path): path for path in found.paths if path != (INSTANCES,)}
        scores, cost = scorer.path_log_odds(first, [*full], lambda paths: ends([full[path] for path in paths]))
        shares = PathShares.of_scores([*full.values(), ()], scores)
        if (INSTANCES,) in found.kinds:
            shares = PathShares({**shares.shares, (INSTANCES,): 0.0})
        self._read[key] = shares
        return shares, shares.read(found), cost
