"""Questions made longer: the topic is described by what leads to it, *where was the author of Emma born*.

The wording stays that of the asker, but for the name of the topic. So a question of one step teaches how one of two
is asked, over any graph: that the words nearest to the topic come first, and that a search goes on.
"""

from __future__ import annotations

import random
import re
from dataclasses import replace
from typing import TYPE_CHECKING

from kgstore.terms import Entity, TermKind
from reasoning.core.derivation import Derivation, SearchStep
from reasoning.datasets.question import BenchmarkQuestion, GoldParse
from reasoning.training.lessons.drawn import phrase

if TYPE_CHECKING:
    from kgstore.store import GraphStore

_READ = 50
"""Maximum of facts of a relation that are read, and of entities that a description of the topic may mean."""


def compose(
    question: BenchmarkQuestion, derivation: Derivation, store: GraphStore, *, seed: int = 0
) -> tuple[BenchmarkQuestion, Derivation] | None:
    """A question one step longer and its derivation; the same each time.

    None where the topic is not named as the graph names it, or nothing that has a name leads to it.

    Raises:
        GraphStoreError: the graph cannot be read.

    """
    topic = derivation.topic
    chance = random.Random(f"{seed} {question.id} {question.text}")  # noqa: S311 - no secret
    card = store.cards([topic]).get(topic)
    if card is None or not card.name:
        return None
    named = re.search(rf"(?<!\w){re.escape(card.name)}(?!\w)", question.text, re.IGNORECASE)
    if named is None:
        return None
    taken = {step.relation for step in derivation.steps}
    ways = [each for each in store.relations([topic]) if each.kind is TermKind.ENTITY and each.relation not in taken]
    for each in chance.sample(ways, len(ways)):
        facts = store.expand([topic], each.relation, _READ).triples
        far = {fact.subject if each.relation.is_reverse else fact.object for fact in facts} - {topic}
        cards = store.cards([term for term in far if isinstance(term, Entity)])
        there = each.relation.inverse
        known = sorted((entity for entity, card in cards.items() if card.name), key=str)
        begin = chance.choice(known) if known else None
        if begin is not None and store.expand([begin], there, 1).total <= _READ:
            words = phrase(there, cards[begin].name or "", chance)
            text = f"{question.text[: named.start()]}{words}{question.text[named.end() :]}"
            return replace(question, text=text, parses=(GoldParse(begin, frozenset(), None),)), _after(
                derivation, begin, SearchStep(0, there)
            )
    return None


def _after(derivation: Derivation, topic: Entity, first: SearchStep) -> Derivation:
    """The derivation from the end of a first step on."""
    return Derivation(
        topic,
        (first, *(replace(step, position=step.position + 1) for step in derivation.steps)),
        tuple(replace(constraint, position=constraint.position + 1) for constraint in derivation.constraints),
        derivation.answer_position + 1,
    )
