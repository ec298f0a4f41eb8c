"""Relations and types in words: *actor* of a *TV appearance* for ``tv.regular_tv_appearance.actor``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from kgstore.freebase.knowledge import parts, table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kgstore.terms import Relation

_PLURAL = re.compile(r"_s$")
_JOINT = " \N{RIGHTWARDS ARROW} "
"""Stands between the labels of two relations that were joined over a dropped mediator."""


@dataclass(frozen=True, slots=True)
class RelationLabel:
    """A relation for people."""

    label: str
    """What it leads to: *actor*."""
    context: str
    """What it belongs to: *TV appearance*. Empty where its name does not say."""


@cache
def relation_label(relation: Relation) -> RelationLabel:
    """A relation in words; its direction is for the reader's eye to show.

    Of a relation joined over a dropped mediator both parts are shown, in the order in which they are followed.
    """
    labels = [_predicate_label(part) for part in parts(relation.predicate)]
    if relation.is_reverse:
        labels.reverse()
    return RelationLabel(_JOINT.join(label.label for label in labels), labels[0].context)


@cache
def type_label(name: str) -> str:
    """A type in words: *TV programme* for ``tv.tv_program``."""
    return _exceptions().get(name) or _words(name.rpartition(".")[2])


def _predicate_label(predicate: str) -> RelationLabel:
    owner, _, name = predicate.rpartition(".")
    label = _exceptions().get(predicate) or _words(name) or predicate
    return RelationLabel(label, type_label(owner) if owner else "")


def _words(name: str) -> str:
    exceptions = _exceptions()
    if name in exceptions:
        return exceptions[name]
    return " ".join(exceptions.get(word, word) for word in _PLURAL.sub("s", name).split("_") if word)


@cache
def _exceptions() -> Mapping[str, str]:
    return {name: label for name, label, _ in table("labels.tsv")}
