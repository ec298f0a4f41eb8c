"""A derivation as an s-expression of GrailQA (Gu et al., WWW 2021), with those classes alone that it demands.

``(JOIN r X)`` are the things from which ``r`` leads into X, ``(JOIN (R r) X)`` those that it leads to from X;
``(lt r v)`` and its like those with a smaller value, ``(ARGMAX X r)`` those of X with the largest; ``(AND C X)`` those
of X that are of a class. ``(COUNT X)`` is how many they are.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from kgstore.sparql.rdf import XSD
from kgstore.store_parts.types_as_entities import INSTANCES
from kgstore.terms import Date, Entity, Number, Text
from reasoning.compiling.plan import NoQueryError, Plan
from reasoning.core.derivation import Constraint, Derivation, Operator
from reasoning.core.structure import ROOT
from reasoning.exports.source import LeftOut, LeftOutError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kgstore.terms import Relation, Term

_COMPARISONS = {Operator.LESS: "lt", Operator.AT_MOST: "le", Operator.GREATER: "gt", Operator.AT_LEAST: "ge"}
_NOT_BARE = frozenset(' \t\r\n()"')


@dataclass(frozen=True, slots=True)
class Shape:
    """A derivation of which an s-expression can be written."""

    plan: Plan
    conditions: dict[int, Constraint]
    """By position, at most one each in addition to a type; those that compare or rank stand at the ends of the tree."""
    ranking: Constraint | None
    """The one minimum or maximum, over the values of one relation."""


def shape_of(derivation: Derivation) -> Shape:
    """See that an s-expression says a derivation.

    Raises:
        LeftOutError: none does, or it has no answer position.

    """
    try:
        plan = Plan(derivation)
    except NoQueryError as error:
        raise LeftOutError(LeftOut.NO_ANSWER_POSITION) from error
    others = [constraint for constraint in derivation.constraints if constraint.operator is not Operator.KIND]
    conditions = {constraint.position: constraint for constraint in others}
    is_said = (
        len(conditions) == len(others)
        and not plan.kinds(ROOT)
        and all(_is_class(plan, position, conditions.get(position)) for position in plan.asked)
        and len(plan.rankings) <= 1
        and not {ROOT, derivation.answer_position} & set(conditions)
        and all(_is_said(plan, constraint) for constraint in conditions.values())
        and all(_is_bare(plan.relation(position).predicate) for position in plan.asked)
    )
    if not is_said:
        raise LeftOutError(LeftOut.NO_S_EXPRESSION)
    return Shape(plan, conditions, plan.rankings[0] if plan.rankings else None)


def _is_said(plan: Plan, constraint: Constraint) -> bool:
    """Whether a condition can be said: on an end of the tree, on a value that a relation leads to where it compares."""
    position = constraint.position
    if plan.children(position, plan.asked) or constraint.operator is Operator.HOLDS:
        return False
    if constraint.operator is Operator.EQUAL:
        return not isinstance(constraint.target, Entity) or _is_bare(constraint.target.mid)
    if constraint.place > 1 and constraint.operator.is_extremal:
        return False
    has_order = constraint.target is None or isinstance(constraint.target, Number | Date)
    ranks_one = constraint.operator.is_extremal and plan.parent(position) == ROOT
    return has_order and not plan.relation(position).is_reverse and not ranks_one


def _is_class(plan: Plan, position: int, condition: Constraint | None) -> bool:
    """Whether what is demanded of the kind of a node can be said: one class at most, of what no condition names."""
    kinds = plan.kinds(position)
    return not kinds or (len(kinds) == 1 and condition is None and _is_bare(kinds[0].mid))


def _is_bare(name: str) -> bool:
    """Whether a name stands in an s-expression as it is."""
    return bool(name) and not _NOT_BARE & set(name)


def s_expression(derivation: Derivation) -> str:
    """A derivation as an s-expression.

    Raises:
        LeftOutError: none says it; see `shape_of`.

    """
    shape = shape_of(derivation)
    if not _is_bare(derivation.topic.mid):
        raise LeftOutError(LeftOut.NO_S_EXPRESSION)
    said = _Writer(shape, shape.plan.asked).written(derivation.answer_position, None)
    return f"(COUNT {said})" if derivation.counted else said


@dataclass(frozen=True, slots=True)
class _Writer:
    shape: Shape
    among: frozenset[int]
    """The positions below the root that are said."""

    def written(self, position: int, came_from: int | None) -> str:
        """What may stand at a position, as far as the parts of the tree say that it was not come from."""
        own = [str(self.shape.plan.derivation.topic)] if position == ROOT else []
        own += [kind.mid for kind in self.shape.plan.kinds(position)]
        ranking = self.shape.ranking
        if ranking is not None and position == self.shape.plan.parent(ranking.position):
            # The best of all that the conditions leave, wherever they stand; so they are all said within.
            required = _Writer(replace(self.shape, ranking=None), self.shape.plan.required)
            whole = required.written(position, ranking.position)
            name = "ARGMIN" if ranking.operator is Operator.MIN else "ARGMAX"
            own.append(f"({name} {whole} {self.shape.plan.relation(ranking.position).predicate})")
            if self._is_of_class(position):
                # What is ranked is of the class already.
                return _all_of([*own, *(each for each in self._neighbours(position, came_from) if each[0] == "(")])
        return _all_of([*own, *self._neighbours(position, came_from)])

    def _is_of_class(self, position: int) -> bool:
        return position != ROOT and self.shape.plan.relation(position) == INSTANCES

    def _neighbours(self, position: int, came_from: int | None) -> Iterator[str]:
        plan, ranking = self.shape.plan, self.shape.ranking
        if position != ROOT and plan.parent(position) != came_from:
            yield _join(plan.relation(position).inverse, self.written(plan.parent(position), position))
        for child in plan.children(position, self.among):
            if child == came_from or (ranking is not None and child == ranking.position):
                continue
            yield self._child(child, position)

    def _child(self, child: int, position: int) -> str:
        relation, condition = self.shape.plan.relation(child), self.shape.conditions.get(child)
        if condition is None or condition.target is None:
            return _join(relation, self.written(child, position))
        if condition.operator is Operator.EQUAL:
            kinds = [kind.mid for kind in self.shape.plan.kinds(child)]
            return _join(relation, _all_of([*kinds, term_in_expression(condition.target)]))
        return f"({_COMPARISONS[condition.operator]} {relation.predicate} {term_in_expression(condition.target)})"


def _join(relation: Relation, into: str) -> str:
    """The things from which a relation leads into a set; a class is the set of its instances."""
    if relation == INSTANCES.inverse:
        return into
    followed = f"(R {relation.predicate})" if relation.is_reverse else relation.predicate
    return f"(JOIN {followed} {into})"


def _all_of(sets: list[str]) -> str:
    """What is in each of some sets: ``AND`` takes two."""
    joined = sets[-1]
    for each in reversed(sets[:-1]):
        joined = f"(AND {each} {joined})"
    return joined


def term_in_expression(term: Term) -> str:
    """A term as GrailQA writes it: an id, ``value^^type`` with the type's whole address, or a text in quotes."""
    match term:
        case Entity(mid):
            return mid
        case Number() | Date():
            _, body, datatype = str(term).split('"')
            return f"{body}^^{XSD}{datatype.removeprefix('^^xsd:')}"
        case Text():
            return str(term)
