"""Decompose a gold query into the derivation that a perfect run would take."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import permutations
from typing import TYPE_CHECKING, TypeAlias

from kgstore.freebase.knowledge import NOTABLE_TYPES, TYPE, load_knowledge, parts
from kgstore.freebase.spans import bound_of
from kgstore.sparql.query_graph import Comparison, Edge, HeldBound, OpenBound, QueryError, QueryGraph, Variable
from kgstore.terms import Date, Direction, Entity, Number, Relation
from reasoning.core.derivation import Constraint, Derivation, Operator, SearchStep

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from kgstore.freebase.spans import Bound
    from kgstore.sparql.query_graph import Node

Kinds: TypeAlias = "Mapping[Variable, Collection[str]]"
"""The types that a query says of what its variables stand for."""

_SIGNS = {
    "=": Operator.EQUAL,
    "<": Operator.LESS,
    "<=": Operator.AT_MOST,
    ">": Operator.GREATER,
    ">=": Operator.AT_LEAST,
}
_ORDER = list(Operator)
_OF_EVERYTHING = ("common.", "type.")
"""Every topic is a ``common.topic`` and a ``type.object``."""


class Problem(StrEnum):
    """Why a query graph is no derivation; `kgstore.sparql.query_graph.Unreadable` says why a query is no graph."""

    NO_ENTITY = "no entity to start from"
    TOPIC_ABSENT = "the topic entity is not in the query"
    NOT_CONNECTED = "parts that do not hang together"
    CYCLE = "a cycle"
    ANSWER_CONSTRAINED = "a condition on the answer's own value"
    VARIABLES_COMPARED = "compares two values of the graph"
    NO_ORDER = "orders what has no order"
    SAME_RELATION_TWICE = "one relation twice from the same node"
    HALF_A_TIME = "one end of a time alone, whatever relation leads to it"


class Note(StrEnum):
    """What a derivation leaves out of its query, or says beyond it."""

    ABSENT_DATE_FAILS = "a date range whose missing dates would pass"
    UNLIKE_LEFT_OUT = "two nodes that must differ"
    TYPE_LEFT_OUT = "a type"
    NOTABLE_TYPE_WIDENED = "a best known type read as a type"
    TOPIC_EXCLUDED = "a topic that could be an answer"
    EXISTENCE_LEFT_OUT = "a branch that must only exist"


@dataclass(frozen=True, slots=True)
class Decomposition:
    """A derivation, or the reason why there is none."""

    derivation: Derivation | None
    problem: str = ""
    """A `Problem` or an `Unreadable`; empty where there is a derivation."""
    notes: tuple[Note, ...] = ()
    """Where query and derivation differ; each at most once."""


def decompose(query: str, topic: Entity | None) -> Decomposition:
    """Decompose a gold query.

    The query graph, seen from the topic entity, must be a tree. Every edge is a search step. A further entity, a text,
    a number or a date that a triple names is a step to a new node and the constraint that the node equals it. A date
    range (`OpenBound`) over a mediator's beginning and end around one day, month or year is the constraint that it held
    then (`reasoning.facts.validity`); else it is a step to each date and the constraints ``<=`` and ``>=``, and where
    they span exactly one year or month, that is their target. Ranking is ``min`` or ``max``, with its place where that
    is not the first. A type of what a step leads to, or the topic that stands for it as its best known type, is the
    constraint ``kind``, which may stand on the answer too.

    Steps come in a canonical order, whatever the order of the text: first the path from the topic to the answer, then
    what branches off, from the topic downwards, each branch whole, branches of one node by relation and then by what
    they demand. Constraints go by position, then by operator as `Operator` lists them; those that rank come last, as
    in `reasoning.facts.pruning`.

    With ``topic`` None the entity farthest from the answer is taken, of several the one that the query says is not the
    answer, then the smallest id; the first from which a derivation leads to the answer. Where the query names none, the
    type of the answers is the topic, and the first step leads to its instances
    (`kgstore.store_parts.types_as_entities`).

    A query that counts its answers is the derivation of those answers, ``counted``.

    What a derivation cannot say is noted. The topic is never an answer, asked for or not. Conditions that two nodes
    differ are left out but for that one. `reasoning.facts.pruning` needs a value to compare: what has no date fails a
    date range that is steps, while the query lets it pass. And a branch that bears no condition asks for nothing there,
    while in the query it must exist.
    """
    from kgstore.sparql.reader import read_query  # noqa: PLC0415 - rdflib, which few processes need

    try:
        graph = read_query(query)
    except QueryError as error:
        return Decomposition(None, str(error.reason))
    return decompose_graph(graph, topic)


def decompose_graph(graph: QueryGraph, topic: Entity | None) -> Decomposition:
    """Decompose a query graph; see `decompose`."""
    notes: dict[Note, None] = {}
    edges, kinds = _without_types(graph.edges, topic, notes)
    candidates = _start_entities(graph, edges)
    types = _start_types(graph)
    if topic is not None:
        if topic not in (*candidates, *types):
            return Decomposition(None, str(Problem.TOPIC_ABSENT))
        candidates = [topic]
    elif not candidates and types:
        candidates = types[:1]
        edges, kinds = _without_types(graph.edges, types[0], notes)
    problem = Problem.NO_ENTITY
    for place, candidate in enumerate(candidates):
        try:
            tree = _Tree(graph, edges, kinds, candidate)
            derivation = tree.derivation()
        except _Inexpressible as error:
            problem = problem if place else error.problem
            continue
        _note_differences(graph, derivation, notes)
        notes.update(tree.notes)
        return Decomposition(derivation, notes=tuple(notes))
    return Decomposition(None, str(problem))


class _Inexpressible(Exception):  # noqa: N818
    def __init__(self, problem: Problem) -> None:
        super().__init__(problem)
        self.problem = problem


@dataclass(slots=True)
class _Branch:
    """A node of the tree, reached by a step."""

    node: Node | None
    relation: Relation
    conditions: list[Constraint] = field(default_factory=list)
    """Their position is not known yet: 0."""
    children: list[_Branch] = field(default_factory=list)
    leads_to_answer: bool = False

    @property
    def is_value(self) -> bool:
        """Whether it is only there to be compared or ranked as a number, a date or a text."""
        is_more = any(condition.operator in (Operator.HOLDS, Operator.KIND) for condition in self.conditions)
        return not self.children and not isinstance(self.node, Entity) and not self.leads_to_answer and not is_more

    @property
    def key(self) -> tuple[str, tuple[str, ...], tuple[object, ...]]:
        """What orders branches, whatever the names of variables."""
        demands = tuple(sorted(f"{c.operator} {c.target}" for c in self.conditions))
        return str(self.relation), demands, tuple(sorted(child.key for child in self.children))


class _Tree:
    """The query graph as a tree that grows from an entity."""

    def __init__(self, graph: QueryGraph, edges: Sequence[Edge], kinds: Kinds, topic: Entity) -> None:
        self.graph = graph
        self.kinds = kinds
        self.topic = topic
        self.at: defaultdict[Node, list[Edge]] = defaultdict(list)
        for edge in edges:
            for node in {edge.subject, edge.object}:
                self.at[node].append(edge)
        self.edges = edges
        self.used: set[Edge] = set()
        self.branches: dict[Node, _Branch] = {}
        self.notes: dict[Note, None] = {}

    def derivation(self) -> Derivation:
        ranges = [bound.comparison.other for bound in self.graph.open_bounds]
        ranges += [bound.other for bound in self.graph.held_bounds]
        compared = [c.other for c in self.graph.comparisons if c.sign != "!="]
        if any(isinstance(other, Variable) for other in (*compared, *ranges)):
            raise _Inexpressible(Problem.VARIABLES_COMPARED)
        roots = [self._grow(self.topic, edge) for edge in self._root_edges() if edge not in self.used]
        if self.used != set(self.edges):
            raise _Inexpressible(Problem.NOT_CONNECTED)
        self._add_open_bounds(self._add_held())
        self._add_conditions()
        self._mark_answer(roots)
        root = _Branch(self.topic, Relation(""), children=roots, leads_to_answer=True)
        _merge_values(root)
        return self._ordered(root)

    def _root_edges(self) -> Iterator[Edge]:
        """The topic's edges, the one with which the way to the answer begins first: of several, the farthest."""
        distances = _distances(self.edges, self.graph.answer)
        if not any(_other(edge, self.topic) in distances for edge in self.at[self.topic]):
            raise _Inexpressible(Problem.NOT_CONNECTED)
        yield from sorted(
            self.at[self.topic],
            key=lambda e: (-distances.get(_other(e, self.topic), -1), str(_relation(e, self.topic)), str(e)),
        )

    def _grow(self, source: Node, edge: Edge) -> _Branch:
        self.used.add(edge)
        node = _other(edge, source)
        branch = _Branch(node, _relation(edge, source))
        if not isinstance(node, Variable):
            branch.conditions.append(Constraint(0, Operator.EQUAL, node))
            return branch
        if node in self.branches:
            raise _Inexpressible(Problem.CYCLE)
        self.branches[node] = branch
        branch.conditions += [Constraint(0, Operator.KIND, Entity(kind)) for kind in self.kinds.get(node, ())]
        for further in self.at[node]:
            if further not in self.used:
                branch.children.append(self._grow(node, further))
        return branch

    def _add_held(self) -> Sequence[OpenBound]:
        """Two bounds of one node with one span between them are that it held then; the other bounds are left."""
        left: dict[OpenBound | HeldBound, None] = dict.fromkeys((*self.graph.open_bounds, *self.graph.held_bounds))
        for bound, other in permutations(tuple(left), 2):
            held = None if {bound, other} - left.keys() else _held(bound, other)
            if held is not None and held[0] in self.branches and held[0] != self.graph.answer:
                node, date = held
                self.branches[node].conditions.append(Constraint(0, Operator.HOLDS, date))
                del left[bound], left[other]
        if any(isinstance(bound, HeldBound) for bound in left):
            raise _Inexpressible(Problem.HALF_A_TIME)
        return [bound for bound in left if isinstance(bound, OpenBound)]

    def _add_open_bounds(self, bounds: Sequence[OpenBound]) -> None:
        if bounds:
            self.notes[Note.ABSENT_DATE_FAILS] = None
        for bound in _whole_spans(bounds):
            source = bound.edge.subject if bound.comparison.variable == bound.edge.object else bound.edge.object
            target = bound.comparison.other
            if not isinstance(source, Variable) or source not in self.branches:
                raise _Inexpressible(Problem.NOT_CONNECTED)
            relation = _relation(bound.edge, source)
            self.branches[source].children.append(_Branch(None, relation, [self._condition(bound.comparison, target)]))

    def _add_conditions(self) -> None:
        for comparison in self.graph.comparisons:
            if comparison.sign == "!=":
                continue
            condition = self._condition(comparison, comparison.other)
            self._constrained(comparison.variable).append(condition)
        for ranking in self.graph.rankings:
            operator = Operator.MAX if ranking.largest else Operator.MIN
            place = None if ranking.place == 1 else Number(float(ranking.place))
            self._constrained(ranking.variable).append(Constraint(0, operator, place))

    def _constrained(self, variable: Variable) -> list[Constraint]:
        if variable == self.graph.answer:
            raise _Inexpressible(Problem.ANSWER_CONSTRAINED)
        if variable not in self.branches:
            raise _Inexpressible(Problem.NOT_CONNECTED)
        return self.branches[variable].conditions

    def _condition(self, comparison: Comparison, target: Node) -> Constraint:
        if isinstance(target, Variable) or comparison.sign == "!=":
            raise TypeError("a condition compares with a term")
        operator = _SIGNS[comparison.sign]
        if operator is not Operator.EQUAL and not isinstance(target, Number | Date):
            raise _Inexpressible(Problem.NO_ORDER)
        return Constraint(0, operator, target)

    def _mark_answer(self, branches: Iterable[_Branch]) -> bool:
        found = False
        for branch in branches:
            branch.leads_to_answer = self._mark_answer(branch.children) or branch.node == self.graph.answer
            found = found or branch.leads_to_answer
        return found

    def _ordered(self, root: _Branch) -> Derivation:
        """Number the nodes: the way to the answer, then what branches off."""
        steps: list[SearchStep] = []
        placed: list[tuple[int, _Branch]] = []

        def place(branch: _Branch, parent: int) -> int:
            steps.append(SearchStep(parent, branch.relation))
            placed.append((len(steps), branch))
            return len(steps)

        def place_whole(branch: _Branch, parent: int) -> None:
            position = place(branch, parent)
            for child in sorted(branch.children, key=lambda child: child.key):
                place_whole(child, position)

        path = [(0, root)]
        answer = 0
        while step := next((child for child in path[-1][1].children if child.leads_to_answer), None):
            answer = place(step, path[-1][0])
            path.append((answer, step))
        for position, branch in path:
            for child in sorted((c for c in branch.children if not c.leads_to_answer), key=lambda child: child.key):
                place_whole(child, position)
        conditions = [
            Constraint(position, condition.operator, condition.target)
            for position, branch in placed
            for condition in sorted(branch.conditions, key=lambda c: (_ORDER.index(c.operator), str(c.target)))
        ]
        conditions = list(dict.fromkeys(conditions))
        compared = [c for c in conditions if not c.operator.is_extremal]
        ranked = [c for c in conditions if c.operator.is_extremal]
        places = [self.branches[ranking.variable] for ranking in self.graph.rankings]
        ranked.sort(key=lambda c: places.index(placed[c.position - 1][1]))
        return Derivation(self.topic, tuple(steps), (*compared, *ranked), answer, self.graph.counted)


