"""Which relations an id names: its own, those that are stated to be its, and those with the same code.

Vocabularies whose ids say nothing name their relations in other ways. In OBO the relation has a label. In Wikidata the
label is that of a property, an entity, which has relations of its own for direct facts, statements and qualifiers.
"""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from kgstore.freebase.labels import relation_label
from kgstore.iris import is_iri, last_part
from kgstore.loading.formats.rdf.terms import TO_STATEMENT, TO_VALUE
from kgstore.terms import Relation

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

_CODE = re.compile(r"[A-Za-z]+_?\d+")
"""A part of an id that says nothing, so that the same one elsewhere means the same: ``P57``, ``RO_0002162``."""


_SEPARATORS = re.compile(r"[/#:|]+")
_DIRECT = "http://www.wikidata.org/prop/direct/"
"""Begins the relations of Wikidata that people mean by the name of a property."""


class RelationNames:
    """What the relations of a graph are called."""

    def __init__(self, predicates: Iterable[str], stated: Mapping[str, str]) -> None:
        """Take the predicates, and of some of them the property that they are stated to be of."""
        self.predicates = frozenset(predicates)
        self._given: dict[str, str] = {}
        self._stated: defaultdict[str, list[str]] = defaultdict(list)
        for predicate, property_id in stated.items():
            self._stated[property_id].append(predicate)
        self._by_code: defaultdict[str, list[str]] = defaultdict(list)
        for predicate in self.predicates:
            if _CODE.fullmatch(code := last_part(predicate)):
                self._by_code[code].append(predicate)

    def give(self, given: str, name: str) -> bool:
        """Take in a name for an id; the first one of a relation stays. Whether the id is of any relation."""
        relations = self.relations_of(given)
        for relation in relations:
            self._given.setdefault(relation, name)
        return bool(relations)

    def relations_of(self, given: str) -> Sequence[str]:
        """The predicates that an id names."""
        if given in self.predicates:
            return [given]
        if given in self._stated:
            return [each for each in self._stated[given] if each in self.predicates]
        code = last_part(given) if is_iri(given) else given
        return [each for each in self._by_code.get(code, ()) if not is_iri(given) or _site(each) == _site(given)]

    def of(self, names: Mapping[str, str]) -> Mapping[str, str]:
        """By predicate what it is called: as given, else as ``names`` has it for its own id, else for a property."""
        own = {given: name for given, name in names.items() if given in self.predicates}
        of_properties = {each: name for given, name in names.items() for each in self.relations_of(given)}
        known = {**of_properties, **own, **self._given}
        return {**dict(self._of_statements(known)), **known}

    def _of_statements(self, known: Mapping[str, str]) -> Iterator[tuple[str, str]]:
        """What relations to statements and from them to their objects are called, after those of the statements."""
        for predicate in self.predicates:
            for ending in (TO_STATEMENT, TO_VALUE):
                if predicate.endswith(ending) and (name := known.get(predicate.removesuffix(ending))):
                    yield predicate, f"{name} {ending.removeprefix('-')}"


def distinct_labels(predicates: Iterable[str], labels: Mapping[str, str]) -> Mapping[str, str]:
    """By predicate what it is called, where two that would have the same words are told apart by a part of their ids.

    *birth place (ontology)* and *birth place (property)* are DBpedia's. Direct facts of Wikidata keep the plain words.
    Relations of Freebase stay as they are: their types tell most of them apart.
    """
    alike: defaultdict[str, list[str]] = defaultdict(list)
    words: dict[str, str] = {}
    for predicate in predicates:
        label = relation_label(Relation(predicate, label=labels.get(predicate, "")))
        if not label.context or predicate in labels:
            words[predicate] = label.label
            alike[" ".join(label.label.lower().split())].append(predicate)
    apart = {
        predicate: f"{words[predicate]} ({part})"
        for group in alike.values()
        if len(group) > 1
        for predicate, part in _distinguishing_parts(group).items()
    }
    return {**labels, **apart}


def _distinguishing_parts(predicates: Sequence[str]) -> Mapping[str, str]:
    """By predicate the part of its id, the last one possible, that none of the others has there; else the whole id.

    One that has no such part keeps its words.
    """
    named = [each for each in predicates if not each.startswith(_DIRECT)]
    if len(predicates) - len(named) > 1:
        named = list(predicates)
    before = {each: list(filter(None, _SEPARATORS.split(each)))[-2::-1] for each in named}
    for place in range(max(map(len, before.values()))):
        parts = {each: own[place] if place < len(own) else "" for each, own in before.items()}
        if len({part.lower() for part in parts.values()}) == len(named):
            return {each: part for each, part in parts.items() if part}
    return {each: each for each in named}


def _site(iri: str) -> str:
    return urlsplit(iri).netloc
