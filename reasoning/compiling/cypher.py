"""A derivation as a query in Cypher, over the layout of `kgstore.neo4j.format`."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from kgstore.freebase.spans import BOUNDS, bound_names
from kgstore.neo4j.format import day_number, quoted_type
from kgstore.store_parts.types_as_entities import INSTANCES
from kgstore.terms import NUMBER_PATTERN, Date, Entity, Number
from reasoning.compiling.plan import Plan
from reasoning.core.derivation import Operator
from reasoning.core.structure import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from kgstore.terms import Term
    from reasoning.core.derivation import Derivation

Parameters: TypeAlias = "dict[str, str | float | int]"

_INDENT = "  "


def to_cypher(derivation: Derivation, graph: str) -> tuple[str, Parameters]:
    """A query for a derivation's answers in a graph by its name, and its parameters.

    It returns one column, ``answer``: each answer's textual form, as `kgstore.terms.parse_term` reads it. The topic
    entity is never among them. Every step is a ``MATCH`` of its own, for within one no edge is followed twice. Where
    the derivation counts, the one column is ``count`` and its one row the number. Instances of a type are found by the
    ``types`` of their nodes.

    Raises:
        NoQueryError: the derivation has no answer position.

    """
    plan = Plan(derivation)
    writer = _Writer(plan, {"graph": graph, "topic": derivation.topic.mid})
    lines = ["MATCH (graph:Graph {name: $graph, state: 'complete'})"]
    if writer.is_topic_a_node:
        lines += ["MATCH (x0:Entity {graph: graph.graph, mid: $topic})"]
    begun = ["x0"] if writer.is_topic_a_node else ["graph"]
    for number, ranking in enumerate(plan.rankings):
        known = ", ".join((*begun, *(f"best{n + 1}" for n in range(number))))
        function = "min" if ranking.operator is Operator.MIN else "max"
        rank = _rank(f"x{ranking.position}")
        lines += [f"CALL ({known}) {{", *(_INDENT + line for line in writer.way(ranking.position, number))]
        best = f"best{number + 1}"
        if ranking.place > 1:
            order = "" if ranking.operator is Operator.MIN else " DESC"
            lines += [f"{_INDENT}WITH DISTINCT {rank} AS {best} WHERE {best} IS NOT NULL"]
            lines += [f"{_INDENT}RETURN {best} ORDER BY {best}{order} SKIP {ranking.place - 1} LIMIT 1", "}"]
        else:
            lines += [f"{_INDENT}RETURN {function}({rank}) AS {best}", "}"]
    answer = f"x{derivation.answer_position}"
    lines += writer.way(derivation.answer_position, len(plan.rankings))
    lines += ["WITH DISTINCT " + answer, f"WHERE NOT ({answer}:Entity AND {answer}.mid = $topic)"]
    text = f"coalesce({answer}.mid, {answer}.text)"
    lines += [f"RETURN count(DISTINCT {text}) AS count" if derivation.counted else f"RETURN {text} AS answer"]
    return "\n".join(lines) + "\n", writer.parameters


def cypher_script(query: str, parameters: Mapping[str, Any]) -> str:
    """A query with its parameters, as Neo4j's browser and ``cypher-shell`` take it."""
    # What JSON writes of texts and numbers is Cypher too.
    set_parameters = "".join(f":param {name} => {json.dumps(value)};\n" for name, value in parameters.items())
    return f"{set_parameters}{query.rstrip()};\n"


