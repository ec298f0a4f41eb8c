"""Logical forms of GrailQA (s-expressions) as query graphs, and whether two of them ask the same.

``(JOIN r X)`` are the things from which ``r`` leads into X, ``(JOIN (R r) X)`` those that it leads to from X; ``(AND X
Y)`` is what is in both; ``(lt r v)`` and its like are those with a smaller value; ``(ARGMAX X r)`` those of X with the
largest; ``(COUNT X)`` is their number; ``(TC X r v)`` are those that held at a time. Instead of a relation there may be
a path, ``(JOIN r s)``. A form is a tree: a node is an entity, a value, or a variable with classes and functions, and an
edge is a relation.

Two forms are equal if their trees are, whatever the order of ``AND``. A relation and its reverse are one, and a class
that a relation implies (``film.film`` of ``film.film.directed_by``) makes no difference, as far as
`kgstore.freebase.knowledge` tells.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from kgstore.freebase.knowledge import load_knowledge
from kgstore.freebase_ids import is_mid
from kgstore.terms import Relation, TermError
from reasoning.core.compared import compared_term
from reasoning.datasets.benchmarks.values import read_value
from reasoning.evaluation.metrics.metrics import plain_relations

if TYPE_CHECKING:
    from collections.abc import Sequence

MAX_FORM_LENGTH = 2_000
"""Maximum characters of a logical form; longer ones are not read."""
_DEEPEST = 60
"""Maximum depth of brackets."""
_MAX_SYMBOLS = 200
"""Maximum number of operators, names and values; the gold forms of GrailQA have a dozen."""
_TOKEN = re.compile(r'[()]|"[^"]*"[^\s()]*|[^\s()]+')
_COMPARISONS = {"lt": "<", "le": "<=", "gt": ">", "ge": ">="}

_Expression: TypeAlias = "str | list[_Expression]"


class LogicalFormError(ValueError):
    """A text that is no logical form; the message says why."""


@dataclass(eq=False, slots=True)
class _Node:
    values: set[str] = field(default_factory=set)
    """The entity or the value that it is."""
    classes: set[str] = field(default_factory=set)
    functions: set[str] = field(default_factory=set)
    edges: list[tuple[Relation, _Node]] = field(default_factory=list)
    """Each edge is listed at both of its ends, as it is followed from there."""

    def follow(self, path: Sequence[Relation]) -> _Node:
        """The new node at the end of a path from here."""
        end = self
        for relation in path:
            (plain,) = plain_relations(relation)
            new = _Node()
            end.edges.append((plain, new))
            new.edges.append((plain.inverse, end))
            end = new
        return end

    def written(self, came_from: _Node | None = None) -> str:
        """The tree as it is seen from here; equal trees are written equally."""
        classes = self.classes - {_implied(relation) for relation, _ in self.edges}
        label = [sorted(self.values), sorted(classes), sorted(self.functions)]
        branches = sorted(f"{way} {node.written(self)}" for way, node in self.edges if node is not came_from)
        return f"{label}({', '.join(branches)})"

    def all(self, came_from: _Node | None = None) -> list[_Node]:
        """All nodes of the tree."""
        return [self, *(each for _, node in self.edges if node is not came_from for each in node.all(self))]


@dataclass(frozen=True, slots=True)
class LogicalForm:
    """A logical form as a query graph."""

    _asked: _Node
    """The node that is asked for."""

    @classmethod
    def parse(cls, text: str) -> LogicalForm:
        """Read an s-expression.

        Raises:
            LogicalFormError: it is none, or it is too long or too deeply nested.

        """
        asked = _Node()
        _read(_expression(text), asked)
        return cls(asked)

    def is_same(self, other: LogicalForm) -> bool:
        """Whether both are the same query graph and ask for the same node of it."""
        return self._asked.written() == other._asked.written()

    def is_same_graph(self, other: LogicalForm) -> bool:
        """Whether both are the same query graph, whichever variable is asked for: the rule of GrailQA's own script."""
        own, theirs = self._asked, other._asked
        if own.values or theirs.values:
            return self.is_same(other)
        return any(node.written() == own.written() for node in theirs.all() if not node.values)


