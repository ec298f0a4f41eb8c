"""Graphs that stand in for the part of Freebase that is not at hand.

A benchmark's gold derivation tells some of the facts around its topic entity. The rest of what a search would be
offered there is drawn from the schema: relations whose domain fits the types of the entity. So the engine itself makes
the pools, with real relations, and training meets the same kinds of decisions as in a full graph. The facts that are
drawn are not true: such graphs teach which relation to choose, and are never shown or asked for answers.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING

from kgstore.freebase.knowledge import TYPE
from kgstore.freebase.spans import BOUNDS, bound_of
from kgstore.terms import Date, Entity, Number, Relation, TermKind, Text, parse_date
from reasoning.core.derivation import Operator
from reasoning.core.structure import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from kgstore.freebase.spans import Bound
    from kgstore.loading.formats.lines import TripleText
    from kgstore.terms import Term
    from reasoning.core.derivation import Constraint, Derivation
    from reasoning.gold.schema import FreebaseSchema, Role

_ANSWERS = 40
"""Maximum of gold answers of a question that the graph holds."""
_WRONG = 5
"""Maximum of further terms at the same place that meet no constraint."""
_FROM_TOPIC, _FROM_ANSWER, _FROM_MEDIATOR = (15, 60), (4, 24), (1, 4)
_INTO_TOPIC, _INTO_ANSWER = (0, 8), (0, 4)
_ANSWERS_FURNISHED = 3
_BOUNDED = 0.7
"""How often a beginning or an end is known that need not be."""


@dataclass(frozen=True, slots=True)
class Taught:
    """A question to be taught over the stand-in graph."""

    derivation: Derivation
    answers: frozenset[Term]
    paths: Sequence[Sequence[str]] = ()
    """Relation paths that are known to exist around the topic entity."""


@dataclass(slots=True)
class StandIn:
    """Draws the triples. The same questions and seed give the same triples."""

    schema: FreebaseSchema
    known: Counter[str]
    """How often each relation is met in real data: those are drawn more often."""
    seed: int = 0
    _numbers: Iterator[int] = field(default_factory=lambda: count(1))
    _furnished: set[str] = field(default_factory=set)

    def triples(self, questions: Iterable[Taught], names: Mapping[str, Sequence[str]]) -> Iterator[TripleText]:
        """The triples around the questions. ``names`` are those of the entities, by mid, the first one first."""
        named: set[str] = set()
        for question in questions:
            chance = random.Random(f"{self.seed} {question.derivation.to_json()}")  # noqa: S311 - no secret
            for triple in self._around(question, chance):
                if triple[0].startswith('"'):
                    continue  # a benchmark may ask something of a literal, but nothing leads on from one
                yield triple
                for mid in (triple[0], triple[2]):
                    if mid in names and mid not in named:
                        named.add(mid)
                        yield mid, "type.object.name", str(Text(names[mid][0]))
                        for alias in names[mid][1:]:
                            yield mid, "common.topic.alias", str(Text(alias))

    def _around(self, question: Taught, chance: random.Random) -> Iterator[TripleText]:
        derivation = question.derivation
        answers = sorted(question.answers, key=str)[:_ANSWERS] or [Entity(self._fresh())]
        shared: dict[int, str] = {}
        for answer in answers:
            yield from self._instance(derivation, str(answer), shared, chance)
        if derivation.constraints:
            for _ in range(chance.randint(1, _WRONG)):
                wrong = self._term(derivation.steps[derivation.answer_position - 1].relation, chance)
                yield from self._instance(
                    derivation, wrong, shared, chance, missed=chance.choice(derivation.constraints)
                )
        topic = str(derivation.topic)
        for path in question.paths:
            at = topic
            for relation in path:
                target = self._target(relation, chance)
                yield at, relation, target
                if self.schema.kind(relation) not in (TermKind.ENTITY, TermKind.MEDIATOR):
                    break
                at = target
        types = Counter(
            role.domain
            for name in [_first_predicate(derivation), *(path[0] for path in question.paths)]
            if (role := self.schema.roles.get(name)) is not None
        )
        yield from self._furnish(topic, types, _FROM_TOPIC, _INTO_TOPIC, chance)
        kind = self._type_behind(derivation)
        if kind:
            for answer in [a for a in answers if isinstance(a, Entity)][:_ANSWERS_FURNISHED]:
                yield from self._furnish(str(answer), Counter([kind]), _FROM_ANSWER, _INTO_ANSWER, chance)

    def _instance(
        self,
        derivation: Derivation,
        answer: str,
        shared: dict[int, str],
        chance: random.Random,
        *,
        missed: Constraint | None = None,
    ) -> Iterator[TripleText]:
        """One solution of the derivation; or one that meets all constraints but one."""
        held = [c for c in derivation.constraints if c.operator is Operator.HOLDS]
        kinds = [c for c in derivation.constraints if c.operator is Operator.KIND]
        demanded = {c.position: c for c in derivation.constraints if c not in (*held, *kinds)}
        kinds = [c for c in kinds if c != missed]
        terms = {ROOT: str(derivation.topic), derivation.answer_position: answer}
        for position, step in enumerate(derivation.steps, start=1):
            if position not in terms:
                constraint = demanded.get(position)
                if constraint is not None:
                    terms[position] = self._meeting(constraint, step.relation, chance, meets=constraint != missed)
                elif self._kind(step.relation) is TermKind.MEDIATOR:
                    terms[position] = self._fresh()
                else:
                    terms[position] = shared.setdefault(position, self._term(step.relation, chance))
            source, target = terms[step.position], terms[position]
            if step.relation.is_reverse:
                source, target = target, source
            yield source, step.relation.predicate, target
            for kind in kinds:
                if kind.position == position:
                    yield terms[position], TYPE, str(kind.target)
            if self._kind(step.relation) is TermKind.MEDIATOR and position not in demanded:
                days = [(c.target, c != missed) for c in held if c.position == position and isinstance(c.target, Date)]
                yield from self._properties(terms[position], step.relation, chance, days)

    def _properties(
        self, mediator: str, relation: Relation, chance: random.Random, days: Sequence[tuple[Date, bool]] = ()
    ) -> Iterator[TripleText]:
        """Facts of a mediator; of ``days`` it held on those with True, and not on those with False."""
        role = self.schema.roles.get(relation.predicate)
        kind = None if role is None else role.domain if relation.is_reverse else role.range
        leaving = self.schema.leaving.get(kind or "", ())
        if days:
            bounds = {role.relation: bound_of(Relation(role.relation)) for role in leaving}
            for day, held in days:
                yield from _time(mediator, bounds, day, chance, held=held)
            leaving = [role for role in leaving if bounds[role.relation] is None]
        for role in self._drawn(leaving, chance.randint(*_FROM_MEDIATOR), chance):
            yield mediator, role.relation, self._target(role.relation, chance)

    def _furnish(
        self,
        entity: str,
        types: Counter[str],
        leaving: tuple[int, int],
        entering: tuple[int, int],
        chance: random.Random,
    ) -> Iterator[TripleText]:
        """Relations that fit the types of an entity, each with some facts."""
        if entity in self._furnished:
            return
        self._furnished.add(entity)
        types["common.topic"] += 1
        out = [role for kind in types for role in self.schema.leaving.get(kind, ())]
        into = [role for kind in types for role in self.schema.entering.get(kind, ()) if kind != "common.topic"]
        for role in self._drawn(out, chance.randint(*leaving), chance):
            for _ in range(_facts(chance)):
                target = self._target(role.relation, chance)
                yield entity, role.relation, target
                if self.schema.kind(role.relation) is TermKind.MEDIATOR:
                    yield from self._properties(target, Relation(role.relation), chance)
        for role in self._drawn(into, chance.randint(*entering), chance):
            for _ in range(_facts(chance)):
                yield self._fresh(), role.relation, entity

    def _drawn(self, roles: Sequence[Role], number: int, chance: random.Random) -> list[Role]:
        """Some of the roles, those met in real data more often, without putting back."""
        keys = {role: chance.random() ** (1 / self._weight(role.relation)) for role in roles}
        return sorted(keys, key=lambda role: (-keys[role], role.relation))[:number]

    def _weight(self, relation: str) -> float:
        seen = self.known[relation]
        return math.sqrt(seen) + (0.002 if relation.startswith(("base.", "user.")) else 0.05)

    def _kind(self, relation: Relation) -> TermKind:
        if relation.is_reverse:
            role = self.schema.roles.get(relation.predicate)
            is_mediator = role is not None and role.domain in self.schema.mediator_types
            return TermKind.MEDIATOR if is_mediator else TermKind.ENTITY
        return self.schema.kind(relation.predicate)

    def _type_behind(self, derivation: Derivation) -> str | None:
        relation = derivation.steps[derivation.answer_position - 1].relation
        role = self.schema.roles.get(relation.predicate)
        return None if role is None else role.domain if relation.is_reverse else role.range

    def _term(self, relation: Relation, chance: random.Random) -> str:
        return self._fresh() if relation.is_reverse else self._target(relation.predicate, chance)

    def _target(self, relation: str, chance: random.Random) -> str:
        match self.schema.kind(relation):
            case TermKind.DATE:
                return str(parse_date(str(chance.randint(1850, 2015))))
            case TermKind.NUMBER:
                return str(Number(float(chance.randint(1, 10**6))))
            case TermKind.TEXT:
                return str(Text(f"text {next(self._numbers)}", "en"))
            case _:
                return self._fresh()

    def _meeting(self, constraint: Constraint, relation: Relation, chance: random.Random, *, meets: bool) -> str:
        """A term that meets a constraint, or one that does not."""
        target, by = constraint.target, chance.randint(1, 9)
        match constraint.operator:
            case Operator.EQUAL:
                return str(target) if meets else self._other(target, by)
            case Operator.LESS | Operator.AT_MOST:
                return self._other(target, -by if meets else by)
            case Operator.GREATER | Operator.AT_LEAST:
                return self._other(target, by if meets else -by)
            case Operator.MIN | Operator.MAX | Operator.KIND:
                outer = 1 if (constraint.operator is Operator.MAX) == meets else -1
                if self.schema.kind(relation.predicate) is TermKind.DATE:
                    return str(parse_date(str(1950 + 40 * outer + (0 if meets else by))))
                return str(Number(float(5_000 + 4_000 * outer + (0 if meets else by))))
            case Operator.HOLDS:
                raise ValueError("what held is a mediator, and its dates tell when")

    def _other(self, target: Term | None, by: int) -> str:
        match target:
            case Date():
                return str(parse_date(f"{max(1, target.interval[0][0] + by):04}"))
            case Number(value=value):
                return str(Number(value + by))
            case Text(value=value):
                return str(Text(f"{value} {by}", "en"))
            case _:
                return self._fresh()

    def _fresh(self) -> str:
        return f"g.x{next(self._numbers)}"


def _first_predicate(derivation: Derivation) -> str:
    return next(step.relation.predicate for step in derivation.steps if step.position == ROOT)


def _time(
    mediator: str, bounds: Mapping[str, Bound | None], day: Date, chance: random.Random, *, held: bool
) -> Iterator[TripleText]:
    """A beginning and an end of a mediator so that it held on a day, or did not; what it need not have may be missing.

    Without a relation to either there is nothing to say, and it held.
    """
    year = day.interval[0][0]
    named = {bound: [name for name, each in bounds.items() if each == bound] for bound in BOUNDS}
    years = {"begin": year - chance.randint(1, 9), "end": year + chance.randint(1, 9)}
    if not held:
        wrong = chance.choice([bound for bound in BOUNDS if named[bound]] or [None])
        years = {"begin": year + 1, "end": year + 9} if wrong == "begin" else {"begin": year - 9, "end": year - 1}
    for bound in BOUNDS:
        is_needed = not held and (years[bound] > year) == (bound == "begin")
        if named[bound] and (is_needed or chance.random() < _BOUNDED):
            yield mediator, chance.choice(named[bound]), str(parse_date(f"{max(1, years[bound]):04}"))


def _facts(chance: random.Random) -> int:
    """How many facts a relation has: mostly one, sometimes some, seldom many."""
    return chance.choices((1, chance.randint(2, 7), chance.randint(10, 60)), (0.52, 0.42, 0.06))[0]
