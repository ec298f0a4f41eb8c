"""Turns the engine's state into typed events: names for people, and long lists cut with their full count."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kgstore.freebase.labels import relation_label, type_label
from kgstore.names import literal_label
from kgstore.store_parts.types_as_entities import INSTANCES
from kgstore.terms import Date, Entity, Number, Relation, Term
from reasoning import events
from reasoning.core.derivation import Operator
from reasoning.core.options import (
    AnswerOption,
    ConstraintOption,
    NoneOption,
    Option,
    OptionPool,
    StepOption,
    TopicOption,
)
from reasoning.facts.validity import when_held
from reasoning.question.namesakes import distinguished, kind_words, namesakes

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from kgstore.store import EntityCard, GraphStore
    from reasoning.core.derivation import Constraint
    from reasoning.core.options import Mention
    from reasoning.core.structure import Fact, SemanticNode
    from reasoning.facts.answers import Answer
    from reasoning.facts.validity import Held
    from reasoning.question.linking import Linking
    from reasoning.scorers.base import Cost, Distribution, PathsRead


class Narrator:
    """Writes the parts of events for one run; asks the store once for the name of each term."""

    def __init__(self, store: GraphStore, *, options_shown: int = 0) -> None:
        self._store = store
        self._options_shown = options_shown
        self._cards: dict[Entity, EntityCard] = {}
        self._hints: dict[Entity, str] = {}

    def learn(self, terms: Iterable[Term]) -> None:
        """Look up all entities among the terms in one query, before they are written one by one."""
        unknown = {term for term in terms if isinstance(term, Entity)} - self._cards.keys()
        if unknown:
            self._cards.update(self._store.cards(unknown))

    def card(self, entity: Entity) -> EntityCard | None:
        """The card of an entity; None where the graph does not hold it."""
        self.learn([entity])
        return self._cards.get(entity)

    def cards(self, terms: Iterable[Term]) -> Mapping[Entity, EntityCard]:
        """The cards of the entities among the terms; what the graph does not hold has none."""
        entities = [term for term in terms if isinstance(term, Entity)]
        self.learn(entities)
        return {entity: self._cards[entity] for entity in entities if entity in self._cards}

    def distinguish(self, terms: Iterable[Term]) -> frozenset[Term]:
        """Find what distinguishes namesakes among the terms; return the terms that have namesakes."""
        bearers = namesakes(self.cards(terms).values())
        self._hints.update(distinguished(bearers, self._store))
        return frozenset(card.entity for group in bearers for card in group)

    def term(self, term: Term) -> events.TermRecord:
        """A term for people."""
        if isinstance(term, Entity):
            self.learn([term])
            card = self._cards.get(term)
            kind = "mediator" if card is not None and card.is_mediator else "entity"
            return events.TermRecord(id=str(term), label=(card and card.name) or term.mid, kind=kind)
        if isinstance(term, Number):
            is_rounded = not term.exact and not float(term.value).is_integer()
            label = f"{term.value:.15g}" if is_rounded else term.digits
            return events.TermRecord(id=str(term), label=label, kind="number")
        kind = "date" if isinstance(term, Date) else "text"
        return events.TermRecord(id=str(term), label=literal_label(term), kind=kind)

    def relation(self, relation: Relation) -> events.RelationRecord:
        """A relation for people."""
        label = relation_label(self._store.labelled(relation))
        return events.RelationRecord(
            id=str(relation),
            label=label.label,
            context=label.context,
            reverse=relation.is_reverse and relation != INSTANCES,
            unit=label.unit or None,
        )

    def node(self, node: SemanticNode) -> events.SemanticNodeRecord:
        """A node of S_k."""
        return events.SemanticNodeRecord(
            position=node.position,
            kind=node.kind.value,
            name=node.name,
            parent=node.parent,
            relation=None if node.relation is None else self.relation(node.relation),
        )

    def facts(self, facts: Sequence[Fact]) -> list[events.FactRecord]:
        """Facts of G_k."""
        self.learn(term for fact in facts for term in (fact.source, fact.target))
        return [
            events.FactRecord(
                id=fact.id,
                position=fact.position,
                source=self.term(fact.source),
                relation=self.relation(_direction(fact)),
                target=self.term(fact.target),
            )
            for fact in facts
        ]

    def mentions(self, mentions: Collection[Mention]) -> list[events.MentionRecord]:
        """Parts of the question with what they name."""
        self.learn(mention.term for mention in mentions)
        return [
            events.MentionRecord(
                start=mention.start, end=mention.end, term=self.term(mention.term), hint=self.hint(mention.term)
            )
            for mention in mentions
            if not mention.is_converted
        ]

    def hint(self, term: Term) -> str:
        """What tells an entity from its namesakes."""
        if not isinstance(term, Entity):
            return ""
        card = self.card(term)
        return "" if card is None else self._hints.get(term) or kind_words(card)

    def names(self, linking: Linking) -> dict[Term, str]:
        """What everything that the question names is called."""
        terms = [mention.term for mention in linking.mentions]
        if linking.topic is not None:
            terms.append(linking.topic.entity)
        self.learn(terms)
        return {term: self.term(term).label for term in terms}

    def linked(
        self, linking: Linking, decision: events.DecisionRecord | None, root: SemanticNode | None, *, seconds: float
    ) -> events.EntityLinked:
        """The event that says what the question is about."""
        topic = linking.topic
        return events.EntityLinked(
            topic=None if topic is None else self.term(topic.entity),
            topic_hint="" if topic is None else self.hint(topic.entity),
            chosen_by_asker=linking.chosen_by_asker,
            decision=decision,
            targets=self.mentions(linking.targets),
            root=None if root is None else self.node(root),
            seconds=seconds,
        )

    def constraint(self, constraint: Constraint) -> events.ConstraintRecord:
        """A condition."""
        return events.ConstraintRecord(
            position=constraint.position, operator=constraint.operator.value, target=self._target(constraint)
        )

    def _target(self, constraint: Constraint) -> events.TermRecord | None:
        if constraint.target is None:
            return None
        if constraint.operator is Operator.KIND:
            return self.kind(constraint.target)
        return self.term(constraint.target)

    def kind(self, kind: Term) -> events.TermRecord:
        """A type for people: *country*."""
        return events.TermRecord(id=str(kind), label=type_label(str(kind)), kind="entity")

    def decision(self, pool: OptionPool, chosen: int, distribution: Distribution | None) -> events.DecisionRecord:
        """A choice with its pool: the most probable options, then some that were not read; the chosen one and None."""
        probabilities = {} if distribution is None else distribution.probabilities
        self.distinguish(option.mention.term for option in pool.options if isinstance(option, TopicOption))
        order = sorted(range(len(pool)), key=lambda index: (-probabilities.get(index, -1.0), index))
        always = {chosen} | {index for index, option in enumerate(pool.options) if isinstance(option, NoneOption)}
        room = set(order[: max(self._options_shown - len(always), 0)]) | always
        shown = [index for index in order if index in room]
        listed = sum(probabilities.get(index, 0.0) for index in shown)
        return events.DecisionRecord(
            options=[self._option(index, pool.options[index], probabilities.get(index)) for index in shown],
            total=len(pool),
            rest_probability=0.0 if distribution is None else max(0.0, 1.0 - listed),
            chosen=chosen,
            given=distribution is None,
            exact=distribution is None or distribution.exact,
            unread=None if distribution is None else _unread(pool, distribution),
            cost=None if distribution is None else cost_record(distribution.cost),
            paths=None if distribution is None or distribution.paths is None else self._paths(distribution.paths),
        )

    def _paths(self, read: PathsRead) -> events.PathsReadRecord:
        return events.PathsReadRecord(
            likeliest=[
                events.PathShareRecord(relations=[self.relation(relation) for relation in path], probability=share)
                for path, share in read.likeliest
            ],
            none=read.none,
            total=read.total,
            extended=read.extended,
            extensible=read.extensible,
        )

    def selection(self, pool: OptionPool, distribution: Distribution, keep: int) -> events.SelectionRecord:
        """The most probable options, ``keep`` of them kept, and as many others as there is room for."""
        shares = distribution.probabilities
        order = sorted(shares, key=lambda index: (-shares[index], index))
        shown = order[: max(keep, self._options_shown)]
        return events.SelectionRecord(
            measure="probability",
            options=[self._option(index, pool.options[index], shares[index]) for index in shown],
            weights=[shares[index] for index in shown],
            kept=order[:keep],
            total=len(pool),
            cost=cost_record(distribution.cost),
        )

    def options(self, pool: OptionPool) -> list[events.OptionRecord]:
        """The first options of a pool, and None, without any probability."""
        room = range(min(len(pool), self._options_shown))
        last = [i for i, option in enumerate(pool.options) if isinstance(option, NoneOption) and i not in room]
        return [self._option(index, pool.options[index], None) for index in (*room, *last)]

    def answers(self, answers: Sequence[Answer]) -> list[events.AnswerRecord]:
        """Answers with their proofs.

        Raises:
            GraphStoreError: the graph cannot be read.

        """
        when = when_held(self._store, {term for answer in answers for _, term in answer.held})
        self.learn(term for a in answers for fact in (*a.path, *a.conditions) for term in (fact.source, fact.target))
        alike = self.distinguish(answer.term for answer in answers)
        return [
            events.AnswerRecord(
                term=self.term(answer.term),
                path=self.facts(answer.path),
                conditions=self.facts(answer.conditions),
                hint=self.hint(answer.term) if answer.term in alike else None,
                held=[self._held(number, when[term]) for number, term in answer.held] or None,
            )
            for answer in answers
        ]

    def _held(self, number: int, held: Held) -> events.HeldRecord:
        return events.HeldRecord(
            constraint=number,
            begins=[self.term(date) for date in held.begins],
            ends=[self.term(date) for date in held.ends],
        )

    def _option(self, index: int, option: Option, probability: float | None) -> events.OptionRecord:
        match option:
            case TopicOption(mention=mention):
                return events.TopicOptionRecord(
                    index=index,
                    probability=probability,
                    term=self.term(mention.term),
                    hint=self.hint(mention.term),
                    start=mention.start,
                    end=mention.end,
                )
            case NoneOption():
                return events.NoneOptionRecord(index=index, probability=probability)
            case StepOption():
                return events.StepOptionRecord(
                    index=index,
                    probability=probability,
                    position=option.step.position,
                    relation=self.relation(option.step.relation),
                    leads_to=option.kind.value,
                    entities=option.entities,
                    facts=option.facts,
                )
            case ConstraintOption():
                constraint = self.constraint(option.constraint)
                return events.ConstraintOptionRecord(index=index, probability=probability, constraint=constraint)
            case AnswerOption():
                return events.AnswerOptionRecord(index=index, probability=probability, position=option.position)


def cost_record(cost: Cost) -> events.CostRecord:
    """What a model was asked."""
    return events.CostRecord(calls=cost.calls, tokens_in=cost.tokens_in, tokens_out=cost.tokens_out)


def _unread(pool: OptionPool, distribution: Distribution) -> events.UnreadRecord | None:
    count = len(pool) - len(distribution.probabilities)
    if count == 0:
        return None
    return events.UnreadRecord(count=count, together=distribution.rest, each=distribution.next)


def _direction(fact: Fact) -> Relation:
    relation = Relation(fact.triple.predicate)
    return relation if fact.source == fact.triple.subject else relation.inverse
