"""What the triples of a graph say of their subjects' names and types."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from kgstore.loading.formats.tsv import PLAIN_TEXT
from kgstore.names import literal_label
from kgstore.terms import Entity, Text, parse_term

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kgstore.freebase.knowledge import FreebaseKnowledge
    from kgstore.loading.formats.lines import TripleText


@dataclass(slots=True)
class Naming:
    """Names, aliases and types of entities, by mid."""

    names: dict[str, str] = field(default_factory=dict)
    aliases: defaultdict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    types: defaultdict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    foreign: int = 0
    """Names in other languages that were left out."""
    _foreign_names: dict[str, str] = field(default_factory=dict)
    _untagged: set[str] = field(default_factory=set)
    """Those whose name has no language."""
    _preferred: set[str] = field(default_factory=set)
    """Those whose name is from a names file."""

    def read(self, triples: Iterable[TripleText], knowledge: FreebaseKnowledge) -> None:
        """Take in the triples of naming relations, in the order of the file.

        An English name goes before one without a language, and this before one in another language.
        """
        for mid, predicate, obj in triples:
            if predicate in knowledge.type_relations:
                if obj not in self.types[mid]:
                    self.types[mid].append(obj)
                continue
            text, language = _text(obj)
            if language and not language.startswith("en"):
                self.foreign += 1
                if predicate in knowledge.name_relations:
                    self._foreign_names.setdefault(mid, text)
            elif predicate in knowledge.name_relations:
                self._add_english(mid, text) if language else self._add_untagged(mid, text)
            else:
                self.aliases[mid].append(text)

    def add(self, mid: str, name: str) -> None:
        """Take in a name; one that comes after another is an alias."""
        if self.names.setdefault(mid, name) != name:
            self.aliases[mid].append(name)

    def prefer(self, mid: str, name: str) -> None:
        """Take in a name of a names file. The first of an entity replaces the one in the triples, now an alias."""
        if mid not in self._preferred:
            self._preferred.add(mid)
            self._untagged.discard(mid)
            before, self.names[mid] = self.names.get(mid, name), name
            name = before
        self.add(mid, name)

    def _add_english(self, mid: str, name: str) -> None:
        if mid in self._untagged:
            self._untagged.discard(mid)
            before, self.names[mid] = self.names[mid], name
            name = before
        self.add(mid, name)

    def _add_untagged(self, mid: str, name: str) -> None:
        if mid not in self.names:
            self._untagged.add(mid)
        self.add(mid, name)

    def settle(self) -> None:
        """Name what has no English name by its alias or by a name in another language."""
        for mid, aliases in self.aliases.items():
            self.names.setdefault(mid, aliases[0])
        for mid, name in self._foreign_names.items():
            if self.names.setdefault(mid, name) == name:
                self.foreign -= 1


def _text(obj: str) -> tuple[str, str]:
    """A name and its language; some data sets write names as bare text."""
    if plain := PLAIN_TEXT.fullmatch(obj):
        return plain["text"], plain["language"] or ""
    term = parse_term(obj) if obj.startswith('"') else Text(obj)
    if isinstance(term, Entity | Text):
        return (term.value, term.language) if isinstance(term, Text) else (term.mid, "")
    return literal_label(term), ""
