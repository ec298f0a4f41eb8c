"""What the judge knows of what a relation led to: its name, its types, the relations around it, what is next to it.

The same in training and in a run. The paper gives a language model the name, the type and the facts of an entity.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kgstore.freebase.labels import type_label
from kgstore.names import literal_label
from kgstore.terms import Entity
from reasoning.facts.verbalize import relation_words
from reasoning.question.kinds import those_asked_for
from reasoning.strategies.asking import masked_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kgstore.terms import Relation, Term
    from reasoning.question.linking import Linking
    from reasoning.run.run import Run

MAX_JUDGED = 300
"""Of what a relation leads to, no more are looked at one by one; the best known ones."""
_RELATIONS = 4
"""Maximum of relations around an entity that are read, apart from the one that led to it."""
_TYPES = 3
OF_ANOTHER_KIND = "stands beside what is of a kind that the question asks for, and is not"
FLAGS = (
    "entity",
    "mediator",
    "literal",
    "is named in the question",
    "a fact joins it to what the question names",
    "is of a kind that the question asks for",
    OF_ANOTHER_KIND,
)
"""What is known without reading. Named things are other ones than the topic."""


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of one entity or value."""

    name: str
    types: tuple[str, ...]
    """In words, the most telling first."""
    relations: tuple[str, ...]
    """In words, those that most of its facts have first."""
    flags: tuple[float, ...]
    """See `FLAGS`."""


@dataclass(frozen=True, slots=True)
class Met:
    """What a relation led to, for one question."""

    question: str
    """With *it* for its topic."""
    relation: str
    """The one that led there, in words."""
    terms: tuple[Term, ...]
    known: tuple[Known | None, ...]
    """By term; None where it was not looked up."""


def met_of(run: Run, linking: Linking, relation: Relation, ends: Sequence[Term]) -> Met:
    """Look at what a relation led to.

    Raises:
        GraphStoreError: the graph cannot be read.

    """
    cards = run.narrator.cards(ends)
    known = sorted(ends, key=lambda end: -cards[end].popularity if isinstance(end, Entity) and end in cards else 0)
    looked = known[:MAX_JUDGED]
    entities = [one for one in looked if isinstance(one, Entity)]
    around = run.store.relations_each(entities) if entities else {}
    named = {mention.term for mention in linking.targets}
    joined = _joined(run, entities, named)
    asked_for = those_asked_for(run.question, linking.names, {one: cards[one] for one in entities if one in cards})
    found: dict[Term, Known] = {}
    for term in looked:
        card = cards.get(term) if isinstance(term, Entity) else None
        is_mediator = card is not None and card.is_mediator
        counts = sorted(around.get(card.entity, ()), key=lambda one: -one.triples)[:_RELATIONS] if card else ()
        found[term] = Known(
            (card.name or "") if card else "" if isinstance(term, Entity) else literal_label(term),
            tuple(dict.fromkeys(type_label(one) for one in card.types[:_TYPES])) if card else (),
            tuple(relation_words(one.relation) for one in counts),
            (
                float(isinstance(term, Entity) and not is_mediator),
                float(is_mediator),
                float(not isinstance(term, Entity)),
                float(term in named),
                float(term in joined),
                float(term in asked_for),
                float(bool(asked_for) and term not in asked_for),
            ),
        )
    return Met(masked_text(run.question, linking), relation_words(relation), tuple(ends), tuple(map(found.get, ends)))


def _joined(run: Run, entities: Sequence[Entity], named: set[Term]) -> set[Term]:
    """Those of the entities that a fact joins to something that the question names."""
    targets = {one for one in named if isinstance(one, Entity)}
    if not targets or not entities:
        return set()
    joined: set[Term] = set()
    for relation in {link.relation for link in run.store.links(entities, targets)}:
        for triple in run.store.expand(entities, relation, run.limits.facts_per_step).triples:
            here, there = (triple.object, triple.subject) if relation.is_reverse else (triple.subject, triple.object)
            if there in targets:
                joined.add(here)
    return joined
