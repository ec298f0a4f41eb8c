"""Questions drawn from a graph itself: walks over its facts, put into words by patterns.

They are no natural language, and teach what no benchmark has enough of: that a search goes on while words of the
question are left that no step has used, and ends when there are none, whatever the relations are called. A graph of
one's own gives as many as are wanted, without a label.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kgstore.freebase.labels import reads_as_verb
from kgstore.terms import Entity, Relation, TermKind
from reasoning.core.derivation import Constraint, Derivation, Operator, SearchStep
from reasoning.datasets.question import BenchmarkQuestion, GoldParse
from reasoning.facts.verbalize import relation_parts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from kgstore.store import GraphStore

_HOPS, _HOW_OFTEN = (1, 2, 3), (0.3, 0.4, 0.3)
_FOLLOWED = 50
"""Maximum of entities of a step that are followed, and of facts that are read."""
_AS_VERB = 0.7
"""How often a relation whose name ends with a preposition is put so that it reads well: *directed by*."""
_CONDITIONS = 0.25
"""How often the answer has to meet a condition, where one can be drawn."""
_FORWARD = (
    "the {name} of {of}",
    "the {name} of {of}",
    "{of}'s {name}",
    "{of}'s {name}",
    "the {name} that {of} has",
    "the {name} for {of}",
    "{of} {name}",
)
_FORWARD_VERB = ("what {of} was {name}", "who {of} was {name}", "what {of} is {name}", "the one that {of} is {name}")
_BACKWARD = (
    "the {kind} whose {name} is {of}",
    "the {kind} with {name} {of}",
    "the {kind} with {of} as {name}",
    "the {kind} that has {of} as its {name}",
    "the {kind} that has the {name} {of}",
    "{of}'s {kind}",
    "the {kind} of {of}",
)
_BACKWARD_VERB = ("the {kind} {name} {of}", "the {kind} that was {name} {of}", "the {kind} which is {name} {of}")
_SHARED = (
    "what has the same {name} as {of}",
    "the ones that share the {name} of {of}",
    "what else has the {name} of {of}",
    "the others with the same {name} as {of}",
    "what shares its {name} with {of}",
    "the ones that have a {name} in common with {of}",
    "the co {name} of {of}",
)
"""A step and the same step back: what else leads there."""
_HOW_OFTEN_SHARED = 0.15
_ASKED = (
    "what is {it}",
    "what is {it}",
    "what are {it}",
    "who is {it}",
    "which is {it}",
    "name {it}",
    "tell me {it}",
    "{it}",
    "i want to know {it}",
    "do you know {it}",
    "what was {it}",
    "find {it}",
)
_CONDITION = (
    "{it} whose {name} is {target}",
    "{it} with {name} {target}",
    "{it} where {name} is {target}",
    "{it} that has {target} as {name}",
)


@dataclass(frozen=True, slots=True)
class _Walk:
    """A derivation's steps so far, what they lead to, and its words."""

    steps: tuple[SearchStep, ...]
    reached: tuple[Entity, ...]
    words: str
    kind: TermKind


def draw_questions(store: GraphStore, topics: Iterable[Entity], *, seed: int = 0) -> Iterator[BenchmarkQuestion]:
    """A question about each topic that has a name and facts; the same graph and seed give the same questions.

    Raises:
        GraphStoreError: the graph cannot be read.

    """
    for topic in topics:
        chance = random.Random(f"{seed} {topic}")  # noqa: S311 - no secret
        card = store.cards([topic]).get(topic)
        if card is None or not card.name:
            continue
        question = _question(store, topic, card.name, chance)
        if question is not None:
            yield question