@dataclass(frozen=True, slots=True)
class FormComparison:
    """A predicted logical form next to gold ones."""

    is_same: bool
    """Exact match of logical forms: it is one of them."""
    is_same_graph: bool
    """It is the query graph of one of them, whichever variable is asked for."""


def compare_forms(predicted: str, golds: Sequence[str]) -> FormComparison:
    """Compare a predicted logical form with gold ones. What cannot be read equals nothing."""
    try:
        form = LogicalForm.parse(predicted)
        forms = [LogicalForm.parse(gold) for gold in golds]
    except LogicalFormError:
        return FormComparison(is_same=False, is_same_graph=False)
    return FormComparison(any(map(form.is_same, forms)), any(map(form.is_same_graph, forms)))


def _expression(text: str) -> _Expression:
    """An s-expression as nested lists."""
    if len(text) > MAX_FORM_LENGTH:
        raise LogicalFormError(f"expected at most {MAX_FORM_LENGTH:,} characters; these are {len(text):,}")
    tokens = _TOKEN.findall(text)
    if len(tokens) - tokens.count("(") - tokens.count(")") > _MAX_SYMBOLS:
        raise LogicalFormError(f"expected at most {_MAX_SYMBOLS} operators, names and values")
    whole: list[_Expression] = []
    open_lists = [whole]
    for token in tokens:
        if token == "(":  # noqa: S105 - a bracket
            inner: list[_Expression] = []
            open_lists[-1].append(inner)
            open_lists.append(inner)
            if len(open_lists) > _DEEPEST:
                raise LogicalFormError(f"expected at most {_DEEPEST} brackets within each other")
        elif token == ")":  # noqa: S105 - a bracket
            open_lists.pop()
            if not open_lists:
                raise LogicalFormError("a bracket is closed that was not opened")
        else:
            open_lists[-1].append(token)
    if len(open_lists) > 1 or len(whole) != 1:
        raise LogicalFormError("expected one expression in brackets")
    return whole[0]


def _read(expression: _Expression, node: _Node) -> None:
    """Add to a node what an expression says of it."""
    match expression:
        case str(symbol):
            if is_mid(symbol) or symbol.startswith('"') or "^^" in symbol:
                node.values.add(_value(symbol))
            else:
                node.classes.add(symbol)
        case ["AND", _, _, *_]:
            for part in expression[1:]:
                _read(part, node)
        case ["JOIN", path, inner]:
            _read(inner, node.follow(_path(path)))
        case ["lt" | "le" | "gt" | "ge" as sign, path, inner]:
            end = node.follow(_path(path))
            end.functions.add(_COMPARISONS[sign])
            _read(inner, end)
        case ["ARGMIN" | "ARGMAX" as ranking, inner, path]:
            _read(inner, node)
            node.follow(_path(path)).functions.add(ranking)
        case ["COUNT", inner]:
            _read(inner, node)
            node.functions.add("COUNT")
        case ["TC", inner, path, str(time)]:
            _read(inner, node)
            node.functions.add(f"TC {' '.join(map(str, _path(path)))} {_value(time)}")
        case _:
            raise LogicalFormError(f"expected AND, JOIN, R, a comparison, ARGMIN, ARGMAX, COUNT or TC: {expression}")


def _path(expression: _Expression) -> list[Relation]:
    """The relations of a path, in the order in which they are followed."""
    match expression:
        case str(name) if "|" not in name:
            return [Relation(name)]
        case ["R", inner]:
            return [relation.inverse for relation in reversed(_path(inner))]
        case ["JOIN", first, second]:
            return [*_path(first), *_path(second)]
    raise LogicalFormError(f"expected a relation, not {expression}")


def _value(symbol: str) -> str:
    """An entity or a value, however a number is written."""
    if is_mid(symbol):
        return symbol
    try:
        return str(compared_term(read_value(symbol)))
    except (TermError, ValueError):
        return symbol


def _implied(relation: Relation) -> str | None:
    """The class that a relation implies of the node from which it is followed."""
    knowledge = load_knowledge()
    if relation.is_reverse:
        return knowledge.object_type(relation.predicate)
    return knowledge.subject_type(relation.predicate)
