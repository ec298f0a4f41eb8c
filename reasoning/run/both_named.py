"""*Which films have both X and Y*: what is reached from one name, of which the other one is true in the same way.

Discern's own way to such a derivation, which READS can say: from what the path leads to, the same path back, and the
other name as a condition on its end. Where the scorer would stop, the search goes on along that path, if it leads to
something that both have. Each option takes the probability of the one that it replaces.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from kgstore.terms import Entity
from reasoning.core.derivation import Operator
from reasoning.core.options import AnswerOption, ConstraintOption, NoneOption, OptionPool, Stage, StepOption
from reasoning.run.kind_asked import reached as reached_from

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kgstore.store import GraphStore
    from kgstore.terms import Relation, Term
    from reasoning.core.options import DecisionState, Option
    from reasoning.core.structure import AbstractStructure
    from reasoning.question.linking import Linking
    from reasoning.scorers.base import Distribution

_JOINS = re.compile(
    r"\s*(?:,|&|,?\s*\b(?:and|as\s+well\s+as|and\s+also|and\s+with|(?:together|along)\s+with|alongside)\b)\s*(?:the\s+)?",
    re.IGNORECASE,
)
_LOOKED_AT = 2_000
"""Of what the path leads to from the other name, this many are looked at."""


def decide_both(
    state: DecisionState,
    pool: OptionPool,
    linking: Linking,
    members: Sequence[frozenset[Term]],
    found: Distribution,
    store: GraphStore,
) -> Distribution:
    """P(option) where the option that the other name needs takes the place of the best one.

    Raises:
        GraphStoreError: the graph cannot be read.

    """
    others = _joined(state.question, linking)
    reached = _end_of_path(state.structure)
    if not others or reached is None:
        return found
    best = pool.options[found.best]
    newest = len(members) - 1
    fitting: list[int] = []
    if state.stage is Stage.SEARCH:
        back = _way_back(state.structure, reached)
        place = newest - reached
        if place == len(back) and place:
            fitting = [index for index, option in enumerate(pool.options) if isinstance(option, NoneOption)]
        elif place or (
            _stops_or_returns(best, newest, back) and _have_both(others, state.structure, reached, members, store)
        ):
            fitting = [
                index
                for index, option in enumerate(pool.options)
                if isinstance(option, StepOption)
                and (option.step.position, option.step.relation) == (newest, back[place])
            ]
    elif state.stage is Stage.PRUNE and isinstance(best, NoneOption) and newest > reached:
        fitting = [
            index
            for index, option in enumerate(pool.options)
            if isinstance(option, ConstraintOption)
            and option.constraint.operator is Operator.EQUAL
            and option.constraint.position == newest
            and option.constraint.target in others
        ]
    elif state.stage is Stage.INFER and newest > reached:
        fitting = [
            index
            for index, option in enumerate(pool.options)
            if isinstance(option, AnswerOption) and option.position == reached
        ]
    return found.led_by(fitting)


def _stops_or_returns(best: Option, newest: int, back: Sequence[Relation]) -> bool:
    """Whether the scorer ends the search, or goes back as it came."""
    if isinstance(best, StepOption):
        return (best.step.position, best.step.relation) == (newest, back[0])
    return isinstance(best, NoneOption)


def _joined(question: str, linking: Linking) -> frozenset[Entity]:
    """The entities that the question names next to the topic, with *and* between them: of namesakes, each."""
    topic = linking.mention
    if topic is None:
        return frozenset()
    spans = {
        (mention.start, mention.end)
        for mention in linking.targets
        if _JOINS.fullmatch(question[min(topic.end, mention.end) : max(topic.start, mention.start)])
    }
    named = [mention for mention in linking.targets if (mention.start, mention.end) in spans]
    return (
        frozenset(mention.term for mention in named if isinstance(mention.term, Entity))
        if len(spans) == 1
        else frozenset()
    )


def _end_of_path(structure: AbstractStructure) -> int | None:
    """The position from which S_k leads back as it came, or its newest one; None where it branches, or has no step."""
    newest = structure.step
    if newest == 0 or structure.branches > 1:
        return None
    relations = [node.relation for node in structure.nodes]
    for position in range(1, newest):
        back = _way_back(structure, position)[: newest - position]
        if relations[position + 1 :] == back:
            return position
    return newest


def _way_back(structure: AbstractStructure, position: int) -> list[Relation]:
    path = (node.relation for node in structure.path(position))
    return [relation.inverse for relation in path if relation is not None][::-1]


def _have_both(
    others: frozenset[Entity],
    structure: AbstractStructure,
    position: int,
    members: Sequence[frozenset[Term]],
    store: GraphStore,
) -> bool:
    """Whether the path leads from the other name to something that it leads to from the topic."""
    terms: Sequence[Term] = sorted(others)
    for node in structure.path(position)[1:]:
        if node.relation is not None:
            terms = reached_from(dict.fromkeys(terms), node.relation, store, _LOOKED_AT)
    return not members[position].isdisjoint(terms)
