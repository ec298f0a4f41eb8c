"""What is known of Freebase, read from the tables next to this file. Every row states its reason."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from kgstore.iris import is_iri

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

TYPE = "type.object.type"
"""Freebase's relation from a thing to its types. Types stand on an entity's card; no search step leads to them."""
NOTABLE_TYPES = "common.topic.notable_types"
"""Freebase's relation from a thing to the topics that stand for its best known types."""

_STATEMENTS = frozenset({"http://www.w3.org/1999/02/22-rdf-syntax-ns#Statement", "rdf:Statement"})
"""The type of statements in RDF, which join their parts with what is said of them."""
_JOINT = "|"
"""Stands between two relations that were joined over a mediator which the source dropped."""


@dataclass(frozen=True, slots=True)
class Patterns:
    """Names, and whole domains written ``freebase.*``."""

    exact: frozenset[str]
    prefixes: tuple[str, ...]

    def match(self, name: str) -> bool:
        """Whether the name, or a domain that it is in, is listed."""
        return name in self.exact or name.startswith(self.prefixes)


@dataclass(frozen=True, slots=True)
class FreebaseKnowledge:
    """What a loader must know of Freebase's schema to tell facts from bookkeeping."""

    name_relations: frozenset[str]
    """Their objects are names of the subject."""
    alias_relations: frozenset[str]
    """Their objects are further names of the subject."""
    label_nodes: Mapping[str, str]
    """Their objects are nodes that have a name or an alias of the subject as their text; by relation, which of both."""
    label_texts: frozenset[str]
    """Their objects are the texts of such nodes."""
    relation_names: frozenset[str]
    """Their objects are relations, which the name of the subject is for."""
    type_relations: frozenset[str]
    """Their objects are types of the subject. Types stand on the entity's card and are not offered as options."""
    never_offered: Patterns
    """Relations that say nothing about the world."""
    mediator_types: frozenset[str]
    """Types whose instances only link others (compound value types)."""
    telling_little: Patterns
    """Types that nearly everything has, so that they say nothing about it."""
    notable_types: Mapping[str, str]
    """By the topic that stands for a type, the type; see `NOTABLE_TYPES`."""
    reverse: Mapping[str, str]
    """For a relation the one that says the same from object to subject."""
    date_words: Mapping[str, bool]
    """For words in names of relations, whether they say that the relation leads to dates, or that it does not."""

    @property
    def naming_relations(self) -> frozenset[str]:
        """All that name or type their subject, which are no edges of a graph."""
        direct = self.name_relations | self.alias_relations | self.type_relations
        return direct | self.label_nodes.keys() | self.label_texts | self.relation_names

    def leads_to_dates(self, predicate: str) -> bool:
        """Whether the name of a relation says that it leads to dates: ``sports.pro_athlete.career_start``."""
        said = [self.date_words.get(word) for word in predicate.rpartition(".")[2].split("_")]
        return True in said and False not in said

    def is_offered(self, predicate: str) -> bool:
        """Whether a relation may be followed in an answer; a joined one, if both its parts may."""
        return not any(self.never_offered.match(part) for part in parts(predicate))

    def reverse_of(self, predicate: str) -> str | None:
        """The predicate that says the same from object to subject, if one is known."""
        known = [self.reverse.get(part) for part in reversed(parts(predicate))]
        return _JOINT.join(part for part in known if part) if all(known) else None

    def subject_type(self, predicate: str) -> str | None:
        """The type that Freebase's schema gives the subject of a relation: ``film.film`` for ``film.film.genre``.

        None for relations of other vocabularies, whose names say nothing of types.
        """
        return None if is_iri(predicate) else parts(predicate)[0].rpartition(".")[0] or None

    def object_type(self, predicate: str) -> str | None:
        """The type of a relation's object, where its reverse relation is known."""
        reverse = self.reverse_of(predicate)
        return self.subject_type(reverse) if reverse else None


def parts(predicate: str) -> list[str]:
    """A relation joined over a dropped mediator as its two relations; any other one as it is."""
    return predicate.split(_JOINT)


@cache
def load_knowledge() -> FreebaseKnowledge:
    """Read the tables. They are read once in a process."""
    roles = {relation: role for relation, role, _ in table("naming_relations.tsv")}
    pairs = [(relation, reverse) for relation, reverse, _ in table("reverse_relations.tsv")]
    return FreebaseKnowledge(
        name_relations=frozenset(relation for relation, role in roles.items() if role == "name"),
        alias_relations=frozenset(relation for relation, role in roles.items() if role == "alias"),
        label_nodes={relation: role.split()[0] for relation, role in roles.items() if role.endswith(" node")},
        label_texts=frozenset(relation for relation, role in roles.items() if role == "node text"),
        relation_names=frozenset(relation for relation, role in roles.items() if role == "relation"),
        type_relations=frozenset(relation for relation, role in roles.items() if role == "type"),
        never_offered=_patterns(name for name, _ in table("never_offered.tsv")),
        mediator_types=_STATEMENTS.union(name for name, _ in table("mediator_types.tsv")),
        telling_little=_patterns(name for name, _ in table("types_telling_little.tsv")),
        notable_types={mid: name for mid, name, _ in table("notable_types.tsv")},
        reverse=dict(pairs) | {reverse: relation for relation, reverse in pairs},
        date_words={word: says == "date" for word, says, _ in table("date_words.tsv")},
    )


def table(name: str) -> Iterator[list[str]]:
    """The rows of one of the tables; the last column is the reason."""
    text = files("kgstore.freebase").joinpath(name).read_text(encoding="utf-8")
    for line in text.splitlines():
        if line and not line.startswith("#"):
            yield line.split("\t")


def _patterns(names: Iterator[str]) -> Patterns:
    listed = list(names)
    return Patterns(
        exact=frozenset(name for name in listed if not name.endswith("*")),
        prefixes=tuple(name.removesuffix("*") for name in listed if name.endswith("*")),
    )
