"""Read gold queries: the SPARQL of WebQSP, ComplexWebQuestions and GrailQA, and what `reasoning.compiling` writes."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import count
from typing import TYPE_CHECKING, Any, cast

from rdflib.term import BNode, Literal, URIRef
from rdflib.term import Variable as RdfVariable

from kgstore.characters import character_fault
from kgstore.freebase.knowledge import load_knowledge
from kgstore.freebase_ids import FREEBASE
from kgstore.sparql.query_graph import (
    MAX_QUERY_LENGTH,
    Comparison,
    ComparisonSign,
    Edge,
    HeldBound,
    Node,
    OpenBound,
    QueryError,
    QueryGraph,
    Ranking,
    Unreadable,
    Variable,
)
from kgstore.sparql.rdf import FIRST_DAY, LAST_DAY, XSD, bound_read, day_read, id_of
from kgstore.sparql.tokens import Form, algebra
from kgstore.terms import NUMBER_PATTERN, Date, Entity, Number, TermError, Text, parse_date, parse_number

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from rdflib.plugins.sparql.parserutils import CompValue

    from kgstore.freebase.spans import Bound
    from kgstore.terms import Term

_FLIPPED: Mapping[str, ComparisonSign] = {"=": "=", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
_PARTS = {
    "Union": Unreadable.ALTERNATIVES,
    "LeftJoin": Unreadable.OPTIONAL,
    "Minus": Unreadable.NEGATION,
    "AggregateJoin": Unreadable.AGGREGATE,
    "Group": Unreadable.AGGREGATE,
    "OrderBy": Unreadable.NOT_THE_FIRST,
    "Slice": Unreadable.NOT_THE_FIRST,
}
_CONDITIONS = {
    "ConditionalOrExpression": Unreadable.ALTERNATIVES,
    "UnaryNot": Unreadable.NEGATION,
    "Builtin_NOTEXISTS": Unreadable.NEGATION,
}
_EXTREMES = {"Aggregate_Max": True, "Aggregate_Min": False}
_DATE_CASTS = {"dateTime", "datetime", "date", "gYear", "gYearMonth"}
_DATE_ENDS: frozenset[Term] = frozenset({*map(Text, ("-", "-01-01", FIRST_DAY, LAST_DAY)), Number(-99)})
"""What `reasoning.compiling` puts after the text of a date, so that dates of different precision compare. Its earlier
versions put ``-99``; what they wrote stands in exported files, and is read as ever.
"""
_NUMBER_PATTERNS = frozenset({Text(NUMBER_PATTERN), Text("^[0-9]{1,15}$")})
"""What says that a text is written like a number, now and in earlier versions."""
_OPEN = "?"
"""Stands for all relations that lead to an end of a time. No relation is called so."""
_TRIALS = 10_000
"""Maximum of ways to match an inner pattern with the outer one that are tried."""
MAX_PATTERNS = 40
"""Maximum of triple patterns in a query. The benchmarks' queries have at most nine."""
_LANGUAGES = {Text(""), Text("en")}
_ENGLISH = "en"


def read_query(query: str) -> QueryGraph:
    """Read a query.

    Filters that ask for literals in English are read as nothing said: graphs hold English alone. A text compared by its
    ``str()`` is taken as English. Variables that ``VALUES`` binds to one term are that term. A query that counts its
    distinct answers, and nothing else, is the graph of those answers, ``counted``.

    Raises:
        QueryError: it is no SPARQL, or asks what no query graph says.

    """
    if len(query) > MAX_QUERY_LENGTH:
        raise QueryError(Unreadable.TOO_LARGE, f"{len(query):,} characters")
    if fault := character_fault(query):
        raise QueryError(Unreadable.NOT_TEXT, fault)
    form = Form.of(query)
    parsed = algebra(form.text)
    if parsed.name != "SelectQuery":
        raise QueryError(Unreadable.NOT_A_SELECTION, str(parsed.name))
    reader, part = _Reader(form), cast("CompValue", parsed.p)
    counted = _counted(part)
    selection = reader.selection(part) if counted is None else reader.counted(*counted)
    if len(selection.projected) != 1:
        raise QueryError(Unreadable.SEVERAL_ANSWERS, ", ".join(sorted(selection.projected)))
    return replace(selection.graph(), counted=counted is not None)


