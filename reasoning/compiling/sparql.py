"""A derivation as a query in SPARQL 1.1, over the RDF of `kgstore.sparql.rdf`.

It gives the answers of a replay, and `reasoning.gold.decomposition` reads it back into the same derivation.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kgstore.freebase.knowledge import TYPE
from kgstore.freebase.spans import BOUNDS
from kgstore.freebase_ids import is_mid
from kgstore.sparql.rdf import (
    MID_ADDRESS,
    PREFIXES,
    bound_pattern,
    completing_relation,
    id_of,
    sparql_name,
    sparql_term,
    type_relation,
)
from kgstore.terms import Date, Entity
from reasoning.compiling.plan import Plan
from reasoning.compiling.sparql_values import condition, date_condition, has_order, is_date, never, rank
from reasoning.core.derivation import Operator
from reasoning.core.structure import ROOT
from reasoning.facts.pruning import meets

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kgstore.terms import Term
    from reasoning.core.derivation import Constraint, Derivation

_INDENT = "  "


def to_sparql(derivation: Derivation) -> str:
    """A query that selects a derivation's answers from a graph in RDF, or counts them where it does.

    The topic entity is never among them. Values compare as `reasoning.compiling.sparql_values` says. A fact that
    loading would complete by its reverse relation is asked for in both directions, so that the query finds the same in
    the file that the graph was loaded from as in `kgstore.loading.exported_graph`.

    Raises:
        NoQueryError: the derivation has no answer position.

    """
    plan = Plan(derivation)
    answer = _Pattern(plan, plan.asked, len(plan.rankings), "x", derivation.answer_position)
    own = answer.node(derivation.answer_position)
    selected = f"(COUNT(DISTINCT {own}) AS ?count)" if derivation.counted else f"DISTINCT {own}"
    lines = [*answer.lines(_INDENT), f"{_INDENT}FILTER ({own} != {sparql_term(derivation.topic)})"]
    return "\n".join((f"{PREFIXES}SELECT {selected} WHERE {{", *lines, "}")) + "\n"


@dataclass(frozen=True, slots=True)
class _Pattern:
    """A part of the derivation's tree, its variables under names of their own."""

    plan: Plan
    positions: frozenset[int]
    rankings: int
    """How many of the rankings it has met."""
    prefix: str
    selected: int
    """The position whose variable is asked for."""

    def node(self, position: int) -> str:
        """The variable of a position, or the entity that alone may stand there."""
        entity = self._only_entity(position)
        return f"?{self.prefix}{position}" if entity is None else sparql_term(entity)

    def lines(self, indent: str) -> Iterator[str]:
        """What stands between the braces."""
        ranked = self.plan.rankings[: self.rankings]
        for number, ranking in enumerate(ranked):
            yield from self._extreme(number, ranking, indent)
        for position in sorted(self.positions):
            relation = self.plan.relation(position)
            ends = self.node(self.plan.parent(position)), self.node(position)
            subject, target = reversed(ends) if relation.is_reverse else ends
            yield f"{indent}{_fact(subject, self._predicate(position), target)}"
            for kind in self.plan.kinds(position):
                yield f"{indent}{self.node(position)} {sparql_name(type_relation(str(kind)))} {sparql_term(kind)} ."
        for position in (ROOT, *sorted(self.positions)):
            yield from (f"{indent}FILTER ({condition})" for condition in self._conditions(position))
        for number, ranking in enumerate(ranked):
            node = self.node(ranking.position)
            yield f"{indent}FILTER (({has_order(node)}) && {rank(node)} = {self._best(number)})"

    def _predicate(self, position: int) -> str:
        """What leads to a position; a type is joined with its instances as its own vocabulary does."""
        predicate = self.plan.relation(position).predicate
        is_of_topic = predicate == TYPE and self.plan.parent(position) == ROOT
        return type_relation(self.plan.derivation.topic.mid) if is_of_topic else predicate

    def _extreme(self, number: int, ranking: Constraint, indent: str) -> Iterator[str]:
        """A selection of one value among what the comparisons and the rankings before leave."""
        inner = _Pattern(self.plan, self.plan.required, number, f"{self.prefix}r{number + 1}_", ranking.position)
        node = inner.node(ranking.position)
        function, order = ("MIN", "ASC") if ranking.operator is Operator.MIN else ("MAX", "DESC")
        ranked, best, end = rank(node), self._best(number), ""
        select = f"SELECT ({function}({ranked}) AS {best})"
        if ranking.place > 1:
            select = f"SELECT DISTINCT ({ranked} AS {best})"
            end = f"ORDER BY {order}({best}) OFFSET {ranking.place - 1} LIMIT 1 "
        yield f"{indent}{{ {select} WHERE {{"
        yield from inner.lines(indent + _INDENT * 2)
        yield f"{indent}{_INDENT * 2}FILTER ({has_order(node)})"
        yield f"{indent}}} {end}}}"

    def _best(self, number: int) -> str:
        return f"?{self.prefix}best{number + 1}"

    def _conditions(self, position: int) -> Iterator[str]:
        node = self.node(position)
        steps = [self.plan.relation(child) for child in self.plan.children(position, self.positions)]
        if position != ROOT and not self.plan.relation(position).is_reverse and any(s.is_reverse for s in steps):
            # A search step leads on from entities alone; a literal has triples that lead to it too.
            yield f"!isLITERAL({node})"
        entity = self._only_entity(position)
        for constraint in self.plan.comparisons(position):
            if constraint.operator is Operator.HOLDS:
                yield from self._held(node, position, constraint.target)
            elif constraint.target is None:
                continue
            elif entity is None:
                yield condition(node, constraint.operator, constraint.target)
            elif not meets(entity, constraint.operator, constraint.target):
                # Of a condition without a variable, engines make what they make of ``false``.
                yield never(self.node(self.selected))

    def _held(self, node: str, position: int, target: Term | None) -> Iterator[str]:
        """What `reasoning.facts.validity` says, a filter for each end: there is no such date, or one that compares so.

        As in WebQSP's queries; but which relation leads to a date, the graph tells.
        """
        if not isinstance(target, Date):
            yield never(self.node(self.selected))
            return
        for bound, operator in zip(BOUNDS, (Operator.AT_MOST, Operator.AT_LEAST), strict=True):
            relation, date = (f"?{self.prefix}{position}_{bound}{part}" for part in ("_relation", ""))
            pattern = bound_pattern(bound)
            found = f'{node} {relation} {date} . FILTER ({is_date(date)} && REGEX(STR({relation}), "{pattern}"))'
            met = f"{found} FILTER ({date_condition(date, operator, target)})"
            yield f"NOT EXISTS {{ {found} }} || EXISTS {{ {met} }}"

    def _only_entity(self, position: int) -> Entity | None:
        """The topic at the root, and the entity that an end of the tree must equal."""
        if position == ROOT:
            return self.plan.derivation.topic
        held = any(c.operator is Operator.HOLDS for c in self.plan.comparisons(position))
        leads_on = position == self.selected or self.plan.children(position, self.positions)
        if held or leads_on or self.plan.kinds(position):
            return None
        targets = self._entities(position)
        return targets[0] if len(targets) == 1 else None

    def _entities(self, position: int) -> Sequence[Entity]:
        return [
            c.target
            for c in self.plan.comparisons(position)
            if c.operator is Operator.EQUAL and isinstance(c.target, Entity)
        ]


def _fact(subject: str, predicate: str, target: str) -> str:
    """A triple pattern, or two of which one must hold where loading completes the facts of the relation."""
    pattern = f"{subject} {sparql_name(predicate)} {target} ."
    reverse = completing_relation(predicate)
    ends = [end for end in (subject, target) if end.startswith("?")]
    if reverse is None or not all(is_mid(id_of(end[1:-1])) for end in (subject, target) if end not in ends):
        return pattern
    are_mids = " && ".join(f'REGEX(STR({end}), "{MID_ADDRESS}")' for end in ends)
    turned = f"{target} {sparql_name(reverse)} {subject}{f' . FILTER ({are_mids})' if ends else ''}"
    return f"{{ {pattern.removesuffix(' .')} }} UNION {{ {turned} }}"
