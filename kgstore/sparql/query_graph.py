"""The meaning of a gold query as a graph, independent of how it is written."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Literal, TypeAlias

from kgstore.terms import Term

if TYPE_CHECKING:
    from kgstore.freebase.spans import Bound

MAX_QUERY_LENGTH = 20_000
"""Queries of more characters are refused; the longest of the benchmarks has 1,300."""


@dataclass(frozen=True, slots=True, order=True)
class Variable:
    """A variable of a query, by its name without the question mark."""

    name: str

    def __str__(self) -> str:
        return f"?{self.name}"


Node: TypeAlias = Variable | Term
ComparisonSign: TypeAlias = Literal["=", "!=", "<", "<=", ">", ">="]


@dataclass(frozen=True, slots=True)
class Edge:
    """A triple pattern whose predicate is known."""

    subject: Node
    predicate: str
    object: Node


@dataclass(frozen=True, slots=True)
class Comparison:
    """A filter: what a variable stands for compares so with a term, or with what another variable stands for."""

    variable: Variable
    sign: ComparisonSign
    other: Node


@dataclass(frozen=True, slots=True)
class OpenBound:
    """One side of a date range: there is no such value, or there is one that meets the comparison.

    Written ``NOT EXISTS { ?y p ?a } || EXISTS { ?y p ?b . FILTER (?b <= date) }``.
    """

    edge: Edge
    comparison: Comparison
    """Of the edge's object."""


@dataclass(frozen=True, slots=True)
class HeldBound:
    """One end of a time: a node has no date there, or one that compares so, whatever relation leads to it.

    Which relations do, `kgstore.freebase.spans.bound_of` says. Written as an `OpenBound` is, with
    ``?y ?p ?b . FILTER (REGEX(STR(?p), pattern))``; `kgstore.sparql.rdf.bound_pattern` has the pattern.
    """

    node: Node
    bound: Bound
    sign: ComparisonSign
    other: Node


@dataclass(frozen=True, slots=True)
class Ranking:
    """Only the smallest or the largest value of a variable counts, or the one at another place from there."""

    variable: Variable
    largest: bool
    place: int = 1
    """1 for the smallest or the largest itself, 2 for the second one."""


@dataclass(frozen=True, slots=True)
class QueryGraph:
    """A query as a graph: nodes are variables and terms, edges are triple patterns."""

    answer: Variable
    edges: tuple[Edge, ...]
    comparisons: tuple[Comparison, ...] = ()
    open_bounds: tuple[OpenBound, ...] = ()
    held_bounds: tuple[HeldBound, ...] = ()
    rankings: tuple[Ranking, ...] = ()
    """Those that rank what others leave come after them."""
    counted: bool = False
    """Whether it asks how many answers there are: ``SELECT (COUNT(DISTINCT ?x) AS ?count)``."""


class Unreadable(StrEnum):
    """Why a query is no query graph, in words that can be counted."""

    NOT_SPARQL = "not SPARQL"
    NOT_A_SELECTION = "asks for something other than a selection"
    SEVERAL_ANSWERS = "several answer variables"
    ALTERNATIVES = "alternatives (UNION, OR)"
    OPTIONAL = "an optional part"
    NEGATION = "negation"
    AGGREGATE = "counts or groups"
    NOT_THE_FIRST = "ranks, but does not ask for one alone"
    COMPUTED = "compares computed values"
    RELATION_OPEN = "a relation that is not named"
    OTHER = "another part of SPARQL"
    TOO_LARGE = "too long or too deeply nested to be read"
    NOT_TEXT = "holds NUL or half a character"


class QueryError(ValueError):
    """A query that cannot be read as a query graph; ``reason`` is for counting, the message says more."""

    def __init__(self, reason: Unreadable, detail: str = "") -> None:
        super().__init__(f"{reason}: {detail}" if detail else str(reason))
        self.reason = reason
