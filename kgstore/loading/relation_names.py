"""Which relations an id names: its own, those that are stated to be its, and those with the same code.

Vocabularies whose ids say nothing name their relations in other ways. In OBO the relation has a label. In Wikidata the
label is that of a property, an entity, which has relations of its own for direct facts, statements and qualifiers.
"""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from kgstore.iris import is_iri, last_part

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_CODE = re.compile(r"[A-Za-z]+_?\d+")
"""A part of an id that says nothing, so that the same one elsewhere means the same: ``P57``, ``RO_0002162``."""


class RelationNames:
    """What the relations of a graph are called."""

    def __init__(self, predicates: Iterable[str], stated: Mapping[str, str]) -> None:
        """Take the predicates, and of some of them the property that they are stated to be of."""
        self._predicates = frozenset(predicates)
        self._given: dict[str, str] = {}
        self._stated: defaultdict[str, list[str]] = defaultdict(list)
        for predicate, property_id in stated.items():
            self._stated[property_id].append(predicate)
        self._by_code: defaultdict[str, list[str]] = defaultdict(list)
        for predicate in self._predicates:
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
        if given in self._predicates:
            return [given]
        if given in self._stated:
            return [each for each in self._stated[given] if each in self._predicates]
        code = last_part(given) if is_iri(given) else given
        return [each for each in self._by_code.get(code, ()) if not is_iri(given) or _site(each) == _site(given)]

    def of(self, names: Mapping[str, str]) -> Mapping[str, str]:
        """By predicate what it is called: as given, else as ``names`` has it for its own id, else for a property."""
        own = {given: name for given, name in names.items() if given in self._predicates}
        of_properties = {each: name for given, name in names.items() for each in self.relations_of(given)}
        return {**of_properties, **own, **self._given}


def _site(iri: str) -> str:
    return urlsplit(iri).netloc
