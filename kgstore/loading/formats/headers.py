"""First lines of tables that name the columns: which of them is the subject, the relation and the object.

Tables of other tools name them in their own ways and orders: Neo4j and BioCypher ``:START_ID``, ``:END_ID``, ``:TYPE``,
KGX ``subject``, ``predicate``, ``object`` among others, Gephi ``Source``, ``Target``, ``Type``, ``Label``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kgstore.freebase.labels import relation_label
from kgstore.terms import Relation, Text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kgstore.loading.formats.lines import TripleText

_ENDS = (
    ("subjectid", "objectid"),
    ("subject", "object"),
    ("subj", "obj"),
    ("headid", "tailid"),
    ("head", "tail"),
    ("headentity", "tailentity"),
    ("sourceid", "targetid"),
    ("source", "target"),
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
"""What the columns of the subject and of the object are called together, the surest first; see `_plain`. Where a table
has both ids and names, as the facts of an answer have, the ids are the terms."""
_UNSURE_ENDS = (("from", "to"), ("start", "end"), ("s", "o"), ("h", "t"))
"""The same, where the table has no other columns or names its relations: a row of *start* and *end* may be an event."""
_SURE_RELATIONS = (
    *("predicate", "relation", "relationship", "property", "predicateid", "relationid", "relationtype"),
    *("relationshiptype", "reltype", "rel", "edgetype", "edgelabel", "edge", "metaedge", "interaction"),
)
_RELATIONS = (*_SURE_RELATIONS, "type", "label", "p", "r")
"""What the column of the relation is called, the surest first."""
_ID = "id"
_NAME = "type.object.name"
_WIDTH = 3
_GEPHI = frozenset({"source", "target", "type", "label"})
"""With these, the type says whether the edge is directed, and the label is the relation."""
_IN_NEO4J = re.compile(r"[^:]*:(?P<role>START_ID|END_ID|TYPE|ID|LABEL)\b.*")
"""A column of Neo4j; before its role may stand a name, after it the name of a set of ids: ``:START_ID(Movie)``."""
_GUARDED = re.compile(r"'[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]")
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
    names: tuple[tuple[int, int], ...] = ()
    """Columns of ids, each with the column that has their names."""
    noticed: tuple[str, ...] = ()
    """What is said of columns without names, where they do not stand in the usual order."""

    @property
    def left_out(self) -> list[str]:
        """What is said of a table with more columns than a triple has."""
        return [*self.noticed, *([f"columns left out: {', '.join(self.others)}"] if self.others else [])]

    def named(self, cells: Sequence[str], terms: TripleText) -> Iterator[TripleText]:
        """The triples that name the terms of a row, where it has names. What is named by its own id has none.

        Args:
            cells: the row.
            terms: its subject, relation and object.

        """
        by_place = dict(zip(self.places, terms, strict=True))
        for place, own in self.names:
            term, name = by_place[place], " ".join(cells[own].split())
            own_words = {term, cells[place]}
            if place == self.places[1]:
                own_words.add(relation_label(Relation(term)).label)
            if name and name not in own_words and not term.startswith('"'):
                yield term, _NAME, str(Text(name))


TRIPLES_ALONE = Header(_WIDTH, (0, 1, 2))
"""The usual columns of a table that does not name them."""
_RELATION_LAST = Header(_WIDTH, (0, 2, 1), noticed=("the last of three columns has the relations",))
ROWS_LOOKED_AT = 500
"""Number of rows that say where the relations stand in a table that does not name its columns."""
_FEWEST_ROWS = 10
_ROWS_A_RELATION = 3


def columns_of(rows: Sequence[Sequence[str]]) -> Header:
    """The columns of a table that does not name them, by its first rows.

    The relation stands in the middle, unless a few words are repeated in the last column, nearly every row has another
    one in the middle, and no word of the last column stands anywhere else.
    """
    triples = [row for row in rows if len(row) == _WIDTH]
    if len(triples) < _FEWEST_ROWS:
        return TRIPLES_ALONE
    first, middle, last = map(set, zip(*triples, strict=True))
    is_last = (
        _ROWS_A_RELATION * len(last) <= len(triples)
        and 2 * len(middle) > len(triples)
        and last.isdisjoint(first | middle)
        and not any(cell.startswith('"') for cell in last)
    )
    return _RELATION_LAST if is_last else TRIPLES_ALONE


class UnclearHeaderError(Exception):
    """The line seems to name columns, and does not say which are which; the message says so to people."""


def without_guard(cell: str) -> str:
    """A cell without the apostrophe that keeps a spreadsheet from taking it for a formula."""
    return cell[1:] if _GUARDED.match(cell) else cell


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
        ids = [name for name in relations if name.endswith(_ID) and name.removesuffix(_ID) in relations]
        relation = ids[0] if ids and ends[0].endswith(_ID) else relations[0]
        places = names.index(ends[0]), names.index(relation), names.index(ends[1])
        pairs = [(name, name.removesuffix(_ID)) for name in (ends[0], relation, ends[1]) if name.endswith(_ID)]
        named = tuple((names.index(own), names.index(name)) for own, name in pairs if names.count(name) == 1)
        used = {*places, *(place for pair in named for place in pair)}
        others = (cell.strip() or "(no name)" for place, cell in enumerate(cells) if place not in used)
        return Header(len(cells), places, tuple(others), named)
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