def _merge_values(branch: _Branch) -> None:
    """Lay together the branches of one node along one relation that only compare values: they are one search step.

    A pool offers a step once. For a relation with one value, such as the date when something began, it is the same.
    """
    by_relation: dict[Relation, _Branch] = {}
    for child in branch.children:
        twin = by_relation.setdefault(child.relation, child)
        if twin is not child:
            if not (twin.is_value and child.is_value):
                raise _Inexpressible(Problem.SAME_RELATION_TWICE)
            twin.conditions.extend(child.conditions)
        else:
            _merge_values(child)
    branch.children = list(by_relation.values())


def _without_types(
    edges: Sequence[Edge], topic: Entity | None, notes: dict[Note, None]
) -> tuple[tuple[Edge, ...], Kinds]:
    """The edges but for those that say a type of what other edges lead to; and by variable, those types.

    A type of an entity, of a mediator, or of nearly everything is left out. Where a query gives a type to every thing
    that it asks of something, as GrailQA's do, so is one that the schema gives whatever a relation leads to or from.
    """
    typed = {edge: kind for edge in edges if (kind := _type_said(edge)) is not None and edge.object != topic}
    held = {node for edge in edges if edge not in typed for node in (edge.subject, edge.object)}
    given = {edge.subject for edge in typed if edge.predicate == TYPE}
    asked = {edge.subject for edge in edges if edge not in typed and isinstance(edge.subject, Variable)}
    throughout = bool(given) and given >= asked
    ensured = {said for edge in edges if throughout and edge not in typed for said in _ensured(edge)}
    kept: list[Edge] = []
    kinds: defaultdict[Variable, dict[str, None]] = defaultdict(dict)
    for edge in edges:
        if edge not in typed or edge.subject not in held:
            kept.append(edge)
        elif (edge.subject, typed[edge]) in ensured:
            continue
        elif isinstance(edge.subject, Variable) and _may_be_kind(typed[edge]):
            kinds[edge.subject][typed[edge]] = None
            if edge.predicate == NOTABLE_TYPES:
                notes[Note.NOTABLE_TYPE_WIDENED] = None
        else:
            notes[Note.TYPE_LEFT_OUT] = None
    return tuple(kept), kinds