@dataclass(slots=True)
class _Subselection:
    """``SELECT (MAX(?inner) AS ?result)`` and what it ranges over; or the value at another place in its order."""

    body: _Selection
    inner: Variable
    result: Variable
    largest: bool
    place: int = 1


@dataclass(slots=True)
class _Selection:
    """A selection while it is being read."""

    projected: list[str] = field(default_factory=list)
    edges: list[Edge] = field(default_factory=list)
    comparisons: list[Comparison] = field(default_factory=list)
    open_bounds: list[OpenBound] = field(default_factory=list)
    rankings: list[Ranking] = field(default_factory=list)
    subselections: list[_Subselection] = field(default_factory=list)
    held_bounds: list[HeldBound] = field(default_factory=list)
    same: dict[Variable, Node] = field(default_factory=dict)
    """What a variable is another name for."""
    leads_to: tuple[RdfVariable, Bound] | None = None
    """Of one side of a date range that names no relation: what stands for it, and to which end of a time it leads."""

    def rename(self, variable: Variable, node: Node) -> None:
        """Let a variable be another name for a node.

        Raises:
            QueryError: it stands for another term already.

        """
        mine, other = self.node(variable), self.node(node)
        if mine == other:
            return
        if isinstance(mine, Variable):
            self.same[mine] = other
        elif isinstance(other, Variable):
            self.same[other] = mine
        else:
            raise QueryError(Unreadable.COMPUTED, f"{variable} is both {mine} and {other}")

    def node(self, node: Node) -> Node:
        """What a node stands for in the end."""
        while isinstance(node, Variable) and node in self.same:
            node = self.same[node]
        return node

    def variable(self, variable: Variable) -> Variable:
        node = self.node(variable)
        if not isinstance(node, Variable):
            raise QueryError(Unreadable.OTHER, f"{variable} is given and ranked or asked for")
        return node

    def edge(self, edge: Edge) -> Edge:
        return Edge(self.node(edge.subject), edge.predicate, self.node(edge.object))

    def graph(self) -> QueryGraph:
        """The query graph, all names resolved and inner extremes laid over the outer pattern."""
        edges = tuple(dict.fromkeys(self.edge(edge) for edge in self.edges))
        if len(edges) + len(self.open_bounds) > MAX_PATTERNS:
            raise QueryError(Unreadable.TOO_LARGE, f"{len(edges) + len(self.open_bounds)} triple patterns")
        comparisons = list(dict.fromkeys(self._comparisons()))
        rankings = [replace(ranking, variable=self.variable(ranking.variable)) for ranking in self.rankings]
        for subselection in sorted(self.subselections, key=lambda each: len(each.body.subselections)):
            result = self.variable(subselection.result)
            equal = [c for c in comparisons if c.sign == "=" and result in (c.variable, c.other)]
            comparisons = [c for c in comparisons if c not in equal]
            nodes = {c.variable if c.other == result else c.other for c in equal} or {result}
            inner = subselection.body.graph_of(subselection.inner)
            outer = nodes.pop()
            if not isinstance(outer, Variable) or nodes or not _lies_in(inner, edges, outer):
                raise QueryError(Unreadable.AGGREGATE, "an extreme of something other than the query's own pattern")
            ranking = Ranking(outer, subselection.largest, subselection.place)
            if ranking not in rankings:
                rankings.append(ranking)
        bounds = (self._open_bound(bound) for bound in self.open_bounds)
        held = (replace(each, node=self.node(each.node), other=self.node(each.other)) for each in self.held_bounds)
        answer = self.variable(Variable(self.projected[0]))
        return QueryGraph(
            answer,
            edges,
            tuple(comparisons),
            tuple(dict.fromkeys(bounds)),
            tuple(dict.fromkeys(held)),
            tuple(rankings),
        )

    def graph_of(self, answer: Variable) -> QueryGraph:
        self.projected = [answer.name]
        return self.graph()

    def _open_bound(self, bound: OpenBound) -> OpenBound:
        edge = self.edge(bound.edge)
        if not isinstance(edge.object, Variable):
            raise QueryError(Unreadable.NEGATION, "an open bound on a value that is given")
        return OpenBound(edge, Comparison(edge.object, bound.comparison.sign, self.node(bound.comparison.other)))

    def _comparisons(self) -> Iterator[Comparison]:
        for comparison in self.comparisons:
            left, right = self.node(comparison.variable), self.node(comparison.other)
            if isinstance(left, Variable):
                yield Comparison(left, comparison.sign, right)
            elif isinstance(right, Variable):
                yield Comparison(right, _FLIPPED[comparison.sign], left)
            elif comparison.sign != "!=" or left == right:
                raise QueryError(Unreadable.COMPUTED, f"{left} {comparison.sign} {right}")


