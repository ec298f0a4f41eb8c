"""PathQuestion's graphs (Zhou et al., COLING 2018): ``2H-kb.txt`` and ``3H-kb.txt``, ``subject⇥relation⇥object``.

Both are parts of FB13, thirteen relations of people out of Freebase, whose names were shortened; here they have
Freebase's own again. Those that Freebase says over a mediator which the source dropped become joined relations.
Entities are known by lower-case names with underscores, which lost their capitals; people see them with spaces.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from kgstore.loading.by_name import NamedTriples, recognises
from kgstore.loading.source import Format, ReadOptions

if TYPE_CHECKING:
    from pathlib import Path

    from kgstore.loading.source import TripleSource

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
"""For a relation of the file the predicate of the graph."""

_SEPARATOR = "\t"


def _spaced(name: str) -> str:
    return name.replace("_", " ")


def open_pathquestion(path: Path, options: ReadOptions) -> TripleSource:
    """The triples of a ``2H-kb.txt`` or ``3H-kb.txt``.

    Raises:
        GraphLoadError: there is no such file, or it is not what its name says.

    """
    return NamedTriples(
        path, separator=_SEPARATOR, relations=RELATIONS, literals={}, display=_spaced, strict=options.strict
    )


FORMAT = Format(
    name="pathquestion",
    title="PathQuestion",
    looks="joan_crawford⇥spouse⇥phillip_terry",
    open=open_pathquestion,
    recognises=partial(recognises, _SEPARATOR, RELATIONS),
)