@dataclass(slots=True)
class _Writer:
    plan: Plan
    parameters: Parameters
    _names: dict[tuple[str, str | float | int], str] = field(default_factory=dict)

    @property
    def is_topic_a_node(self) -> bool:
        """Whether a step leads on from the topic's node; a type need not have one."""
        return any(self.plan.relation(each) != INSTANCES for each in self.plan.children(ROOT, self.plan.asked))

    def way(self, position: int, rankings: int) -> Iterator[str]:
        """The path from the topic to a position, with its constraints; ``rankings`` rankings were applied before."""
        path = self.plan.path(position) or (ROOT,)
        for place in path:
            conditions = list(self._conditions(place, rankings, path)) if place else []
            if place in (ROOT, path[0]):
                conditions = [*self._conditions(ROOT, rankings, path), *conditions]
            yield self._match(place, path)
            for number, condition in enumerate(conditions):
                yield f"{_INDENT}{'AND' if number else 'WHERE'} {condition}"

    def _match(self, position: int, path: tuple[int, ...]) -> str:
        """The step to a position; an end of the tree may be a literal."""
        if position == ROOT:
            return "MATCH (x0)"
        if self._is_of_topic(position):
            return f"MATCH (x{position}:Entity {{graph: graph.graph}})"
        edge = f"-[:{quoted_type(self.plan.relation(position).predicate)}]-"
        arrow = f"<{edge}" if self.plan.relation(position).is_reverse else f"{edge}>"
        leads_on = position in path[:-1] or self.plan.children(position, self.plan.required)
        return f"MATCH (x{self.plan.parent(position)}){arrow}(x{position}{':Entity' if leads_on else ''})"

    def _conditions(self, position: int, rankings: int, path: tuple[int, ...]) -> Iterator[str]:
        node = f"x{position}"
        if position != ROOT and self._is_of_topic(position):
            yield f"$topic IN {node}.types"
        for constraint in self.plan.comparisons(position):
            if constraint.operator is Operator.HOLDS:
                yield self._held(node, constraint.target)
            elif constraint.target is not None:
                yield self._condition(node, constraint.operator, constraint.target)
        for kind in self.plan.kinds(position):
            yield f"({node}:Entity AND {self._parameter('kind', kind.mid)} IN {node}.types)"
        for number, ranking in enumerate(self.plan.rankings[:rankings]):
            if ranking.position == position:
                yield f"{_rank(node)} = best{number + 1}"
        for child in self.plan.children(position, self.plan.required):
            if child not in path:
                met = " AND ".join(self._conditions(child, rankings, path))
                yield f"EXISTS {{ {self._match(child, path)}{f' WHERE {met}' if met else ''} }}"

    def _is_of_topic(self, position: int) -> bool:
        """Whether a position holds the instances of the topic, which is a type."""
        return self.plan.relation(position) == INSTANCES and self.plan.parent(position) == ROOT

    def _condition(self, node: str, operator: Operator, target: Term) -> str:
        """What `reasoning.facts.pruning.meets` says."""
        if isinstance(target, Number):
            value = self._parameter("value", float(target.value))
            return f"({_number(node)} {operator} {value})"
        if isinstance(target, Date):
            return f"({node}:Date AND {self._date_condition(node, operator, target)})"
        if operator is not Operator.EQUAL:
            return "false"
        if isinstance(target, Entity):
            return f"({node}:Entity AND {node}.mid = {self._parameter('mid', target.mid)})"
        language = self._parameter("language", target.language.lower())
        value = self._parameter("text", target.value)
        return f"({node}:Text AND {node}.value = {value} AND toLower(coalesce({node}.language, '')) = {language})"

    def _held(self, node: str, target: Term | None) -> str:
        """What `reasoning.facts.validity` says: of either end there is no date, or one that compares so."""
        if not isinstance(target, Date):
            return "false"
        ends = []
        for bound, operator in zip(BOUNDS, (Operator.AT_MOST, Operator.AT_LEAST), strict=True):
            names = self._parameter(bound, ".*[./#](" + "|".join(bound_names(bound)) + ")")
            found = f"({node})-[leads]->(date:Date) WHERE '.' + type(leads) =~ {names}"
            met = f"{found} AND {self._date_condition('date', operator, target)}"
            ends.append(f"(NOT EXISTS {{ {found} }} OR EXISTS {{ {met} }})")
        return f"({' AND '.join(ends)})"

    def _date_condition(self, node: str, operator: Operator, target: Date) -> str:
        first, last = map(day_number, target.interval)
        if operator in (Operator.LESS, Operator.AT_LEAST):
            return f"{node}.last {operator} {self._parameter('first', first)}"
        if operator is not Operator.EQUAL:
            return f"{node}.first {operator} {self._parameter('last', last)}"
        begins, ends = self._parameter("first", first), self._parameter("last", last)
        within = f"{node}.first >= {begins} AND {node}.last <= {ends}"
        around = f"{node}.first <= {begins} AND {node}.last >= {ends}"
        return f"({within} OR {around})"

    def _parameter(self, name: str, value: str | float) -> str:
        """The parameter that holds a value."""
        own = self._names.get((name, value))
        if own is None:
            own = self._names[name, value] = f"{name}{sum(used == name for used, _ in self._names) + 1}"
            self.parameters[own] = value
        return f"${own}"


def _number(node: str) -> str:
    """The number that `kgstore.terms.ordered_as` makes of a number or a text; null for anything else."""
    is_written_so = f"""{node}:Text AND {node}.text =~ '"{NUMBER_PATTERN.strip("^$")}"'"""
    return f"CASE WHEN {node}:Number THEN {node}.value WHEN {is_written_so} THEN toFloat({node}.value) END"


def _rank(node: str) -> str:
    """A number that orders numbers and days as `reasoning.facts.pruning` does: 2011-02-06 is 2011.0206."""
    return f"CASE WHEN {node}:Date THEN {node}.first / 10000.0 ELSE {_number(node)} END"