def _lies_in(inner: QueryGraph, edges: tuple[Edge, ...], outer: Variable) -> bool:
    """Whether the inner pattern is the outer one or a part of it, under other names, its answer being ``outer``.

    Raises:
        QueryError: there are too many ways to try.

    """
    trials = count()

    def match(left: tuple[Edge, ...], names: Mapping[Variable, Node]) -> bool:
        if not left:
            return True
        if next(trials) > _TRIALS:
            raise QueryError(Unreadable.AGGREGATE, "an extreme of a pattern that may lie in the query's in many ways")
        for edge in edges:
            if edge.predicate == left[0].predicate:
                more = dict(names)
                if all(
                    more.setdefault(mine, theirs) == theirs if isinstance(mine, Variable) else mine == theirs
                    for mine, theirs in ((left[0].subject, edge.subject), (left[0].object, edge.object))
                ) and match(left[1:], more):
                    return True
        return False

    return match(inner.edges, {inner.answer: outer})


@dataclass(slots=True)
class _Reader:
    form: Form
    selections: int = 0

    def selection(self, part: CompValue) -> _Selection:
        """``SELECT … WHERE … ORDER BY … LIMIT …``."""
        read = _Selection()
        self.selections += 1
        first = order = None
        at = part
        while at.name in ("Slice", "Distinct", "Reduced", "Project", "OrderBy"):
            if at.name == "Slice":
                first = (at.start, at.length)
            elif at.name == "OrderBy":
                order = at.expr
            elif at.name == "Project":
                read.projected = [str(variable) for variable in at.PV]
            at = at.p
        self.pattern(at, read)
        if first is not None:
            start, length = first
            if length != 1 or order is None or len(order) != 1:
                raise QueryError(Unreadable.NOT_THE_FIRST)
            [condition] = order
            variable = self.operand(condition.expr if condition.name == "OrderCondition" else condition, read)
            if not isinstance(variable, Variable):
                raise QueryError(Unreadable.COMPUTED, "ranks by a computed value")
            read.rankings.append(Ranking(variable, condition.order == "DESC", start + 1))
        return read

    def counted(self, part: CompValue, variable: RdfVariable) -> _Selection:
        """What is counted where a query asks how many."""
        read = _Selection(projected=[str(variable)])
        self.pattern(part, read)
        return read

    def pattern(self, part: CompValue, read: _Selection) -> None:
        """What stands between the braces."""
        match part.name:
            case "BGP":
                read.edges.extend(self.edges(part.triples, read))
            case "Filter":
                self.pattern(part.p, read)
                self.condition(part.expr, read)
            case "Join":
                self.pattern(part.p1, read)
                self.pattern(part.p2, read)
            case "Extend":
                self.pattern(part.p, read)
                value = self.operand(part.expr, read)
                if value is None:
                    raise QueryError(Unreadable.COMPUTED, f"?{part.var}")
                read.rename(Variable(str(part.var)), value)
            case "Union" if (bound := self.open_bound_in_union(part, read)) is not None:
                self.add_bound(bound, read)
            case "Union" if (edge := self.completed(part, read)) is not None:
                read.edges.append(edge)
            case "ToMultiSet" if isinstance(part.p, list):
                raise QueryError(Unreadable.OTHER, "VALUES without values")
            case "ToMultiSet" if part.p.name == "values":
                self.values(part.p.res, read)
            case "ToMultiSet":
                self.subselection(part.p, read)
            case name:
                raise QueryError(_PARTS.get(name, Unreadable.OTHER), name)

    def edges(self, triples: Iterable[tuple[Any, Any, Any]], read: _Selection) -> Iterator[Edge]:
        """Triple patterns."""
        for subject, predicate, target in triples:
            ends = self.operand(subject, read), self.operand(target, read)
            is_open = read.leads_to is not None and predicate == read.leads_to[0]
            if not (is_open or isinstance(predicate, URIRef)) or ends[0] is None or ends[1] is None:
                raise QueryError(Unreadable.RELATION_OPEN, str(predicate))
            yield Edge(ends[0], _OPEN if is_open else self.name(predicate), ends[1])

    def completed(self, part: CompValue, read: _Selection) -> Edge | None:
        """``{ ?a p ?b } UNION { ?b q ?a }`` where q says the same as p from object to subject, if it is that."""
        first, second = part.p1, part.p2.p if part.p2.name == "Filter" else part.p2
        if any(each.name != "BGP" or len(each.triples) != 1 for each in (first, second)):
            return None
        [edge], [turned] = (list(self.edges(each.triples, read)) for each in (first, second))
        is_turned = (turned.object, turned.subject) == (edge.subject, edge.object)
        return edge if is_turned and load_knowledge().reverse_of(edge.predicate) == turned.predicate else None

    def values(self, rows: list[Mapping[Any, Any]], read: _Selection) -> None:
        """``VALUES``."""
        if len(rows) != 1:
            raise QueryError(Unreadable.ALTERNATIVES, "VALUES with several rows")
        for variable, value in rows[0].items():
            term = self.operand(value, read)
            if term is not None:
                read.rename(Variable(str(variable)), term)

    def subselection(self, part: CompValue, read: _Selection) -> None:
        """A selection within: the same pattern's extreme, or a pattern of its own."""
        extreme = _extreme(part)
        if extreme is not None:
            aggregate, result = extreme
            body = _Selection()
            self.pattern(aggregate.p.p, body)
            inner = self.operand(aggregate.A[0].vars, body)
            if not isinstance(inner, Variable):
                raise QueryError(Unreadable.COMPUTED, f"an extreme of {aggregate.A[0].vars}")
            largest = _EXTREMES[aggregate.A[0].name]
            read.subselections.append(_Subselection(body, body.variable(inner), result, largest))
            return
        inner_selection = self.selection(part)
        if inner_selection.rankings:
            read.subselections.append(_ranked(inner_selection))
            return
        local = _Renaming(f"{self.selections}", frozenset(inner_selection.projected))
        read.edges.extend(local.edge(edge) for edge in inner_selection.edges)
        read.comparisons.extend(local.comparison(comparison) for comparison in inner_selection.comparisons)
        read.open_bounds.extend(
            OpenBound(local.edge(b.edge), local.comparison(b.comparison)) for b in inner_selection.open_bounds
        )
        read.held_bounds.extend(
            replace(bound, node=local.node(bound.node), other=local.node(bound.other))
            for bound in inner_selection.held_bounds
        )
        for mine, its in inner_selection.same.items():
            read.rename(local.variable(mine), local.node(its))
        read.subselections.extend(
            replace(each, result=local.variable(each.result)) for each in inner_selection.subselections
        )

    def condition(self, expression: Any, read: _Selection) -> None:
        """What a filter demands."""
        name = getattr(expression, "name", "")
        if name == "ConditionalAndExpression" and (text := self.text_compared(expression, read)) is not None:
            read.comparisons.append(text)
        elif name == "ConditionalAndExpression":
            for part in (expression.expr, *expression.other):
                self.condition(part, read)
        elif (
            self.is_about_language(expression) or self.is_about_kind(expression) or self.is_open_side(expression, read)
        ):
            return
        elif name == "RelationalExpression":
            self.comparison(expression, read)
        elif name == "ConditionalOrExpression" and (bound := self.open_bound(expression, read)) is not None:
            self.add_bound(bound, read)
        elif name == "ConditionalOrExpression" and (equal := self.containment(expression, read)) is not None:
            read.comparisons.append(equal)
        else:
            raise QueryError(_CONDITIONS.get(name, Unreadable.OTHER), name)

    def text_compared(self, expression: CompValue, read: _Selection) -> Comparison | None:
        """``STR(?x) = STR("a"@en) && LCASE(LANG(?x)) = "en"``, or the same with a datatype, if it is that."""
        compared, kinds = expression.expr, list(expression.other)
        if len(kinds) != 1 or getattr(compared, "op", "") != "=" or not _is_text(compared.expr):
            return None
        variable, text = self.operand(compared.expr, read), self.operand(compared.other, read)
        kind: Any = getattr(kinds[0], "expr", None)
        kind = kind.arg if getattr(kind, "name", "") == "Builtin_LCASE" else kind
        is_kind = getattr(kind, "name", "") in ("Builtin_LANG", "Builtin_DATATYPE")
        if not is_kind or not isinstance(text, Text) or not isinstance(variable, Variable):
            return None
        return Comparison(variable, "=", text) if self.operand(kind.arg, read) == variable else None

    def comparison(self, expression: CompValue, read: _Selection) -> None:
        """``?x < term`` and its like."""
        if expression.op not in _FLIPPED:
            raise QueryError(Unreadable.ALTERNATIVES, str(expression.op))
        sign = cast("ComparisonSign", str(expression.op))
        difference = _difference(expression)
        compared = (expression.expr, expression.other) if difference is None else difference
        left, right = (self.operand(part, read) for part in compared)
        if left is None or right is None:
            raise QueryError(Unreadable.COMPUTED)
        if left == right:
            raise QueryError(Unreadable.OTHER, "a condition that nothing meets")
        if _is_text(expression.expr) and isinstance(right, Text) and not right.language:
            right = Text(right.value, _ENGLISH)
        if _is_day(expression.expr) and isinstance(right, Number):
            right = _day_compared(right, sign)
        if isinstance(left, Variable):
            read.comparisons.append(Comparison(left, sign, right))
        elif isinstance(right, Variable):
            read.comparisons.append(Comparison(right, _FLIPPED[sign], left))
        else:
            raise QueryError(Unreadable.COMPUTED, "compares two terms")

    def add_bound(self, bound: OpenBound | HeldBound, read: _Selection) -> None:
        """One side of a date range more."""
        if isinstance(bound, OpenBound):
            read.open_bounds.append(bound)
        else:
            read.held_bounds.append(bound)

    def open_bound(self, expression: CompValue, read: _Selection) -> OpenBound | HeldBound | None:
        """``NOT EXISTS {…} || EXISTS {…}``, if it is that."""
        parts = (expression.expr, *expression.other)
        by_name = {getattr(part, "name", ""): part for part in parts}
        if len(parts) != len(by_name) or by_name.keys() != {"Builtin_NOTEXISTS", "Builtin_EXISTS"}:
            return None
        return self.absent_or_compared(by_name["Builtin_NOTEXISTS"].graph, by_name["Builtin_EXISTS"].graph, read)

    def open_bound_in_union(self, part: CompValue, read: _Selection) -> OpenBound | HeldBound | None:
        """``{ FILTER NOT EXISTS {…} } UNION { … FILTER (…) }``, if it is that."""
        first, second = _absence(part.p1), _absence(part.p2)
        if first is not None and second is None:
            return self.absent_or_compared(first, part.p2, read)
        if second is not None and first is None:
            return self.absent_or_compared(second, part.p1, read)
        return None

    def absent_or_compared(self, absence: CompValue, presence: CompValue, read: _Selection) -> OpenBound | HeldBound:
        """One side of a date range: a pattern that nothing meets, or one whose object compares so."""
        absent, present = (
            _Selection(same=read.same, leads_to=self.leads_to(part.expr) if part.name == "Filter" else None)
            for part in (absence, presence)
        )
        self.pattern(absence, absent)
        self.pattern(presence, present)
        if len(absent.edges) != 1 or len(present.edges) != 1 or len(present.comparisons) != 1 or absent.comparisons:
            raise QueryError(Unreadable.NEGATION, "an open bound over more than one relation")
        if any(e.open_bounds or e.held_bounds or e.rankings or e.subselections for e in (absent, present)):
            raise QueryError(Unreadable.NEGATION, "an open bound within another")
        [missing], [edge], [comparison] = absent.edges, present.edges, present.comparisons
        if comparison.other == edge.object and isinstance(edge.object, Variable):
            comparison = Comparison(edge.object, _FLIPPED[comparison.sign], comparison.variable)
        if comparison.sign == "!=":
            raise QueryError(Unreadable.NEGATION, "an open bound that excludes one value")
        if (missing.subject, missing.predicate) != (edge.subject, edge.predicate) or comparison.variable != edge.object:
            raise QueryError(Unreadable.NEGATION, "an open bound over two relations")
        if absent.leads_to is None or present.leads_to is None:
            return OpenBound(edge, comparison)
        if edge.predicate != _OPEN or absent.leads_to[1] != present.leads_to[1]:
            raise QueryError(Unreadable.NEGATION, "an open bound over two ends of a time")
        return HeldBound(edge.subject, present.leads_to[1], comparison.sign, comparison.other)

    def is_open_side(self, expression: Any, read: _Selection) -> bool:
        """Whether it only says to which end of a time the relations of a date range lead."""
        return read.leads_to is not None and self.leads_to(expression) == read.leads_to

    def leads_to(self, expression: Any) -> tuple[RdfVariable, Bound] | None:
        """What a condition, or a part of one, says to be a relation to an end of a time, and to which."""
        match getattr(expression, "name", ""):
            case "ConditionalAndExpression":
                said = (self.leads_to(part) for part in (expression.expr, *expression.other))
                return next((found for found in said if found is not None), None)
            case "Builtin_REGEX" if _is_text(expression.text) and isinstance(expression.text.arg, RdfVariable):
                pattern = self.operand(expression.pattern, _Selection())
                bound = bound_read(pattern.value) if isinstance(pattern, Text) and not expression.flags else None
                return None if bound is None else (expression.text.arg, bound)
        return None

    def containment(self, expression: CompValue, read: _Selection) -> Comparison | None:
        """``STRSTARTS(a, b) || STRSTARTS(b, a)`` for dates of which one contains the other, if it is that."""
        parts = (expression.expr, *expression.other)
        if len(parts) != 2 or any(getattr(part, "name", "") != "Builtin_STRSTARTS" for part in parts):  # noqa: PLR2004
            return None
        first, second = ((self.operand(part.arg1, read), self.operand(part.arg2, read)) for part in parts)
        if first != second[::-1] or not isinstance(first[0], Variable) or first[1] is None:
            return None
        date = _date(first[1].value.removesuffix("-")) if isinstance(first[1], Text) else first[1]
        return Comparison(first[0], "=", date)

    def is_about_kind(self, expression: Any) -> bool:
        """Whether it asks of a variable that it be a number, a literal of certain types, or a text of digits."""
        name = getattr(expression, "name", "")
        if name in ("ConditionalOrExpression", "ConditionalAndExpression"):
            return all(self.is_about_kind(part) for part in (expression.expr, *expression.other))
        if name == "Builtin_REGEX":
            return self.operand(expression.pattern, _Selection()) in _NUMBER_PATTERNS and _is_text(expression.text)
        is_of_types = name == "RelationalExpression" and expression.op == "IN"
        return name == "Builtin_isNUMERIC" or (
            is_of_types and getattr(expression.expr, "name", "") == "Builtin_DATATYPE"
        )

    def is_about_language(self, expression: Any) -> bool:
        """Whether it asks of a variable that it be no literal, or one in English or without language."""
        match getattr(expression, "name", ""):
            case "ConditionalOrExpression":
                return all(self.is_about_language(part) for part in (expression.expr, *expression.other))
            case "UnaryNot":
                return getattr(expression.expr, "name", "") == "Builtin_isLITERAL"
            case "Builtin_LANGMATCHES":
                return self.operand(expression.arg2, _Selection()) in _LANGUAGES
            case "RelationalExpression":
                is_language = getattr(expression.expr, "name", "") == "Builtin_LANG" and expression.op == "="
                return is_language and self.operand(expression.other, _Selection()) in _LANGUAGES
        return False

    def operand(self, expression: Any, read: _Selection) -> Node | None:
        """The variable or term that an expression stands for; None for what is computed from several.

        Casts, ``STR()`` and the ways in which dates of different precision are made to compare change nothing.
        """
        match expression:
            case RdfVariable() | BNode():
                return Variable(str(expression))
            case Literal():
                return self.literal(expression)
            case URIRef():
                return Entity(self.name(expression))
        if (name := getattr(expression, "name", "")) in ("UnaryMinus", "Builtin_CONCAT"):
            return self.negated(expression, read) if name == "UnaryMinus" else self.padded(expression, read)
        inner = _within(expression)
        if inner is None:
            return None
        operand = self.operand(inner, read)
        is_cast = expression.name == "Function"
        return _cast(operand, str(expression.iri).removeprefix(XSD)) if is_cast else operand

    def negated(self, expression: CompValue, read: _Selection) -> Node | None:
        """``-5``; None where it is no number that is negated."""
        number = self.operand(expression.expr, read)
        return Number(-number.value) if isinstance(number, Number) else None

    def padded(self, expression: CompValue, read: _Selection) -> Node | None:
        """The date that ``CONCAT(STR(?date), "-99-99")`` is about; None for other texts that are joined."""
        first, *rest = (self.operand(part, read) for part in expression.arg)
        return first if len(rest) == 1 and rest[0] in _DATE_ENDS else None

    def literal(self, literal: Literal) -> Term:
        """The literal that a number in quotes stands for; a bare number is itself."""
        if literal.datatype is None and literal.language is None:
            return self.form.literals[int(literal)]
        try:
            return parse_number(str(literal))
        except TermError:
            return Text(str(literal))

    def name(self, address: URIRef) -> str:
        """The id of an entity or a relation."""
        local = str(address).removeprefix(FREEBASE)
        number = local.removeprefix("_")
        return self.form.names[int(number)] if local != number and number.isdecimal() else id_of(str(address))


