"""A family of five, drawn by hand, and a scorer that gives relations what a table says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kgstore.terms import Entity, Relation
from reasoning.core.options import StepOption
from reasoning.scorers.base import Cost, Distribution

if TYPE_CHECKING:
    from collections.abc import Mapping

    from reasoning.core.options import DecisionState, OptionPool

FAMILY = """\
en.ann	type.object.name	"Ann"@en
en.bob	type.object.name	"Bob"@en
en.cyd	type.object.name	"Cyd"@en
en.dan	type.object.name	"Dan"@en
en.ann	family.person.parent	en.bob
en.ann	family.person.teacher	en.bob
en.cyd	family.person.parent	en.ann
en.bob	family.person.parent	en.dan
en.ann	family.person.post	m.post
m.post	type.object.type	family.post
m.post	family.post.town	en.dan
"""
"""Ann has a parent and a child along one relation, two relations to one parent, and a mediator."""
PARENT, CHILD, TEACHER, POST, TOWN = (
    Relation.parse(text)
    for text in (
        "family.person.parent",
        "^family.person.parent",
        "family.person.teacher",
        "family.person.post",
        "family.post.town",
    )
)
ANN = Entity("en.ann")


@dataclass(frozen=True)
class Table:
    """Gives steps and None the shares that a table has for the way before them; what it does not list gets the rest."""

    shares: Mapping[tuple[str, ...], Mapping[str, float]]
    name: str = "table"

    def score(self, state: DecisionState, pool: OptionPool, *, best: int | None = None) -> Distribution:
        way = tuple(str(node.relation) for node in state.structure.nodes if node.relation is not None)
        listed = self.shares.get(way, {"none": 1.0})
        texts = [str(option.step.relation) if isinstance(option, StepOption) else "none" for option in pool.options]
        given = {index: listed.get(text, 0.0) for index, text in enumerate(texts)}
        total = sum(given.values())
        return Distribution({index: share / total for index, share in given.items()}, 0.0, Cost(calls=1))


SHARES = {
    (): {
        "family.person.parent": 0.5,
        "^family.person.parent": 0.3,
        "family.person.teacher": 0.1,
        "family.person.post": 0.1,
    },
    ("family.person.parent",): {"none": 0.6, "family.person.parent": 0.4},
    ("family.person.parent", "family.person.parent"): {"none": 0.9, "^family.person.parent": 0.1},
    ("family.person.post",): {"family.post.town": 1.0},
}