def _type_said(edge: Edge) -> str | None:
    """The type that an edge says of its subject; empty where that is open; None where it says something else."""
    if edge.predicate == TYPE:
        return edge.object.mid if isinstance(edge.object, Entity) else ""
    if edge.predicate == NOTABLE_TYPES and isinstance(edge.object, Entity):
        return load_knowledge().notable_types.get(edge.object.mid)
    return None


def _may_be_kind(kind: str) -> bool:
    """Whether a type tells something, of things that are no mediators."""
    return bool(kind) and kind not in load_knowledge().mediator_types and not kind.startswith(_OF_EVERYTHING)


def _ensured(edge: Edge) -> Iterator[tuple[Node, str | None]]:
    """The types that the schema gives both ends of an edge, as far as they are known."""
    knowledge, joined = load_knowledge(), parts(edge.predicate)
    yield edge.subject, knowledge.subject_type(joined[0])
    yield edge.object, knowledge.object_type(joined[-1])


def _start_entities(graph: QueryGraph, edges: Sequence[Edge]) -> list[Entity]:
    """The entities of the query, the best to start from first; see `decompose`."""
    distances = _distances(edges, graph.answer)
    unlike = {c.other for c in graph.comparisons if c.sign == "!=" and c.variable == graph.answer}
    nearness: dict[Entity, int] = {}
    for edge in edges:
        for node in (edge.subject, edge.object):
            if isinstance(node, Entity) and edge.predicate != TYPE:
                nearness[node] = max(nearness.get(node, -1), distances.get(_other(edge, node), -1))
    return sorted(nearness, key=lambda entity: (-nearness[entity], entity not in unlike, entity))


