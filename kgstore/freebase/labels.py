"""Relations and types in words: *actor* of a *TV appearance* for ``tv.regular_tv_appearance.actor``.

Those of other vocabularies are read by their last part: *birth place* for ``http://dbpedia.org/ontology/birthPlace``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING
from urllib.parse import unquote

from kgstore.freebase.knowledge import TYPE, parts, table
from kgstore.iris import is_conceptnet, is_iri, last_part

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kgstore.terms import Relation

_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_COLONS = re.compile(r":+")
_PLURAL = re.compile(r"_s$")
_PREPOSITIONS = frozenset(["by", "in", "of", "from", "for", "at", "to", "on", "with"])
_JOINT = " \N{RIGHTWARDS ARROW} "
"""Stands between the labels of two relations that were joined over a dropped mediator."""


@dataclass(frozen=True, slots=True)
class RelationLabel:
    """A relation for people."""

    label: str
    """What it leads to: *actor*."""
    context: str
    """What it belongs to: *TV appearance*. Empty where its name does not say."""
    unit: str = ""
    """In which unit the schema counts the numbers that it leads to: *km²*. Empty where it says none."""


def relation_label(relation: Relation) -> RelationLabel:
    """A relation in words; its direction is for the reader's eye to show.

    What its graph calls it comes first. Of a relation joined over a dropped mediator both parts are shown, in the order
    in which they are followed.
    """
    read = _label(relation.predicate, is_reverse=relation.is_reverse)
    return replace(read, label=relation.label) if relation.label else read


@cache
def _label(predicate: str, *, is_reverse: bool) -> RelationLabel:
    if is_reverse and predicate == TYPE:
        return RelationLabel("instances", "")
    labels = [_predicate_label(part) for part in parts(predicate)]
    if is_reverse:
        labels.reverse()
    unit = "" if is_reverse else _unit(parts(predicate)[-1])
    return RelationLabel(_JOINT.join(label.label for label in labels), labels[0].context, unit)


@cache
def type_label(name: str) -> str:
    """A type in words: *TV programme* for ``tv.tv_program``."""
    return _exceptions().get(name) or _words(name_parts(name)[1]) or name


def name_parts(name: str) -> tuple[str, str]:
    """The identifier of what a relation or a type belongs to, which may be empty, and its own.

    ``film.film.genre`` is the *genre* of a ``film.film``; an address belongs to nothing. Of ``GNBR::T::Gene:Disease``,
    all fields after the first are the relation, which the first one has from somewhere.
    """
    _, fields, own = name.partition("::")
    if fields and own.strip(":") and "://" not in name:
        return "", _COLONS.sub(" ", own.strip(":"))
    if is_iri(name) or is_conceptnet(name):
        return "", unquote(last_part(name)).replace("-", " ")
    owner, _, own = name.rpartition(".")
    return owner, own


def split_words(identifier: str) -> list[str]:
    """The words of an identifier, small but for abbreviations: *birth*, *place* for ``birthPlace``, ``birth_place``."""
    words = _HUMP.sub(" ", identifier).replace("_", " ").split()
    return [word.lower() if word[1:].islower() else word for word in words]


def reads_as_verb(name: str) -> bool:
    """Whether the words of a relation end with a preposition, and so read well as a verb: *directed by*."""
    return name.rpartition(" ")[2] in _PREPOSITIONS


def _predicate_label(predicate: str) -> RelationLabel:
    owner, name = name_parts(predicate)
    label = _exceptions().get(predicate) or _words(name) or predicate
    return RelationLabel(label, type_label(owner) if owner else "")


def _words(name: str) -> str:
    exceptions = _exceptions()
    if name in exceptions:
        return exceptions[name]
    return " ".join(exceptions.get(word, word) for word in split_words(_PLURAL.sub("s", name)))


def _unit(predicate: str) -> str:
    units = _units()
    own = "_".join(split_words(name_parts(predicate)[1])).lower()
    return units.get(predicate) or next(
        (unit for name, unit in units.items() if name.startswith("*") and own.endswith(name[1:])), ""
    )


@cache
def _units() -> Mapping[str, str]:
    return {name: unit for name, unit, _ in table("units.tsv")}


@cache
def _exceptions() -> Mapping[str, str]:
    return {name: label for name, label, _ in table("labels.tsv")}
