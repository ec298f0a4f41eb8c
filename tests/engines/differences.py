"""What SPARQL leaves to engines, or they do otherwise than it says: why exported queries are written as they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

FILE = "differences.nt"
TRIPLES = "".join(f"<urn:{each}> <urn:size> {size} .\n" for each, size in (("a", '"7"'), ("b", '"7"'), ("c", '"5"')))
_PREFIXES = "PREFIX xsd: <http://www.w3.org/2001/XMLSchema#> PREFIX ns: <http://rdf.freebase.com/ns/> "
_LONGEST = 30


@dataclass(frozen=True, slots=True)
class Difference:
    """A query with one column, ``x``, that engines answer differently."""

    says: str
    """What it asks, in SPARQL or in words."""
    query: str
    file: str = FILE


def _value(expression: str) -> Difference:
    return Difference(f"`{expression}`", f"{_PREFIXES}SELECT ({expression} AS ?x) {{}}")


def _greatest(*values: str) -> Difference:
    said = f"`MAX` of {' and '.join(f'`{value}`' for value in values)}"
    return Difference(said, f"{_PREFIXES}SELECT (MAX(?v) AS ?x) {{ VALUES ?v {{ {' '.join(values)} }} }}")


DIFFERENCES = (
    _value("ns:film.film.genre"),
    _value('"2011"^^xsd:gYear < "2012"^^xsd:gYear'),
    _value('"2010"^^xsd:gYear < "2011-02-06"^^xsd:date'),
    _value('"2011-02-06"^^xsd:date < "2011-02-07T12:00:00"^^xsd:dateTime'),
    _value('"2011-02-06Z"^^xsd:date = "2011-02-06"^^xsd:date'),
    _greatest('"2010"^^xsd:gYear', '"2011-02-06"^^xsd:date'),
    _greatest('"5"', '"30"^^xsd:integer'),
    Difference(
        "Ties: subjects of 7, 7 and 5, `ORDER BY DESC(?v) LIMIT 1`",
        "SELECT ?x { ?x <urn:size> ?v } ORDER BY DESC(?v) LIMIT 1",
    ),
    Difference("`MAX` of no value", "SELECT (MAX(?v) AS ?x) { ?s <urn:none> ?v }"),
    Difference("`COUNT` with `FILTER (false)`", "SELECT (COUNT(DISTINCT ?s) AS ?x) { ?s ?p ?v FILTER (false) }"),
    Difference("`COUNT` with `FILTER (?s != ?s)`", "SELECT (COUNT(DISTINCT ?s) AS ?x) { ?s ?p ?v FILTER (?s != ?s) }"),
    _value('"9007199254740993"^^xsd:integer = "9007199254740992"^^xsd:integer'),
    _value('xsd:decimal("9007199254740993") = xsd:decimal("9007199254740992")'),
    _value('"9223372036854775808"^^xsd:integer > 1'),
    _value('"0.1"^^xsd:float = "0.1"^^xsd:double'),
    _value('"0.1"^^xsd:decimal = "0.1"^^xsd:double'),
    _value('xsd:integer("-0044")'),
    _value('xsd:decimal("-0044")'),
    _value('xsd:decimal("1E5")'),
    _value('"a"@EN = "a"@en'),
)
"""Each is a row of ``docs/results/sparql-engines.md``."""


def said(document: Mapping[str, Any] | str) -> str:
    """What an engine answered, for a cell of a table."""
    if isinstance(document, str):
        return "refused"
    rows = [row["x"]["value"] if "x" in row else "no value" for row in document["results"]["bindings"]]
    return ", ".join(sorted(rows))[:_LONGEST] or "no row"


def table(answers: Mapping[str, list[str]]) -> list[str]:
    """The rows of a table in Markdown, where ``answers`` are what each engine said, by its name."""
    lines = [f"| asked | {' | '.join(answers)} |", f"|---|{'---|' * len(answers)}"]
    return lines + [
        f"| {difference.says} | {' | '.join(cells)} |"
        for difference, *cells in zip(DIFFERENCES, *answers.values(), strict=True)
    ]
