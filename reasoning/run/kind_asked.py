"""The kind that a question asks for decides where it is known: *in which country was she born* ends at no city.

Discern's own. Where the scorer would stop at places and the question asks for a region of another kind, the search goes
on to the regions that hold them, and of several keeps those of the kind. Where the scorer would answer with what is not
of the kind and another position holds what is, the answer is there. *The population of Texas* is a fact of Texas and
not of its cities. *How many cities* counts cities alone. The option takes the probability of the one that it replaces.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kgstore.freebase.labels import name_parts, relation_label
from kgstore.terms import Entity, TermKind
from reasoning.core.derivation import Operator
from reasoning.core.options import AnswerOption, ConstraintOption, NoneOption, OptionPool, Stage, StepOption
from reasoning.core.structure import ROOT
from reasoning.facts.verbalize import question_without_targets
from reasoning.question.kinds import is_counted, kinds_asked_for, words_for_kind
from reasoning.question.measures import stems_of_measure
from reasoning.question.regions import LEADS_TO
from reasoning.question.topics.starting_types import is_superlative
from reasoning.question.words import content_stems, says_an_order, words_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from kgstore.store import EntityCard, GraphStore
    from kgstore.terms import Relation, Term
    from reasoning.core.options import DecisionState, Option
    from reasoning.question.linking import Linking
    from reasoning.scorers.base import Distribution

_LOOKED_AT = 200
"""Of what a position holds, or a step leads to, this many are looked at."""


def decide_by_kind(
    state: DecisionState,
    pool: OptionPool,
    linking: Linking,
    members: Sequence[frozenset[Term]],
    found: Distribution,
    store: GraphStore,
    cards: Callable[[Iterable[Term]], Mapping[Entity, EntityCard]],
) -> Distribution:
    """P(option) where the option of the kind asked for takes the place of the best one, if that is of another.

    Raises:
        GraphStoreError: the graph cannot be read.

    """
    best = pool.options[found.best]

    def are_asked_for(terms: Iterable[Term]) -> bool:
        some = [term for term in terms if isinstance(term, Entity)][:_LOOKED_AT]
        types = (name for card in cards(some).values() for name in card.types)
        asked = kinds_asked_for(state.question, linking.names, types).values()
        return any(not _is_said_after(words.end, state) for words in asked)

    if state.stage is Stage.INFER and isinstance(best, AnswerOption):
        if are_asked_for(members[best.position]):
            return found
        fitting = [
            place
            for place, option in enumerate(pool.options)
            if isinstance(option, AnswerOption) and are_asked_for(members[option.position])
        ]
    elif state.stage is Stage.SEARCH and isinstance(best, StepOption):
        fitting = _facts_of_its_own(state, pool, best)
    elif state.stage is Stage.SEARCH and isinstance(best, NoneOption) and len(members) > 1:
        if any(map(are_asked_for, members[1:])):
            return found
        newest = len(members) - 1
        fitting = [
            place
            for place, option in enumerate(pool.options)
            if isinstance(option, StepOption)
            and option.step.position == newest
            and leads_to_region(option.step.relation)
            and are_asked_for(reached(members[newest], option.step.relation, store, _LOOKED_AT))
        ]
    elif state.stage is Stage.PRUNE and isinstance(best, NoneOption):
        fitting = [
            place
            for place, option in enumerate(pool.options)
            if _keeps_regions_asked_for(option, state, linking) or _keeps_what_is_counted(option, state, linking)
        ]
    else:
        return found
    return found.led_by(fitting)


def _facts_of_its_own(state: DecisionState, pool: OptionPool, best: StepOption) -> list[int]:
    """The places of the steps that the question names, where the best one leads from a region to the places within.

    *The population of Texas* is no city's, unless the question orders them: *the city in Texas with the most people*.
    """
    goes_within = leads_to_region(best.step.relation.inverse) and best.step.position == ROOT
    if not goes_within or says_an_order(state.question) or any(map(is_superlative, words_of(state.question))):
        return []
    asked = question_without_targets(state)
    said = content_stems(asked) | stems_of_measure(words_of(asked))

    def is_said(relation: Relation | None) -> bool:
        stems = frozenset() if relation is None else content_stems(relation_label(relation).label)
        return bool(stems) and stems <= said

    newest = state.structure.nodes[-1]
    if newest.position == ROOT:
        return [
            place
            for place, option in enumerate(pool.options)
            if isinstance(option, StepOption) and is_said(option.step.relation)
        ]
    if not any(is_said(node.relation) for node in state.structure.nodes):
        return []
    if newest.kind is not TermKind.MEDIATOR:
        return [place for place, option in enumerate(pool.options) if isinstance(option, NoneOption)]
    return [
        place
        for place, option in enumerate(pool.options)
        if isinstance(option, StepOption) and option.step.position == newest.position and option.kind is TermKind.NUMBER
    ]


def _keeps_regions_asked_for(option: Option, state: DecisionState, linking: Linking) -> bool:
    """Whether an option keeps, of the regions around a place, those of the kind that is asked for."""
    if not isinstance(option, ConstraintOption) or option.constraint.operator is not Operator.KIND:
        return False
    relation = state.structure.nodes[option.constraint.position].relation
    asked = kinds_asked_for(state.question, linking.names, [str(option.constraint.target)]).values()
    around = relation is not None and leads_to_region(relation)
    return around and any(not _is_said_after(words.end, state) for words in asked)


def _keeps_what_is_counted(option: Option, state: DecisionState, linking: Linking) -> bool:
    """Whether an option keeps, of what is counted, that of the kind that is said: *how many cities are in Texas*."""
    if not isinstance(option, ConstraintOption) or option.constraint.operator is not Operator.KIND:
        return False
    words = words_for_kind(state.question, linking.names, Entity(str(option.constraint.target)))
    is_last = option.constraint.position == state.structure.nodes[-1].position
    return is_last and words is not None and is_counted(state.question[: words.start])


def _is_said_after(end: int, state: DecisionState) -> bool:
    """Whether the word after a kind belongs to a relation that was followed: *state capital* asks for no state."""
    after = words_of(state.question[end:])[:1]
    followed = (relation_label(node.relation).label for node in state.structure.nodes if node.relation is not None)
    return not content_stems(" ".join(after)).isdisjoint(content_stems(" ".join(followed)))


def reached(terms: Iterable[Term], relation: Relation, store: GraphStore, most: int) -> Sequence[Term]:
    """What a relation leads to from the first ``most`` entities among some terms, as many at most.

    Raises:
        GraphStoreError: the graph cannot be read.

    """
    entities = [term for term in terms if isinstance(term, Entity)][:most]
    triples = store.expand(entities, relation, most).triples
    return [triple.subject if relation.is_reverse else triple.object for triple in triples]


def leads_to_region(relation: Relation) -> bool:
    """Whether a relation, followed so, leads from a place to a region that holds it."""
    leads_to = LEADS_TO.get(name_parts(relation.predicate)[1])
    return leads_to == ("place" if relation.is_reverse else "region")
