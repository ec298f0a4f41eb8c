"""First lines of tables that name the columns: which of them is the subject, the relation and the object.

Tables of other tools name them in their own ways and orders: Neo4j and BioCypher ``:START_ID``, ``:END_ID``, ``:TYPE``,
KGX ``subject``, ``predicate``, ``object`` among others, Gephi ``Source``, ``Target``, ``Type``, ``Label``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_ENDS = (
    ("subject", "object"),
    ("subjectid", "objectid"),
    ("subj", "obj"),
    ("head", "tail"),
    ("headid", "tailid"),
    ("headentity", "tailentity"),
    ("source", "target"),
    ("sourceid", "targetid"),
    ("sourcenode", "targetnode"),
    ("src", "dst"),
    ("src", "tgt"),
    ("fromid", "toid"),
    ("fromnode", "tonode"),
    ("startid", "endid"),
    ("startnode", "endnode"),
    ("node1", "node2"),
    ("nodea", "nodeb"),
    ("entity1", "entity2"),
)
"""What the columns of the subject and of the object are called together, the surest first; see `_plain`."""
_UNSURE_ENDS = (("from", "to"), ("start", "end"), ("s", "o"), ("h", "t"))
"""The same, where the table has no other columns or names its relations: a row of *start* and *end* may be an event."""
_SURE_RELATIONS = (
    *("predicate", "relation", "relationship", "property", "predicateid", "relationid", "relationtype"),
    *("relationshiptype", "reltype", "rel", "edgetype", "edgelabel", "edge", "interaction"),
)
_RELATIONS = (*_SURE_RELATIONS, "type", "label", "p", "r")
"""What the column of the relation is called, the surest first."""
_WIDTH = 3
_GEPHI = frozenset({"source", "target", "type", "label"})
"""With these, the type says whether the edge is directed, and the label is the relation."""
_IN_NEO4J = re.compile(r"[^:]*:(?P<role>START_ID|END_ID|TYPE|ID|LABEL)\b.*")
"""A column of Neo4j; before its role may stand a name, after it the name of a set of ids: ``:START_ID(Movie)``."""
_NOT_IN_NAMES = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True)
class Header:
    """A first line that names the columns."""

    width: int
    """How many columns there are."""
    places: tuple[int, int, int]
    """Where the subject, the relation and the object stand, from 0."""
    others: tuple[str, ...] = ()
    """What the other columns are called."""

    @property
    def left_out(self) -> list[str]:
        """What is said of a table with more columns than a triple has."""
        return [f"columns left out: {', '.join(self.others)}"] if self.others else []


TRIPLES_ALONE = Header(_WIDTH, (0, 1, 2))
"""The columns of a table that does not name them."""


class UnclearHeaderError(Exception):
    """The line seems to name columns, and does not say which are which; the message says so to people."""


def read_header(cells: Sequence[str]) -> Header | None:
    """The columns that a first line names; None where it is a triple.

    Raises:
        UnclearHeaderError: it names some of the three columns, but not all.

    """
    names = [_plain(cell) for cell in cells]
    is_sure = len(cells) == _WIDTH or not set(_SURE_RELATIONS).isdisjoint(names)
    known = (*_ENDS, *_UNSURE_ENDS) if is_sure else _ENDS
    ends = next((pair for pair in known if all(names.count(name) == 1 for name in pair)), None)
    is_gephi = set(names) >= _GEPHI
    relations = [name for name in _RELATIONS if names.count(name) == 1 and not (is_gephi and name == "type")]
    if ends and relations:
        places = names.index(ends[0]), names.index(relations[0]), names.index(ends[1])
        others = (cell.strip() or "(no name)" for place, cell in enumerate(cells) if place not in places)
        return Header(len(cells), places, tuple(others))
    if (ends and len(cells) >= _WIDTH) or any(map(_IN_NEO4J.fullmatch, map(str.strip, cells))):
        raise UnclearHeaderError(
            "this line names columns, but not which hold the subject, the relation and the object; "
            "call them subject, relation and object"
        )
    return None


def _plain(cell: str) -> str:
    """The name of a column in small letters and digits alone: *startid* for ``:START_ID(Person)``."""
    return _NOT_IN_NAMES.sub("", _IN_NEO4J.sub(r"\g<role>", cell)).lower()


def names_columns(cells: Sequence[str]) -> bool:
    """Whether a first line names the columns of triples."""
    try:
        return read_header(cells) is not None
    except UnclearHeaderError:
        return False