def _start_types(graph: QueryGraph) -> list[Entity]:
    """The types that the query gives its variables, those of the answers first.

    Where it names no entity, they are all that there is to start from.
    """
    said = [edge for edge in graph.edges if edge.predicate == TYPE and isinstance(edge.object, Entity)]
    said.sort(key=lambda edge: (edge.subject != graph.answer, str(edge.object)))
    types = dict.fromkeys(edge.object for edge in said if isinstance(edge.object, Entity))
    return [kind for kind in types if _may_be_kind(kind.mid)]


def _distances(edges: Sequence[Edge], answer: Variable) -> dict[Node, int]:
    """How many edges lie between the answer and each variable; entities and literals join nothing."""
    distances: dict[Node, int] = {answer: 0}
    front: list[Node] = [answer]
    while front:
        node = front.pop(0)
        for edge in edges:
            if node in (edge.subject, edge.object):
                further = _other(edge, node)
                if isinstance(further, Variable) and further not in distances:
                    distances[further] = distances[node] + 1
                    front.append(further)
    return distances


def _note_differences(graph: QueryGraph, derivation: Derivation, notes: dict[Note, None]) -> None:
    unlike = [c for c in graph.comparisons if c.sign == "!="]
    is_topic = [c.variable == graph.answer and c.other == derivation.topic for c in unlike]
    if not all(is_topic):
        notes[Note.UNLIKE_LEFT_OUT] = None
    if not any(is_topic):
        notes[Note.TOPIC_EXCLUDED] = None
    used = {step.position for step in derivation.steps} | {constraint.position for constraint in derivation.constraints}
    if set(range(1, len(derivation.steps) + 1)) - used - {derivation.answer_position}:
        notes[Note.EXISTENCE_LEFT_OUT] = None


