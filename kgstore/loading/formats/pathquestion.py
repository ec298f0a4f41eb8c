"""PathQuestion's graphs (Zhou et al., COLING 2018): ``subject⇥relation⇥object``, with one tab or several.

``2H-kb.txt`` and ``3H-kb.txt`` are parts of FB13, thirteen relations of people out of Freebase, whose names were
shortened; here they have Freebase's own again. Those that Freebase says over a mediator which the source dropped become
joined relations. The graphs of PathQuestion-Large write Freebase's own names with underscores:
``__people__person__gender``. Any other relation keeps its name.
Entities are known by names with underscores; people see them with spaces.
"""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

from kgstore.loading.formats.by_name import NamedTriples, recognises
from kgstore.loading.formats.source import Format, ReadOptions

if TYPE_CHECKING:
    from pathlib import Path

    from kgstore.loading.formats.source import TripleSource

RELATIONS = {
    "cause_of_death": "people.deceased_person.cause_of_death",
    "children": "people.person.children",
    "ethnicity": "people.person.ethnicity",
    "gender": "people.person.gender",
    "institution": "people.person.education|education.education.institution",
    "location": "people.person.places_lived|people.place_lived.location",
    "nationality": "people.person.nationality",
    "parents": "people.person.parents",
    "place_of_birth": "people.person.place_of_birth",
    "place_of_death": "people.deceased_person.place_of_death",
    "profession": "people.person.profession",
    "religion": "people.person.religion",
    "spouse": "people.person.spouse_s|people.marriage.spouse",
}
"""For a relation of FB13 the predicate of the graph."""

_SEPARATOR = "\t"
_MAX_SHOWN_LENGTH = 100
_LARGE = re.compile(r"__[a-z0-9_]*[a-z0-9](?:__[a-z0-9_]*[a-z0-9])+")
_RELATION = re.compile(r"[^\s\"#^|]+")


def predicate_of(relation: str) -> str:
    """The predicate of the graph for a relation as the files of graphs and of questions name it.

    Raises:
        ValueError: it cannot be the name of a relation.

    """
    if relation in RELATIONS:
        return RELATIONS[relation]
    if _LARGE.fullmatch(relation):
        return relation.strip("_").replace("__", ".")
    if not _RELATION.fullmatch(relation):
        raise ValueError(f"{relation[:_MAX_SHOWN_LENGTH]!r} is no name of a relation")
    return relation


def _spaced(name: str) -> str:
    return name.replace("_", " ")


def open_pathquestion(path: Path, options: ReadOptions) -> TripleSource:
    """The triples of a ``2H-kb.txt`` or ``3H-kb.txt``.

    Raises:
        GraphLoadError: there is no such file, or it is not what its name says.

    """
    return NamedTriples(
        path, separator=_SEPARATOR, predicate_of=predicate_of, literals={}, display=_spaced, strict=options.strict
    )


def _is_known(relation: str) -> bool:
    """Whether a relation is one of FB13, or named as in PathQuestion-Large."""
    return relation in RELATIONS or _LARGE.fullmatch(relation) is not None


FORMAT = Format(
    name="pathquestion",
    title="PathQuestion",
    looks="joan_crawford⇥spouse⇥phillip_terry",
    open=open_pathquestion,
    recognises=partial(recognises, _SEPARATOR, _is_known),
)
