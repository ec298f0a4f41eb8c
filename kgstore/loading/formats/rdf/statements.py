"""Statements that RDF 1.1 takes apart: a node with ``rdf:subject``, ``rdf:predicate`` and ``rdf:object``.

They become what statements as terms are in RDF 1.2, so that what is said of one can be reached from its subject.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kgstore.iris import is_iri
from kgstore.loading.formats.rdf.terms import linked

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from kgstore.loading.formats.lines import TripleText

_RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
_SUBJECT, _PREDICATE, _OBJECT = _PARTS = (f"{_RDF}subject", f"{_RDF}predicate", f"{_RDF}object")


def with_statements(triples: Iterable[TripleText]) -> Iterator[TripleText]:
    """Triples in which nodes with the three parts of a statement link them.

    Memory holds the statements that lack a part. Those that lack one at the end are left as they are.
    """
    waiting: dict[str, dict[str, str]] = {}
    for triple in triples:
        node, predicate, obj = triple
        if predicate not in _PARTS:
            yield triple
            continue
        parts = waiting.setdefault(node, {})
        if predicate in parts:
            yield triple
            continue
        parts[predicate] = obj
        if len(parts) == len(_PARTS) and is_iri(parts[_PREDICATE]) and not parts[_SUBJECT].startswith('"'):
            del waiting[node]
            yield from linked(node, (parts[_SUBJECT], parts[_PREDICATE], parts[_OBJECT]))
    for node, parts in waiting.items():
        for predicate, obj in parts.items():
            yield node, predicate, obj