def _question(store: GraphStore, topic: Entity, name: str, chance: random.Random) -> BenchmarkQuestion | None:
    hops = chance.choices(_HOPS, _HOW_OFTEN)[0]
    walk = _Walk((), (topic,), name, TermKind.ENTITY)
    while hops > 0 or walk.kind is TermKind.MEDIATOR:
        longer = _onward(store, walk, topic, chance)
        if longer is None:
            break
        shared = _shared(store, walk, longer, topic, chance) if chance.random() < _HOW_OFTEN_SHARED else None
        hops -= 2 if shared else longer.kind is not TermKind.MEDIATOR
        walk = shared or longer
    if not walk.steps or walk.kind is TermKind.MEDIATOR:
        return None
    steps, words = walk.steps, walk.words
    constraints: tuple[Constraint, ...] = ()
    position = len(steps)
    if walk.kind is TermKind.ENTITY and len(walk.reached) > 1 and chance.random() < _CONDITIONS:
        demanded = _condition(store, walk, topic, chance)
        if demanded is not None:
            step, target, target_name, relation_name = demanded
            steps = (*steps, step)
            constraints = (Constraint(len(steps), Operator.EQUAL, target),)
            words = chance.choice(_CONDITION).format(it=words, name=relation_name, target=target_name)
    derivation = Derivation(topic, steps, constraints, position)
    text = chance.choice(_ASKED).format(it=words)
    return BenchmarkQuestion(
        f"drawn/{topic}", text, (GoldParse(topic, frozenset(), derivation),), group=str(topic), labels={}
    )


def _onward(store: GraphStore, walk: _Walk, topic: Entity, chance: random.Random) -> _Walk | None:
    back = walk.steps[-1].relation.inverse if walk.steps else None
    found = [each for each in store.relations(walk.reached) if each.relation != back and _has_words(each.relation)]
    if not found:
        return None
    # Every relation is as likely as any other, however many facts it has.
    each = chance.choice(found)
    facts = store.expand(walk.reached, each.relation, _FOLLOWED).triples
    far = [fact.subject if each.relation.is_reverse else fact.object for fact in facts]
    reached = tuple(dict.fromkeys(term for term in far if isinstance(term, Entity) and term != topic))
    if not reached and each.kind in (TermKind.ENTITY, TermKind.MEDIATOR):
        return None
    step = SearchStep(len(walk.steps), each.relation)
    return _Walk((*walk.steps, step), reached[:_FOLLOWED], phrase(each.relation, walk.words, chance), each.kind)


def _shared(store: GraphStore, walk: _Walk, longer: _Walk, topic: Entity, chance: random.Random) -> _Walk | None:
    """A walk one step longer that goes on by the same step back, if that leads to anything but where it came from."""
    if longer.kind is not TermKind.ENTITY:
        return None
    step = longer.steps[-1]
    back = step.relation.inverse
    facts = store.expand(longer.reached, back, _FOLLOWED).triples
    far = (fact.subject if back.is_reverse else fact.object for fact in facts)
    reached = tuple(dict.fromkeys(t for t in far if isinstance(t, Entity) and t != topic and t not in walk.reached))
    if not reached:
        return None
    _, name = relation_parts(step.relation)
    words = chance.choice(_SHARED).format(name=name, of=walk.words)
    return _Walk((*longer.steps, SearchStep(len(longer.steps), back)), reached, words, walk.kind)


def phrase(relation: Relation, of: str, chance: random.Random) -> str:
    """What a relation leads to from what ``of`` says, by one of several patterns: *the author of Emma*."""
    kind, name = relation_parts(relation)
    as_verb = reads_as_verb(name) and chance.random() < _AS_VERB
    patterns: Sequence[str]
    if relation.is_reverse:
        patterns = _BACKWARD_VERB if as_verb else _BACKWARD
    else:
        patterns = _FORWARD_VERB if as_verb else _FORWARD
    return chance.choice(patterns).format(name=name, kind=kind or "one", of=of)


def _condition(
    store: GraphStore, walk: _Walk, topic: Entity, chance: random.Random
) -> tuple[SearchStep, Entity, str, str] | None:
    """A further step from the answers to what some of them share, its target, and the names of both."""
    used = {walk.steps[-1].relation.inverse, *(step.relation for step in walk.steps)}
    found = [
        each
        for each in store.relations(walk.reached)
        if each.kind is TermKind.ENTITY and not each.relation.is_reverse and each.relation not in used
    ]
    if not found:
        return None
    each = chance.choice(found)
    facts = store.expand(walk.reached, each.relation, _FOLLOWED).triples
    targets = [fact.object for fact in facts if isinstance(fact.object, Entity) and fact.object != topic]
    if not targets:
        return None
    target = chance.choice(targets)
    card = store.cards([target]).get(target)
    if card is None or not card.name:
        return None
    return SearchStep(len(walk.steps), each.relation), target, card.name, relation_parts(each.relation)[1]


def _has_words(relation: Relation) -> bool:
    return bool(relation_parts(relation)[1])