@dataclass(frozen=True, slots=True)
class _Renaming:
    """Keeps the variables of a selection within apart from those around it, but for the projected ones."""

    suffix: str
    kept: frozenset[str]

    def variable(self, variable: Variable) -> Variable:
        return variable if variable.name in self.kept else Variable(f"{variable.name} {self.suffix}")

    def node(self, node: Node) -> Node:
        return self.variable(node) if isinstance(node, Variable) else node

    def edge(self, edge: Edge) -> Edge:
        return Edge(self.node(edge.subject), edge.predicate, self.node(edge.object))

    def comparison(self, comparison: Comparison) -> Comparison:
        return Comparison(self.variable(comparison.variable), comparison.sign, self.node(comparison.other))


def _extreme(part: CompValue) -> tuple[CompValue, Variable] | None:
    """The aggregation and the result of ``SELECT (MAX(?x) AS ?result) WHERE {…}``, if it is that."""
    if part.name != "Project" or len(part.PV) != 1 or part.p.name != "Extend" or part.p.p.name != "AggregateJoin":
        return None
    aggregate = part.p.p
    if len(aggregate.A) != 1 or aggregate.A[0].name not in _EXTREMES or aggregate.p.expr is not None:
        return None
    return aggregate, Variable(str(part.p.var))


