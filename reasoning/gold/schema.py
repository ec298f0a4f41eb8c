"""Freebase's schema as its dumps give it: the types that relations lead from and to, and which only link others."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from kgstore.freebase.knowledge import load_knowledge
from kgstore.terms import TermKind

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

_LITERAL_RANGES = {
    "type.datetime": TermKind.DATE,
    "type.int": TermKind.NUMBER,
    "type.float": TermKind.NUMBER,
    "type.rawstring": TermKind.TEXT,
    "type.text": TermKind.TEXT,
    "type.uri": TermKind.TEXT,
    "type.boolean": TermKind.TEXT,
    "type.enumeration": TermKind.TEXT,
}
_FIELDS = 3


class SchemaError(Exception):
    """The schema's files cannot be read; the message says which and why."""


@dataclass(frozen=True, slots=True)
class Role:
    """A relation between two types."""

    relation: str
    domain: str
    range: str
    """A type; of literals ``type.datetime``, ``type.int`` and their like."""


@dataclass(frozen=True, slots=True)
class FreebaseSchema:
    """Relations by the types that they lead from and to."""

    roles: Mapping[str, Role]
    """By relation."""
    leaving: Mapping[str, Sequence[Role]]
    """By domain."""
    entering: Mapping[str, Sequence[Role]]
    """By range."""
    mediator_types: frozenset[str]

    @classmethod
    def read(cls, folder: Path) -> Self:
        """Read ``fb_roles`` (``domain relation range`` a line) and ``cvt_types.txt`` of a folder.

        Relations that are never offered are left out.

        Raises:
            SchemaError: a file is missing, or is not what it should be.

        """
        try:
            lines = (folder / "fb_roles").read_text(encoding="utf-8").splitlines()
            mediators = (folder / "cvt_types.txt").read_text(encoding="utf-8").split()
        except OSError as error:
            raise SchemaError(f"{error.filename}, of Freebase's schema, cannot be read: {error.strerror}.") from error
        knowledge = load_knowledge()
        roles: dict[str, Role] = {}
        for line in lines:
            fields = line.split()
            # The published file has two lines that ran together.
            if len(fields) == _FIELDS and knowledge.is_offered(fields[1]):
                domain, relation, target = fields
                roles[relation] = Role(relation, domain, target)
        if len(roles) < len(lines) / 2:
            raise SchemaError(f"{folder / 'fb_roles'} is not Freebase's: expected “domain relation range” a line.")
        leaving: defaultdict[str, list[Role]] = defaultdict(list)
        entering: defaultdict[str, list[Role]] = defaultdict(list)
        for role in roles.values():
            leaving[role.domain].append(role)
            entering[role.range].append(role)
        return cls(roles, leaving, entering, frozenset(mediators) | knowledge.mediator_types)

    def kind(self, relation: str) -> TermKind:
        """What a relation leads to; an entity where the schema does not know it."""
        role = self.roles.get(relation)
        if role is None:
            return TermKind.ENTITY
        if role.range in self.mediator_types:
            return TermKind.MEDIATOR
        return _LITERAL_RANGES.get(role.range, TermKind.ENTITY)
