"""What the triples of a graph say of their subjects' names and types."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING

from kgstore.loading.formats.tsv import PLAIN_TEXT
from kgstore.names import literal_label
from kgstore.terms import Entity, Text, parse_term

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kgstore.freebase.knowledge import FreebaseKnowledge
    from kgstore.loading.formats.lines import TripleText


_LANGUAGES = ("en", "mul", "")
"""Languages of names, the best first: English; *mul*, the same in many languages; none. Then come all others."""
_OTHER = len(_LANGUAGES)
_ENGLISH = "eng"
"""As YAGO tags it."""


@dataclass(slots=True)
class Naming:
    """Names, aliases and types of entities, by mid."""

    names: dict[str, str] = field(default_factory=dict)
    aliases: defaultdict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    types: defaultdict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    properties: dict[str, str] = field(default_factory=dict)
    """By relation the property that it is of, whose name it has."""
    foreign: int = 0
    """Names in other languages that were left out."""
    _foreign_names: dict[str, str] = field(default_factory=dict)
    _ranks: dict[str, int] = field(default_factory=dict)
    """The place of their name's language in `_LANGUAGES`, where it is not the first."""
    _preferred: set[str] = field(default_factory=set)
    """Those whose name is from a names file."""

    def read(self, triples: Iterable[TripleText], knowledge: FreebaseKnowledge) -> None:
        """Take in the triples of naming relations, in the order of the file.

        Of an entity's names, the one in the best of `_LANGUAGES` is shown. The others of these are aliases. A label
        that is a node of its own names what it is of, and is no entity.
        """
        texts: defaultdict[str, list[str]] = defaultdict(list)
        nodes: list[tuple[str, str, str]] = []
        for mid, predicate, obj in triples:
            if predicate in knowledge.type_relations:
                if obj not in self.types[mid]:
                    self.types[mid].append(obj)
            elif predicate in knowledge.relation_names:
                self.properties[obj] = mid
            elif predicate in knowledge.label_texts:
                texts[mid].append(obj)
            elif predicate in knowledge.label_nodes:
                nodes.append((mid, knowledge.label_nodes[predicate], obj))
            else:
                self._take(mid, obj, is_name=predicate in knowledge.name_relations)
        for mid, role, node in nodes:
            for text in texts.get(node, ()):
                self._take(mid, text, is_name=role == "name")
            self.types.pop(node, None)

    def _take(self, mid: str, obj: str, *, is_name: bool) -> None:
        text, language = _text(obj)
        rank = _rank(language)
        if rank == _OTHER:
            self.foreign += 1
            if is_name:
                self._foreign_names.setdefault(mid, text)
        elif is_name:
            self._add_ranked(mid, text, rank)
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
            self._ranks.pop(mid, None)
            before, self.names[mid] = self.names.get(mid, name), name
            name = before
        self.add(mid, name)

    def _add_ranked(self, mid: str, name: str, rank: int) -> None:
        if rank < self._ranks.get(mid, 0):
            before, self.names[mid] = self.names[mid], name
            self._ranks[mid] = rank
            name = before
        elif rank and mid not in self.names:
            self._ranks[mid] = rank
        self.add(mid, name)

    def settle(self) -> None:
        """Name what has no English name by its alias or by a name in another language."""
        for mid, aliases in self.aliases.items():
            self.names.setdefault(mid, aliases[0])
        for mid, name in self._foreign_names.items():
            if self.names.setdefault(mid, name) == name:
                self.foreign -= 1


@cache
def _rank(language: str) -> int:
    """The place of a language tag in `_LANGUAGES`, by its first subtag: that of ``EN-gb`` is ``en``, of ``enm`` not."""
    first = language.partition("-")[0].lower()
    first = "en" if first == _ENGLISH else first
    return _LANGUAGES.index(first) if first in _LANGUAGES else _OTHER


def _text(obj: str) -> tuple[str, str]:
    """A name and its language; some data sets write names as bare text."""
    if plain := PLAIN_TEXT.fullmatch(obj):
        return plain["text"], plain["language"] or ""
    term = parse_term(obj) if obj.startswith('"') else Text(obj)
    if isinstance(term, Entity | Text):
        return (term.value, term.language) if isinstance(term, Text) else (term.mid, "")
    return literal_label(term), ""