def _counted(part: CompValue) -> tuple[CompValue, RdfVariable] | None:
    """What is counted by ``SELECT (COUNT(DISTINCT ?x) AS ?count) WHERE {…}``, if the query is that.

    GrailQA writes ``SELECT (COUNT(?x) AS ?count) WHERE { SELECT DISTINCT ?x WHERE {…} }``.
    """
    while part.name in ("Distinct", "Reduced"):
        part = part.p
    if part.name != "Project" or len(part.PV) != 1 or part.p.name != "Extend" or part.p.p.name != "AggregateJoin":
        return None
    aggregate = part.p.p
    if len(aggregate.A) != 1 or aggregate.A[0].name != "Aggregate_Count" or aggregate.p.expr is not None:
        return None
    variable, body = aggregate.A[0].vars, aggregate.p.p
    if not isinstance(variable, RdfVariable):
        return None
    inner = body.p if body.name == "ToMultiSet" else body
    is_distinct = inner.name == "Distinct" and inner.p.name == "Project" and list(inner.p.PV) == [variable]
    return (body, variable) if aggregate.A[0].distinct or is_distinct else None


def _absence(part: CompValue) -> CompValue | None:
    """The pattern of ``{ FILTER NOT EXISTS {…} }``, if it is that."""
    is_alone = part.name == "Filter" and part.p.name == "BGP" and not part.p.triples
    return cast("CompValue", part.expr.graph) if is_alone and part.expr.name == "Builtin_NOTEXISTS" else None


