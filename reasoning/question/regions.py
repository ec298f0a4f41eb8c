"""Names of places followed by their region: *jackson michigan*, *Reno, NV*.

The region says which of several places is meant, and is not what the question is about. Both names are taken as one
where the graph says that the place lies in the region, by a relation whose last name part is in
`containment_relations.tsv`. A region may be written as a code (`region_codes.tsv`); without a place before it, it is
not a name.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from kgstore.freebase.spans import last_name_part
from kgstore.names import fold_name
from reasoning.question.naming import is_function_word
from reasoning.question.word_lists import word_pairs

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from kgstore.store import EntityMatch, GraphStore
    from kgstore.terms import Relation
    from reasoning.question.literals import Span
    from reasoning.question.name_spans import Words

_BETWEEN = re.compile(r",?\s+")
_CODES: Mapping[str, str] = word_pairs("region_codes.tsv")
LEADS_TO: Mapping[str, str] = word_pairs("containment_relations.tsv")


def places_in_regions(
    words: Words, found: Mapping[Span, Sequence[EntityMatch]], store: GraphStore
) -> Mapping[Span, Sequence[EntityMatch]]:
    """The parts that name a place and the region around it, and which entities named by the place lie there."""
    places: dict[Span, Sequence[EntityMatch]] = {}
    for place, region in _side_by_side(words, found):
        if there := _those_in(words.text(region), found.get(region, ()), words.text(place), store):
            places.setdefault((place[0], region[1]), there)
    return places


def _side_by_side(words: Words, found: Mapping[Span, Sequence[EntityMatch]]) -> Iterator[tuple[Span, Span]]:
    """Two names with nothing but a comma between them, the second perhaps a code; what is known by name comes first."""
    codes = [span for span in words.spans(1, 1) if _is_code(words.text(span))]
    for first in filter(words.may_be_short, found):
        for second in dict.fromkeys((*found, *codes)):
            if first[1] < second[0] and _BETWEEN.fullmatch(words.question[first[1] : second[0]]):
                yield first, second


def _is_code(word: str) -> bool:
    """Whether a word stands for a region; *or* and *in* do where they are written in capitals."""
    folded = fold_name(word)
    return folded in _CODES and (word.isupper() or not is_function_word(folded))


def _those_in(region: str, named: Sequence[EntityMatch], place: str, store: GraphStore) -> Sequence[EntityMatch]:
    """The entities called as the place is that lie in one of those that the region's name may mean."""
    code = _CODES.get(fold_name(region))
    meant = [*store.named([code]).get(code, ())] if code else [*named]
    places = store.named([place]).get(place, ())
    if not meant or not places:
        return ()
    links = store.links([match.card.entity for match in meant], [match.card.entity for match in places])
    within = {link.target for link in links if _leads_to_place(link.relation)}
    return [match for match in places if match.card.entity in within]


def _leads_to_place(relation: Relation) -> bool:
    """Whether a relation, followed so, leads from a region to what lies in it."""
    wanted = "region" if relation.is_reverse else "place"
    return LEADS_TO.get(last_name_part(relation)) == wanted