def _held(begin: OpenBound | HeldBound, end: OpenBound | HeldBound) -> tuple[Node, Date] | None:
    """What held at which date, where the first bound is of its beginning, and the second of its end."""
    sides = [_side(bound) for bound in (begin, end)]
    if None in sides:
        return None
    (node, bound, sign, last), (other, other_bound, other_sign, first) = (side for side in sides if side is not None)
    if (bound, sign, other_bound, other_sign) != ("begin", "<=", "end", ">=") or node != other:
        return None
    date = last if first == last and isinstance(last, Date) else _span(first, last)
    return None if date is None else (node, date)


def _side(bound: OpenBound | HeldBound) -> tuple[Node, Bound, str, Node] | None:
    """Whose time it bounds, at which end and how; None where its relation leads to no end of a time."""
    if isinstance(bound, HeldBound):
        return bound.node, bound.bound, bound.sign, bound.other
    end = bound_of(Relation(bound.edge.predicate))
    is_forward = bound.comparison.variable == bound.edge.object
    return (bound.edge.subject, end, bound.comparison.sign, bound.comparison.other) if end and is_forward else None


def _whole_spans(bounds: Sequence[OpenBound]) -> Iterator[OpenBound]:
    """The bounds, those that together span exactly a year or a month having that as their date."""
    for bound in bounds:
        date = bound.comparison.other
        for other in bounds:
            if other.edge.subject == bound.edge.subject and {other.comparison.sign, bound.comparison.sign} == {
                "<=",
                ">=",
            }:
                first, last = sorted((bound, other), key=lambda each: each.comparison.sign, reverse=True)
                date = _span(first.comparison.other, last.comparison.other) or date
        comparison = Comparison(bound.comparison.variable, bound.comparison.sign, date)
        yield OpenBound(bound.edge, comparison)


def _span(first: Node, last: Node) -> Date | None:
    """The year or month that begins on the first day and ends on the last one."""
    if not (isinstance(first, Date) and isinstance(last, Date)):
        return None
    days = first.interval[0], last.interval[1]
    year, month, _ = first.value.rsplit("-", 2) if first.value.lstrip("-").count("-") == 2 else ("", "", "")  # noqa: PLR2004
    return next((d for d in (Date(year), Date(f"{year}-{month}")) if year and d.interval == days), None)


def _other(edge: Edge, node: Node) -> Node:
    return edge.object if edge.subject == node else edge.subject


def _relation(edge: Edge, source: Node) -> Relation:
    """The edge's relation as followed from one of its ends."""
    return Relation(edge.predicate, Direction.FORWARD if edge.subject == source else Direction.REVERSE)