def _ranked(selection: _Selection) -> _Subselection:
    """A selection within that orders the values that it asks for, and takes one.

    Raises:
        QueryError: it asks for something else than what it orders.

    """
    [ranking, *more] = selection.rankings
    result = Variable(selection.projected[0])
    if more or len(selection.projected) > 1 or selection.variable(result) != selection.variable(ranking.variable):
        raise QueryError(Unreadable.NOT_THE_FIRST, "a selection within ranks by another value than it asks for")
    body = replace(selection, rankings=[])
    return _Subselection(body, body.variable(result), result, ranking.largest, ranking.place)


def _difference(expression: CompValue) -> tuple[Any, Any] | None:
    """The two sides of ``a - b < 0`` and its like, if it is that."""
    difference = expression.expr
    if getattr(difference, "name", "") != "AdditiveExpression" or list(difference.op) != ["-"]:
        return None
    other = expression.other
    is_zero = isinstance(other, Literal) and other.datatype is not None and other.toPython() == 0
    return (difference.expr, difference.other[0]) if is_zero else None


def _within(expression: Any) -> Any:
    """What a cast, ``STR()`` or one of the ways to compare dates and numbers is about; None for anything else."""
    inner = None
    match getattr(expression, "name", ""):
        case "Function" if str(expression.iri).startswith(XSD) and len(expression.expr) == 1:
            [inner] = expression.expr
        case "Builtin_STR" | "Builtin_REPLACE":
            inner = expression.arg
        case "Builtin_COALESCE" if len({str(_innermost(each)) for each in expression.arg}) == 1:
            inner = expression.arg[0]
        case "Builtin_IF" if getattr(expression.arg1, "name", "") == "Builtin_isNUMERIC":
            inner = expression.arg2 if expression.arg1.arg == expression.arg2 else None
        case "Builtin_IF" if getattr(getattr(expression.arg1, "expr", None), "name", "") == "Builtin_DATATYPE":
            inner = expression.arg3
        case "AdditiveExpression" if _is_day(expression):
            inner = expression.expr
    return inner


