"""Copies of graphs whose relations have other names, as a scorer must also serve graphs that no training has seen."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from kgstore.freebase.knowledge import load_knowledge
from kgstore.terms import Relation
from reasoning.datasets.errors import DatasetError
from reasoning.datasets.source import read_lines, text_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from kgstore.loading.formats.lines import TripleText
    from reasoning.core.derivation import Derivation
    from reasoning.datasets.question import BenchmarkQuestion

STYLES = ("short", "camel", "address")
"""*directed_by*, *directedBy* and *http://example.org/vocabulary/directedBy* for ``film.film.directed_by``."""
_VOCABULARY = "http://example.org/vocabulary/"


def new_names(predicates: Iterable[str], style: str) -> Mapping[str, str]:
    """For each predicate its name in one of the `STYLES`; no two get the same.

    A name is the last part of the old one, with as many of the parts before it as are needed to tell it from others.
    """
    names: dict[str, str] = {}
    taken: set[str] = set()
    for predicate in sorted(set(predicates)):
        words = re.split(r"[.|]", predicate)
        found = next(
            (name for n in range(1, len(words) + 1) if (name := _styled("_".join(words[-n:]), style)) not in taken),
            predicate,
        )
        taken.add(found)
        names[predicate] = found
    return names


def read_new_names(path: Path) -> Mapping[str, str]:
    """New names from a file, ``predicate⇥new name`` a line.

    Raises:
        DatasetError: the file cannot be read, or a line is not of this form.

    """
    names: dict[str, str] = {}
    for number, line in read_lines(path):
        old, tab, new = text_of(line).strip().partition("\t")
        if not (old and tab and new):
            raise DatasetError(f"{path}, line {number}: expected a relation, a tab and its new name.")
        names[old] = new
    return names


class RenamedTriples:
    """Triples with their relations renamed, but for those that name and type things."""

    def __init__(self, triples: Iterable[TripleText], names: Mapping[str, str]) -> None:
        self._triples = triples
        self._names = names

    def __iter__(self) -> Iterator[TripleText]:
        for subject, predicate, object_ in self._triples:
            yield subject, self._names.get(predicate, predicate), object_


def renameable(triples: Iterable[TripleText]) -> set[str]:
    """The predicates of triples that neither name nor type anything."""
    knowledge = load_knowledge()
    fixed = knowledge.naming_relations
    return {predicate for _, predicate, _ in triples} - fixed


def renamed_question(question: BenchmarkQuestion, names: Mapping[str, str]) -> BenchmarkQuestion:
    """A question with the relations of its derivations renamed."""
    parses = tuple(replace(parse, derivation=_renamed(parse.derivation, names)) for parse in question.parses)
    return replace(question, parses=parses)


def _renamed(derivation: Derivation | None, names: Mapping[str, str]) -> Derivation | None:
    if derivation is None:
        return None
    relations = (step.relation for step in derivation.steps)
    new = (Relation(names.get(old.predicate, old.predicate), old.direction) for old in relations)
    steps = tuple(replace(step, relation=relation) for step, relation in zip(derivation.steps, new, strict=True))
    return replace(derivation, steps=steps)


def _styled(name: str, style: str) -> str:
    if style == "short":
        return name
    first, *others = name.split("_")
    camel = first + "".join(word.capitalize() for word in others)
    return camel if style == "camel" else _VOCABULARY + camel