def _innermost(expression: Any) -> Any:
    """What casts and ``STR()`` are about, one within another."""
    inner = _within(expression)
    return expression if inner is None else _innermost(inner)


def _is_day(expression: Any) -> bool:
    """Whether it is the number of a day, ``xsd:decimal(REPLACE(…)) + xsd:decimal(REPLACE(…))``."""
    if getattr(expression, "name", "") != "AdditiveExpression" or list(expression.op) != ["+"]:
        return False
    parts = [_within(part) for part in (expression.expr, *expression.other)]
    return all(getattr(part, "name", "") == "Builtin_REPLACE" for part in parts)


def _day_compared(number: Number, sign: ComparisonSign) -> Date:
    """The date whose number `reasoning.compiling` compares so."""
    try:
        return day_read(number, FIRST_DAY if sign in ("<", ">=") else LAST_DAY)
    except TermError as error:
        raise QueryError(Unreadable.COMPUTED, str(error)) from error


def _is_text(expression: Any) -> bool:
    return getattr(expression, "name", "") == "Builtin_STR"


def _cast(node: Node | None, datatype: str) -> Node | None:
    """A term as a cast makes it; dates in quotes are dates."""
    if datatype in _DATE_CASTS and isinstance(node, Text | Number):
        return _date(node.value if isinstance(node, Text) else str(int(node.value)))
    return node


def _date(text: str) -> Date:
    try:
        return parse_date(text)
    except TermError as error:
        raise QueryError(Unreadable.NOT_SPARQL, str(error)) from error
